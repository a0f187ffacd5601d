"""What sort of answer a question wants: intent, window, targets, urgency."""

from collections.abc import Sequence

from pellucid_decision.decision import Facets, Freshness, Intent
from pellucid_decision.intent.case import Case
from pellucid_decision.intent.kinds import EVIDENCE, INTENTS, REAL_TIME
from pellucid_decision.ports import Understanding
from pellucid_decision.understanding.queries import named_years

MAX_TARGETS = 5
# Urgency by what the answer is for; real-time values lose their worth first.
_REAL_TIME_PRIORITY = 0.8
_NEWS_PRIORITY = 0.65
_DEFAULT_PRIORITY = 0.5
_NO_SEARCH_PRIORITY = 0.4


def facets_of(
    case: Case, understood: Understanding | None, *, searching: bool, topicless: bool
) -> Facets:
    """Return what sort of answer and sources a message wants.

    Args:
        case: Its form.
        understood: What the model read in it; None without the model.
        searching: The web will be searched.
        topicless: Small talk, or nothing to search for.
    """
    category = case.category
    kind = understood.kind if understood else ""
    freshness = understood.freshness if understood else Freshness.NONE
    if _is_of_the_past(case) and freshness is Freshness.DAY:
        freshness = Freshness.NONE
    watched = bool(category and category.real_time) and not _is_of_the_past(case)
    real_time = watched or (kind in REAL_TIME and freshness is Freshness.DAY)
    if real_time:
        freshness = Freshness.DAY
    elif category and category.needs_recency and freshness is Freshness.NONE:
        freshness = Freshness.WEEK
    newsy = category is not None and category.name.endswith(("news", "incidents"))
    intent = Intent.NEWS if newsy else INTENTS.get(kind, Intent.GENERAL)
    return Facets(
        intent=intent,
        category=category.name if category else "",
        freshness=freshness,
        real_time=real_time,
        time_sensitive=freshness is not Freshness.NONE,
        priority=_priority(case, intent, real_time=real_time, searching=searching),
        deep_research=case.book.found("deep_research", case.reading.text) is not None,
        site=case.site,
        topicless=topicless,
    )


def _is_of_the_past(case: Case) -> bool:
    """Whether a message names a year before this one."""
    return any(int(year) < case.ask.now.year for year in named_years(case.ask.message))


def targets_of(asked: Sequence[str], kind: str) -> tuple[str, ...]:
    """Say of each thing asked what an answer must contain: its words, and what kind of thing."""
    evidence = EVIDENCE.get(kind)
    first = (f"{asked[0]}: {evidence}" if evidence else asked[0],) if asked else ()
    return (*first, *asked[1:])[:MAX_TARGETS]


def _priority(case: Case, intent: Intent, *, real_time: bool, searching: bool) -> float:
    if not searching:
        return _NO_SEARCH_PRIORITY
    if case.category:
        return case.category.priority
    if real_time:
        return _REAL_TIME_PRIORITY
    return _NEWS_PRIORITY if intent is Intent.NEWS else _DEFAULT_PRIORITY
