"""The keyword matrix: a category for messages that name a watched value or kind of event."""

from pellucid_decision.intent.rulebook import Category, Rulebook


def match_category(text: str, rulebook: Rulebook, *, recent: bool) -> Category | None:
    """Return the most urgent category that fires on a lower-case text, None when none does.

    Args:
        text: The message, in lower case.
        rulebook: Rules in force.
        recent: The message has a word of recency.
    """
    return next((row for row in rulebook.matrix if _fires(row, text, recent=recent)), None)


def _fires(row: Category, text: str, *, recent: bool) -> bool:
    if (row.needs_recency and not recent) or not row.keywords.search(text):
        return False
    if row.assets is None:
        return True
    return bool(row.assets.search(text) or (row.context and row.context.search(text)))
