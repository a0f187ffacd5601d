"""The keyword matrix: a category for messages that name a watched value or kind of event."""

from pellucid_decision.rules.rulebook import Category, Rulebook
from pellucid_decision.rules.signals import Reading

RECENCY_SIGNALS = ("time_word", "strong_recency", "cutoff_year")


def match_category(reading: Reading, rulebook: Rulebook) -> Category | None:
    """Return the most urgent category that fires, None when none does.

    A veto beats a category unless the message also has a recency word.
    """
    recent = reading.has(*RECENCY_SIGNALS)
    if reading.vetoed() and (not recent or reading.vetoed(strength=0.6)):
        return None
    lower = reading.text.lower()
    rows = rulebook.watched(lower)
    return next((row for row in rows if _fires(row, lower, recent=recent)), None)


def _fires(row: Category, text: str, *, recent: bool) -> bool:
    if not row.keywords.search(text):
        return False
    if row.needs_recency and not recent:
        return False
    if row.assets is None:
        return recent or not row.needs_recency
    named = row.assets.search(text) or (row.context and row.context.search(text))
    return bool(named)
