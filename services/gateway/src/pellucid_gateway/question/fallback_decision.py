"""The gateway's own decision for when the decision service is lost or too slow.

Addresses are read, explicit wishes and words of recency search, everything else is answered
without the web. It knows nothing of history; the decision service does the real work.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

import yaml

from pellucid_gateway.domain.decision import (
    Action,
    Decision,
    Freshness,
    PlannedQuery,
    Stage,
    WebMode,
)
from pellucid_gateway.domain.request import TurnRequest
from pellucid_language.detection import detect_language
from pellucid_language.pii.gate import GATE
from pellucid_language.terms import has_unspaced_script

_URL = re.compile(r"https?://[^\s<>\"'\]]+", re.IGNORECASE)
_URL_TAIL = ".,;:!?)»”’"
MAX_URLS = 3
_MAX_QUERY_CHARS = 200
_MAX_QUERY_WORDS = 10
_FILLER = re.compile(
    r"^(?:(?:please|can|could|would|you|tell|me|about|search|for|look|up|what|who|is|are|was|the|"
    r"a|an)\s+)+",
    re.IGNORECASE,
)
_NOT_WORDS = re.compile(r"[^\w\s.%€$&'-]+")
_TELLING = re.compile(r"[A-ZÀ-Þ\d]")
# The rule is crude; it says so by its confidence.
_CONFIDENCE = 0.5


@cache
def load_phrases() -> Mapping[str, tuple[str, ...]]:
    """Phrases of all languages by kind, read once."""
    source = resources.files("pellucid_gateway.question").joinpath("fallback.yaml")
    table: dict[str, dict[str, list[str]]] = yaml.safe_load(source.read_text("utf-8"))
    return MappingProxyType(
        {kind: tuple(p for each in lists.values() for p in each) for kind, lists in table.items()}
    )


def decide_by_rule(request: TurnRequest) -> Decision:
    """Decide by address, explicit wish and words of recency alone."""
    message = request.message
    urls = find_urls(message)
    wants = request.web_mode is WebMode.ON or request.force_search or asks_to_search(message)
    common: dict[str, Any] = {
        "confidence": _CONFIDENCE,
        "standalone_question": GATE.redact_always(message) or message,
        "language": request.language or detect_language(message),
        "ignored_urls": urls[MAX_URLS:],
    }
    if request.web_mode is WebMode.OFF:
        reason = "The web is switched off."
        return Decision(action=Action.ANSWER, stage=Stage.MODE, reason=reason, **common)
    common["urls"] = urls[:MAX_URLS]
    if urls and request.web_mode is not WebMode.ON:
        reason = "The message names a page."
        return Decision(action=Action.FETCH, stage=Stage.URL, reason=reason, **common)
    if wants:
        query = query_from(GATE.redact(message).text)
        return Decision(
            action=Action.SEARCH,
            stage=Stage.FALLBACK,
            reason="The message asks for recent or looked-up facts.",
            reason_code="fallback_recency",
            queries=(PlannedQuery(query),),
            fallback_queries=tuple(text for text in (shorter_query(query),) if text != query),
            freshness=Freshness.NONE,
            time_sensitive=True,
            **common,
        )
    reason = "Nothing in the message clearly asks for the web."
    return Decision(action=Action.ANSWER, stage=Stage.FALLBACK, reason=reason, **common)


def find_urls(message: str) -> tuple[str, ...]:
    """Complete http and https addresses, in order, each once."""
    found = (match.group().rstrip(_URL_TAIL) for match in _URL.finditer(message))
    return tuple(dict.fromkeys(found))


def query_from(message: str) -> str:
    """A query made of the message: filler and punctuation out, at most ten words."""
    without = _URL.sub(" ", message)
    bare = _FILLER.sub("", _NOT_WORDS.sub(" ", without).strip())
    query = " ".join(bare.split()[:_MAX_QUERY_WORDS])[:_MAX_QUERY_CHARS]
    return query.strip(" .") or " ".join(without.split())[:_MAX_QUERY_CHARS] or message[:20]


def shorter_query(query: str) -> str:
    """The same query of fewer words: numbers and capitalised words first, then the longest."""
    words = query.split()
    telling = sorted(words, key=lambda word: (not _TELLING.match(word), -len(word)))
    kept = telling[: max(2, len(words) // 2)]
    return " ".join(word for word in words if word in kept)


def asks_to_search(message: str) -> bool:
    """Whether the words of a message ask for recent or looked-up facts."""
    return not _mentions(message, "refusal") and (
        _mentions(message, "recency") or _mentions(message, "lookup")
    )


def _mentions(message: str, kind: str) -> bool:
    low = message.lower()
    return any(_has_phrase(low, phrase) for phrase in load_phrases()[kind])


def _has_phrase(low: str, phrase: str) -> bool:
    # Hardly any is there at all, which is told at once; only then is it looked for as a word.
    if phrase not in low or has_unspaced_script(phrase):
        return phrase in low
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", low) is not None
