"""What an earlier answer of ours says, without the words that we put around it.

Whom a sentence is quoted from and when it was published is no subject of a conversation: a
follow-up is about what was quoted.
"""

import re
from collections.abc import Iterable
from functools import cache

from pellucid_gateway.domain.notices import wording_for
from pellucid_language.calendar import LANGUAGES

_QUOTES = ("quote_dated", "quote_undated", "next_dated", "next_undated")
_PLACE = re.compile(r"\\\{\w+\\\}")
# A publisher, a date, a number: never so much as a sentence.
_VALUE = r"[^“”„«»「」\n]{1,160}?"
_MARKER = re.compile(r"\s*\[\d+\]")


def said(text: str) -> str:
    """Return an answer without attributions and lists of pages that are ours.

    Args:
        text: An answer of the assistant, as a client sends it back.
    """
    told = _lists().sub(lambda one: one[1] or "", text)
    bare, frames = _frames().subn(lambda one: f"{one[one.lastindex or 0]} ", told)
    return " ".join(_MARKER.sub("", bare).split()) if frames else told.strip()


@cache
def _lists() -> re.Pattern[str]:
    """A heading, or a list of pages to its end; the sentence that leads to one stays."""
    headings = "|".join(map(re.escape, _texts("heading")))
    sentences, titles = (
        "|".join(map(re.escape, _texts(name))) for name in ("told_nowhere", "sources_heading")
    )
    pattern = rf"^### (?:{headings})$\s*|^({sentences})[\s\S]*|^(?:{titles})$[\s\S]*"
    return re.compile(pattern, re.MULTILINE)


@cache
def _frames() -> re.Pattern[str]:
    """A quotation with what it is introduced by, or with its source in brackets."""
    labels = "|".join(map(re.escape, _texts("source_label")))
    listed = rf"^\d+\. “(.+?)” \((?:{labels}): [^\n]*\)(?: ?\[\d+\])?$"
    halves = (text.split("{excerpt}") for text in _texts(*_QUOTES))
    quoted = (f"{_open(before)}(.+?){re.escape(after)}" for before, after in halves)
    return re.compile("|".join((listed, *quoted)), re.MULTILINE)


def _open(template: str) -> str:
    """A template as a pattern, with anything short in its places."""
    return _PLACE.sub(lambda _: _VALUE, re.escape(template))


def _texts(*names: str) -> Iterable[str]:
    """Templates of answers in every language."""
    answers = [wording_for(language).texts["answer"] for language in LANGUAGES]
    return [answer[name] for answer in answers for name in names]
