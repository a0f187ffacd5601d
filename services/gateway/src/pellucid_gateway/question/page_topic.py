"""Whether a message goes on about a page that the person named before.

Most questions after "summarise https://…" are about that page, however they are put ("and how much
was that?"); a few leave it. The words alone tell many; for the others the page itself is looked at:
who asks about what it never mentions has left it. Nothing of a page is kept for that, only its
address stands in the conversation.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

import yaml

from pellucid_gateway.question.fallback_decision import MAX_URLS, find_urls
from pellucid_gateway.question.key_facts import subject_terms
from pellucid_gateway.vocabulary.decision import Decision
from pellucid_gateway.vocabulary.request import Role, TurnRequest
from pellucid_language.folding import fold, fold_expression
from pellucid_language.terms import function_terms, has_unspaced_script, terms

# Share of the message's telling words that the page must lack for the message to have left it.
_MISSING = 0.5
# The same where a pronoun may point to the page.
_MISSING_WITH_PRONOUN = 0.75
_FEWEST_TELLING = 2
_FEWEST_WITH_PRONOUN = 3
# With so few words of its own a question lives on the one before.
_FEW_OWN = 3


class Standing(StrEnum):
    """How a message stands to the page."""

    ON_IT = "on_it"
    LEFT = "left"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class PageTopic:
    """Pages that a conversation is about.

    Attributes:
        urls: As the person named them; at most 3.
        since: The person's messages after the one that named them, oldest first, this one last.
        before: What was asked last before this message, without addresses.
    """

    urls: tuple[str, ...]
    since: tuple[str, ...]
    before: str = ""

    @property
    def message(self) -> str:
        """The message in question."""
        return self.since[-1]


def topic_of(request: TurnRequest) -> PageTopic | None:
    """The pages that this message may go on about; None where the person named none or left them.

    Only the words are looked at; see `leaves`.
    """
    said = [message.content for message in request.messages if message.role is Role.USER]
    places = [place for place, text in enumerate(said) if find_urls(text)]
    if not places or places[-1] == len(said) - 1:
        return None
    urls = find_urls(said[places[-1]])[:MAX_URLS]
    since = tuple(said[places[-1] + 1 :])
    topic = PageTopic(urls, since, _without_urls(said[-2], urls))
    if standing(topic.message) is Standing.ON_IT:
        return topic
    earlier = request.earlier
    has_searched = earlier is not None and bool(earlier.sources) and not earlier.user_urls
    has_left = any(standing(message) is Standing.LEFT for message in since)
    return None if has_left or has_searched else topic


def has_just_left(request: TurnRequest) -> bool:
    """Whether the words of this message leave a page that was named before."""
    said = [message.content for message in request.messages if message.role is Role.USER]
    named = any(find_urls(text) for text in said[:-1])
    return named and standing(said[-1]) is Standing.LEFT


def without_lead(message: str) -> str:
    """A message without the words that only announce another subject.

    >>> without_lead("thanks. different thing: is the pass worth it?")
    'is the pass worth it?'
    """
    lead, colon, question = message.partition(":")
    announces = bool(colon) and _table().left.search(fold(lead)) is not None
    return question.strip() if announces and subject_terms(question) else message


def standing(message: str) -> Standing:
    """What the words of a message tell.

    >>> standing("What does it say about the ferry?").value, standing("How tall is it?").value
    ('on_it', 'unsure')
    """
    folded = fold(message)
    if _table().left.search(folded):
        return Standing.LEFT
    return Standing.ON_IT if _table().page.search(folded) else Standing.UNSURE


def leaves(topic: PageTopic, decision: Decision, texts: Sequence[str]) -> bool:
    """Whether the message, or one before it, asks about what the pages do not have.

    Args:
        topic: The pages and what was said since.
        decision: What was decided without them.
        texts: Title and text of each page that could be read.
    """
    if standing(topic.message) is Standing.ON_IT or not texts:
        return False
    page = " ".join(texts)
    # What was decided on earlier messages is not known here, so these must be clearer.
    left_before = any(
        _names_another_thing(message, page) or _lacks(message, page, strictly=True)
        for message in topic.since[:-1]
        if standing(message) is not Standing.ON_IT
    )
    message = topic.message
    return (
        left_before
        or _names_another_thing(message, page)
        or (decision.needs_search and _lacks(message, page, strictly=False))
    )


def _lacks(message: str, page: str, *, strictly: bool) -> bool:
    """Whether the page lacks most of what a message names, as far as that can be seen."""
    if has_unspaced_script(message) != has_unspaced_script(page):
        return False
    telling, have = subject_terms(message), terms(page)
    points_back = strictly or bool(_table().pronoun.search(fold(message)))
    fewest = _FEWEST_WITH_PRONOUN if points_back else _FEWEST_TELLING
    least = _MISSING_WITH_PRONOUN if points_back else _MISSING
    return len(telling) >= fewest and len(telling - have) >= least * len(telling)


def _names_another_thing(message: str, page: str) -> bool:
    """Whether it begins with a thing of its own that the page lacks: "and the Halo 2, how …"."""
    match = _table().front.match(fold(message))
    if match is None:
        return False
    words = match.group("topic").split()
    if _table().asking & set(words):
        return False
    phrase = " ".join(
        word for word in words if not terms(word) <= function_terms() or word.isdigit()
    )
    named = terms(phrase) - function_terms()
    if not named:
        return False
    numbered = any(word.isdigit() for word in words) and phrase not in fold(page)
    return numbered or not named <= terms(page)


def as_follow_up(decision: Decision, topic: PageTopic) -> str:
    """The question that is asked of the page: with the one before it where it lives on that."""
    own = subject_terms(topic.message)
    resolved = decision.standalone_question
    asked = topic.message if find_urls(resolved) else resolved
    if len(own) >= _FEW_OWN or not topic.before or standing(topic.before) is Standing.LEFT:
        return topic.message
    return f"{topic.before} {topic.message if topic.before in asked else asked}"


def _without_urls(message: str, urls: Sequence[str]) -> str:
    for url in (*urls, *find_urls(message)):
        message = message.replace(url, " ")
    return " ".join(message.split())


@dataclass(frozen=True, slots=True)
class _Table:
    page: re.Pattern[str]
    left: re.Pattern[str]
    pronoun: re.Pattern[str]
    front: re.Pattern[str]
    asking: frozenset[str]


@cache
def _table() -> _Table:
    source = resources.files("pellucid_gateway.question").joinpath("page_topic.yaml")
    lists: Mapping[str, Any] = yaml.safe_load(source.read_text("utf-8"))
    lines = ("page", "left", "pronoun")
    joined = {name: re.compile(fold_expression("|".join(lists[name]))) for name in lines}
    return _Table(
        **joined,
        front=re.compile(lists["front"]),
        asking=frozenset(lists["asking"].split()),
    )
