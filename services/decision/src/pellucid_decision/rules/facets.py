"""What sort of answer a question wants: intent, window, target, urgency, place to look."""

import re
from functools import lru_cache

from pellucid_decision.decision import Facets, Freshness, Intent
from pellucid_decision.rules.rulebook import Category, LanguageRules
from pellucid_decision.rules.signals import Reading
from pellucid_decision.text.conversation import Ask
from pellucid_decision.text.links import Link
from pellucid_decision.text.structure import years_in

MAX_TARGETS = 5
# Urgency by what the answer is for; real-time values lose their worth first.
_REAL_TIME_PRIORITY = 0.8
_NEWS_PRIORITY = 0.65
_DEFAULT_PRIORITY = 0.5
_NO_SEARCH_PRIORITY = 0.4
_SITE = re.compile(r"\bsite:\s?([a-z0-9.-]+\.[a-z]{2,24})", re.IGNORECASE)
_TARGETS = (
    ("role", ("role_holder",)),
    ("price", ("price_of",)),
    ("news", ("news",)),
    ("result", ("event_result",)),
    ("schedule", ("event_schedule",)),
    ("review", ("reviews",)),
    ("law", ("changing_fact",)),
    ("docs", ("niche_docs",)),
    ("source", ("ask_sources",)),
)
_WINDOWS = (
    ("day_window", Freshness.DAY),
    ("week_window", Freshness.WEEK),
    ("month_window", Freshness.MONTH),
    ("year_window", Freshness.YEAR),
)
_PLACE_PARTICLE = re.compile(r"\s?(?:에서|で|上|里|中)")
# For lower-case text.
_QUESTION_TARGETS = (
    (
        "quantity",
        re.compile(
            r"\bhow (?:many|much|long|old|far|tall)\b|몇|얼마|多少|几|いくつ|いくら|cuánt|wie viel|combien"  # noqa: E501 - one pattern or table row
        ),
    ),
    ("place", re.compile(r"\bwhere\b|어디|哪里|在哪|どこ|dónde|\bwo\b|\boù\b")),
    ("person", re.compile(r"\bwho\b|누구|谁|誰|quién|\bwer\b|\bqui\b")),
    (
        "time",
        re.compile(r"\bwhen\b|언제|什么时候|何时|いつ|cuándo|\bwann\b|\bquand\b"),
    ),
    ("reason", re.compile(r"\bwhy\b|왜|为什么|なぜ|por qué|warum|pourquoi")),
)


def facets_of(
    reading: Reading,
    *,
    category: Category | None,
    ask: Ask,
    rules: LanguageRules,
    site: str,
    searching: bool,
    topicless: bool,
    asked: str,
) -> Facets:
    """Return what sort of answer and sources the question wants.

    Args:
        reading: Signals of the standalone question.
        category: Matrix row that fired.
        ask: The request.
        rules: Rules of the person's language.
        site: Host named as the place to look.
        searching: The web will be searched.
        topicless: Small talk, or nothing to search for.
        asked: The question itself, without the story around it: "yesterday" there is no window.
    """
    live = reading.has("real_time_value") or bool(category and category.real_time)
    past = _found(rules, "past", reading.text)
    real_time = live and not past
    intent = _intent(reading, rules, category)
    freshness = _freshness(
        reading,
        rules,
        asked=asked,
        real_time=real_time,
        category=category,
        newsy=intent is Intent.NEWS,
    )
    if live and past and freshness is not Freshness.DAY:
        freshness = _since(reading, ask, freshness)
    today = _found(rules, "day_window", asked)
    return Facets(
        intent=intent,
        category=category.name if category else "",
        freshness=freshness,
        real_time=real_time,
        time_sensitive=real_time or today or freshness is not Freshness.NONE,
        target_info=_targets(reading, rules),
        priority=_priority(category, real_time=real_time, intent=intent, searching=searching),
        deep_research=_found(rules, "deep_research", reading.text),
        site=site,
        topicless=topicless,
    )


def named_site(text: str, links: tuple[Link, ...], rules: LanguageRules) -> str:
    """Return the host that the person names as the place to look, empty for none."""
    written = _SITE.search(text)
    if written:
        return written.group(1).lower()
    for link in links:
        if link.bare and (_after_preposition(link.text, text, rules) or _is_place(link.text, text)):
            return link.host.removeprefix("www.")
    return ""


def _after_preposition(name: str, text: str, rules: LanguageRules) -> bool:
    places = (
        match.end() for match in _preposition(rules.words("site_prepositions")).finditer(text)
    )
    return any(text[place : place + len(name)].lower() == name.lower() for place in places)


def _is_place(name: str, text: str) -> bool:
    """Whether a particle behind the name says that it is where to look."""
    start = text.find(name)
    while start >= 0:
        if _PLACE_PARTICLE.match(text, start + len(name)):
            return True
        start = text.find(name, start + 1)
    return False


@lru_cache(maxsize=16)
def _preposition(words: frozenset[str]) -> re.Pattern[str]:
    """Words of the rules, of which there are few sets, with the blanks behind them."""
    listed = "|".join(re.escape(word) for word in sorted(words)) or "on|from|at"
    return re.compile(rf"\b(?:{listed})\s+", re.IGNORECASE)


def _freshness(
    reading: Reading,
    rules: LanguageRules,
    *,
    asked: str,
    real_time: bool,
    category: Category | None,
    newsy: bool,
) -> Freshness:
    """Return how old a page may be that answers.

    "Now" and "today" bound the age of news alone: who is mayor now, or what a ticket costs today,
    stands on pages that are older.
    """
    if real_time:
        return Freshness.DAY
    for name, window in _WINDOWS:
        if _found(rules, name, asked) and (newsy or window is not Freshness.DAY):
            return window
    if category and category.needs_recency:
        return Freshness.WEEK
    if reading.has("news"):
        return Freshness.MONTH
    return (
        Freshness.YEAR
        if reading.has("role_holder", "still_valid", "event_schedule")
        else Freshness.NONE
    )


def _since(reading: Reading, ask: Ask, window: Freshness) -> Freshness:
    """Window of a value that lies in the past: none for a named earlier year, else a week."""
    if any(year < ask.now.year for year in years_in(reading.text)):
        return Freshness.NONE
    return Freshness.WEEK if window is Freshness.NONE else window


def _intent(reading: Reading, rules: LanguageRules, category: Category | None) -> Intent:
    newsy = category is not None and category.name.endswith(("news", "incidents"))
    if newsy or reading.has("news", "event_result") or _found(rules, "news_intent", reading.text):
        return Intent.NEWS
    background = reading.has(
        "timeless", "definition", "niche_docs", "entity_question", "role_holder"
    )
    if background or _found(rules, "background_intent", reading.text):
        return Intent.BACKGROUND
    return Intent.GENERAL


def _targets(reading: Reading, rules: LanguageRules) -> tuple[str, ...]:
    wording = rules.mappings.get("targets", {})
    names = [name for name, signals in _TARGETS if reading.has(*signals)]
    if reading.has("real_time_value"):
        names.insert(0, "price")
    lower = reading.text.lower()
    names += [name for name, pattern in _QUESTION_TARGETS if pattern.search(lower)]
    targets = [wording[name] for name in dict.fromkeys(names) if name in wording]
    return tuple(dict.fromkeys(targets))[:MAX_TARGETS] or tuple(
        filter(None, (wording.get("general"),))
    )


def _priority(
    category: Category | None, *, real_time: bool, intent: Intent, searching: bool
) -> float:
    if not searching:
        return _NO_SEARCH_PRIORITY
    if category:
        return category.priority
    if real_time:
        return _REAL_TIME_PRIORITY
    return _NEWS_PRIORITY if intent is Intent.NEWS else _DEFAULT_PRIORITY


def _found(rules: LanguageRules, name: str, text: str) -> bool:
    pattern = rules.phrase(name)
    return bool(pattern and pattern.search(text))
