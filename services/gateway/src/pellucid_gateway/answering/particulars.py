"""What a prompt says of one turn alone: the time, the place, the wished length and language.

All of it stands in the last message, so that everything before stays as it was.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pellucid_gateway.domain.fencing import neutral
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.request import Depth, SubjectContext, TurnRequest
from pellucid_gateway.question.plain_text import plain
from pellucid_gateway.question.wishes import Unit, wish_of

_MAX_ASIDE_CHARS = 600
# Without sources: how much is to be said depends on the question alone.
_WORDS = {Depth.QUICK: 70, Depth.STANDARD: 180, Depth.DEEP: 450, Depth.LEAN: 180}
# With sources each may fill some words; over the same ones a quick answer is a good quarter shorter
# than a deep one, a standard one a seventh.
_WORDS_PER_SOURCE = 44
_WORDS_AROUND = 30
_BREVITY = {Depth.QUICK: 0.71, Depth.STANDARD: 0.86, Depth.DEEP: 1.0, Depth.LEAN: 0.86}
# A summary of a named page has some sentences whatever the depth.
_SUMMARY_WORDS = 220
_LONGEST_WISH_WORDS = 600
_WORDS_OF_UNIT = {Unit.SENTENCE: 30, Unit.POINT: 30, Unit.WORD: 1}
_NAMES = {
    "en": "English",
    "ko": "Korean",
    "zh": "Chinese",
    "ja": "Japanese",
    "es": "Spanish",
    "de": "German",
    "fr": "French",
}


@dataclass(frozen=True, slots=True)
class Length:
    """How long an answer is to be: a rule for the model and about so many words."""

    rule: str
    words: int


def time_and_place(request: TurnRequest, now: datetime) -> str:
    """The person's date, time and zone, and their country where the request names one.

    Without a zone of theirs it is told in UTC, and that the zone is unknown.
    """
    zone = _zone(request.time_zone)
    here = now.astimezone(zone or ZoneInfo("UTC"))
    told = (
        f"{zone.key}, UTC{here.isoformat()[-6:]}"
        if zone
        else "UTC; the person's time zone is unknown"
    )
    country = request.options.country
    place = f" Country: {neutral(country.upper())}." if country else ""
    return f"Now: {here:%A}, {here.day} {here:%B} {here.year}, {here:%H:%M} ({told}).{place}"


def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def knowledge_rule(cutoff: date) -> str:
    """Where the model's own knowledge ends."""
    return f"What you know by yourself ends before {cutoff:%B %Y}."


def language_rule(language: str) -> str:
    """The language that the request asks for; a language that is only guessed is never told.

    A place or a name misleads guesses: "best ramen in Kreuzberg" is English.
    """
    if not language:
        return "Answer in the language of the person's message below."
    return f"Answer in {_NAMES.get(language, f'the language with the code {language}')}."


def length_rule(request: TurnRequest, sources: Sequence[Source]) -> Length:
    """What the person wished, else what the depth and the number of sources make of prose."""
    wish = wish_of(request.message)
    if wish.unit is not None:
        words = min(_LONGEST_WISH_WORDS, _WORDS_OF_UNIT[wish.unit] * wish.amount)
        what = {
            Unit.SENTENCE: f"in exactly {wish.amount} sentence(s)",
            Unit.POINT: f"as a list of exactly {wish.amount} bullet point(s)",
            Unit.WORD: f"in about {wish.amount} words",
        }[wish.unit]
        return Length(f"Answer {what}, as the person asks.", words)
    if wish.whole and any(source.user_supplied for source in sources):
        rule = f"Use about {_SUMMARY_WORDS} words; cover the whole page, main points first."
        return Length(rule, _SUMMARY_WORDS)
    words = _words(request.depth, len(sources))
    rule = f"Prose: {words} words at most, fewer where fewer do. Code, tables, steps: as needed."
    return Length(rule, words)


def _words(depth: Depth, sources: int) -> int:
    """Most words, in fives."""
    if not sources:
        return _WORDS[depth]
    return 5 * round(_BREVITY[depth] * (_WORDS_AROUND + _WORDS_PER_SOURCE * sources) / 5)


def unread_rules(unread: Sequence[str]) -> list[str]:
    """What is to be said of pages that the person named and that could not be read."""
    pages = ", ".join(neutral(url) for url in unread)
    rule = (
        f"The person asks about a page that could not be read now: {pages}. Say so first. Do not "
        "guess what it says, and take nothing from earlier answers as what it says now."
    )
    return [rule] if pages else []


def asides(request: TurnRequest) -> list[str]:
    """What is known of the conversation's subject and of the person, as data."""
    lines = []
    if request.subject:
        lines.append(f"The conversation is about: {_subject(request.subject)}")
    if request.memories:
        memories = "; ".join(neutral(plain(memory)) for memory in request.memories)
        lines.append(f"Known about the person: {memories[:_MAX_ASIDE_CHARS]}")
    return lines


def _subject(subject: SubjectContext) -> str:
    parts = (
        subject.kind,
        subject.title,
        ", ".join(subject.speakers),
        ", ".join(subject.organizations),
        subject.event,
        subject.description,
    )
    return neutral(plain(" | ".join(part for part in parts if part)))[:_MAX_ASIDE_CHARS]
