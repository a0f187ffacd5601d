"""What a searcher would do to a question: names before roles, the clock's year, other names.

Each step takes chunks and returns chunks; which of them have room in a query is not decided here.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from pellucid_decision.queries.limits import MAX_WORDS, SHORT
from pellucid_decision.question.chunk import Chunk, Role
from pellucid_decision.question.terms import Kind
from pellucid_decision.rules.rulebook import LanguageRules, Rulebook
from pellucid_decision.rules.signals import Reading
from pellucid_decision.text.conversation import Ask
from pellucid_decision.text.lexicon import DENSE_LANGUAGES
from pellucid_decision.text.structure import years_in
from pellucid_language.calendar import month_name, printed_weekdays
from pellucid_language.quantities import amounts


def timed(chunks: Sequence[Chunk], ask: Ask, rules: LanguageRules) -> tuple[Chunk, ...]:
    """Leave words of recency to window and year; "this year" and "last month" are named."""
    versions = {chunk.key for chunk in chunks} & rules.words("versions")
    recency = frozenset[str]() if versions else rules.words("recency")
    result = []
    for chunk in chunks:
        shift = next((n for n, name in _YEAR_NAMES if _is(rules, name, chunk.text)), None)
        months = next((n for n, name in _MONTH_NAMES if _is(rules, name, chunk.text)), None)
        if shift is not None:
            result.append(Chunk(str(ask.now.year + shift), Kind.NUMBER, Role.TIME))
        elif months is not None:
            result.append(Chunk(_month(ask.now, months, rules.code), role=Role.TIME))
        elif _is(rules, "last_days", chunk.text):
            day = _last_day(ask.now, chunk.key)
            result.append(Chunk(_month(day, 0, rules.code), role=Role.TIME))
        elif chunk.key not in recency or chunk.kind is Kind.ENTITY:
            result.append(chunk)
    return tuple(result)


_YEAR_NAMES = ((0, "this_year"), (-1, "last_year"), (1, "next_year"))


_MONTH_NAMES = ((-1, "last_month"), (0, "this_month"), (1, "next_month"))


def _last_day(now: datetime, phrase: str) -> datetime:
    """Return the day that "last Tuesday" means; of a weekend its Sunday."""
    told = (day for name, day in printed_weekdays().items() if len(name) > 1 and name in phrase)
    weekday = next(told, _SUNDAY)
    return now - timedelta(days=(now.weekday() - weekday - 1) % 7 + 1)


_SUNDAY = 6


def _month(now: datetime, shift: int, language: str) -> str:
    """Return a month as people write it: "December 2026", "2026年12月"."""
    year, month = divmod(now.year * 12 + now.month - 1 + shift, 12)
    name = month_name(month + 1, language)
    return _NUMBERED_MONTHS.get(language, "{name} {year}").format(name=name, year=year)


_NUMBERED_MONTHS = {"ja": "{year}年{name}月", "zh": "{year}年{name}月", "ko": "{year}년 {name}월"}


def _is(rules: LanguageRules, name: str, text: str) -> bool:
    pattern = rules.phrase(name)
    return bool(pattern and pattern.fullmatch(text))


def roles_told(
    chunks: Sequence[Chunk], question: str, reading: Reading, rules: LanguageRules
) -> tuple[Chunk, ...]:
    """Write "is she still running it" as a role, and what happened as news of it."""
    verbs = rules.mappings.get("verb_roles", {})
    kept = list(chunks)
    if reading.has("role_holder", "still_valid") and _found(rules, "still", question):
        roles = [Chunk(verbs[chunk.key]) for chunk in kept if chunk.key in verbs]
        if roles:
            kept = [chunk for chunk in kept if chunk.key not in verbs and chunk.key != "still"]
            kept += roles
    if _found(rules, "happened", question):
        aspects = rules.mappings.get("aspects", {})
        aspect = next((aspects[chunk.key] for chunk in kept if chunk.key in aspects), "")
        news = rules.mappings.get("asked_as", {}).get("news", "")
        kept = [chunk for chunk in kept if chunk.key not in rules.words("happening")]
        added = aspect or (news if len(kept) < SHORT else "")
        times = [chunk for chunk in kept if chunk.role is Role.TIME]
        kept = [chunk for chunk in kept if chunk.role is not Role.TIME]
        kept += [Chunk(added)] if added else []
        kept += times
    return tuple(kept)


def _found(rules: LanguageRules, name: str, text: str) -> bool:
    pattern = rules.phrase(name)
    return bool(pattern and pattern.search(text))


def without_compare(chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Drop "compare" where "vs" stands between the sides."""
    if not any(chunk.link == "vs" for chunk in chunks):
        return tuple(chunks)
    return tuple(
        chunk for chunk in chunks if chunk.key not in {"compare", "vs", "versus", "comparing"}
    )


def flipped(chunks: Sequence[Chunk], rules: LanguageRules) -> tuple[Chunk, ...]:
    """Put a name before what is asked of it: "CEO of Siemens" as "Siemens CEO"."""
    result: list[Chunk] = []
    for chunk in chunks:
        firm = chunk.kind in {Kind.ENTITY, Kind.IDENTIFIER, Kind.QUOTED}
        if not (chunk.flips and firm and rules.code == "en"):
            result.append(chunk)
            continue
        place = len(result)
        while place and result[place - 1].role is Role.CONTENT and result[place - 1].kind in _PLAIN:
            place -= 1
            if result[place].link:
                break
        result.insert(place, replace(chunk, link="", flips=False))
        if place + 1 < len(result):
            result[place + 1] = replace(result[place + 1], link="")
    return tuple(result)


_NEW_PLACE = re.compile(
    r"\bnew (?:york|zea?lan|zeelan|delhi|jersey|orleans|mexico|hampshire|guinea)"
)
_PLAIN = frozenset({Kind.WORD, Kind.IDENTIFIER, Kind.ENTITY})


def told_apart(chunks: Sequence[Chunk], question: str, rules: LanguageRules) -> tuple[Chunk, ...]:
    """Name what is asked where only a verb said it: "what does it mean", "how much is it"."""
    asked = rules.mappings.get("asked_as", {})
    kept = tuple(chunk for chunk in chunks if chunk.key not in rules.words("meaning_verbs"))
    if _found(rules, "means", question) and kept:
        return (*kept, Chunk(asked.get("meaning", "")))
    named = any(chunk.key in rules.words("attributes") for chunk in chunks)
    own = sum(chunk.text in question for chunk in chunks)
    if _found(rules, "hours_asked", question) and not named:
        return (*kept, Chunk(asked.get("hours", "")))
    if _found(rules, "release_asked", question) and not named:
        verbs = rules.words("particles")
        told = [c for c in kept if c.role is not Role.ASKS and c.key not in verbs]
        return (*told, Chunk(asked.get("release", "")))
    sure = rules.code in DENSE_LANGUAGES or _COSTS.search(question)
    room = MAX_WORDS if sure else SHORT + 1
    if _found(rules, "price_asked", question) and not named and own < room:
        if _is_money(question):
            return tuple(chunks)
        return (*kept, Chunk(asked.get("price", "")))
    return tuple(chunks)


# Verbs that ask for nothing but a price, whatever stands around them.
_COSTS = re.compile(r"(?i:kost|cust|cuest|coût)")
_CURRENCIES = frozenset({"dollar", "euro", "pound", "yen", "won", "yuan", "crown", "franc"})


def _is_money(question: str) -> bool:
    """Whether a question names an amount of money: it asks what that is in another currency."""
    return any(figure.measure in _CURRENCIES for figure in amounts(question))


def vague(own: Sequence[Chunk], rules: LanguageRules) -> bool:
    """Whether a question names nothing of its own ("find related news")."""
    return all(chunk.key in rules.words("vague") | rules.words("recency") for chunk in own)


def aliased(chunks: Sequence[Chunk], rulebook: Rulebook) -> tuple[Chunk, ...]:
    """Add the other name of a ticker or abbreviation right after it."""
    named = {chunk.key for chunk in chunks}
    result = []
    for chunk in chunks:
        result.append(chunk)
        alias = rulebook.aliases.get(chunk.key.removeprefix("$"))
        if alias and alias.casefold() not in named and len(chunks) < MAX_WORDS and " " not in alias:
            result.append(Chunk(alias, Kind.ENTITY))
    return tuple(result)


def clock_year(
    reading: Reading, chunks: Sequence[Chunk], text: str, ask: Ask, rules: LanguageRules
) -> tuple[Chunk, ...]:
    """The clock's year, for what is asked as current and has no window of its own.

    Args:
        reading: Signals of the message.
        chunks: The query so far.
        text: What is asked, without the story around it.
        ask: The request, for the clock.
        rules: Rules of the language.
    """
    dated = any(chunk.role is Role.TIME for chunk in chunks)
    if years_in(text) or dated or reading.has("real_time_value", "price_of"):
        return ()
    if _found(rules, "still", text):
        return ()
    words = set(re.findall(r"\w+", _NEW_PLACE.sub("", text.casefold())))
    asked = bool(words & rules.words("current")) or _found(rules, "current_words", text)
    return (Chunk(str(ask.now.year), Kind.NUMBER, Role.WEAK),) if asked else ()


def without_site(chunks: Sequence[Chunk], site: str) -> tuple[Chunk, ...]:
    """Drop the host that the search is restricted to anyway."""
    return tuple(
        chunk for chunk in chunks if not site or site not in chunk.key.removeprefix("www.")
    ) or tuple(chunks)
