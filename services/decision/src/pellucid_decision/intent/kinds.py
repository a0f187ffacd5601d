"""What the model's kinds of message mean for sources, windows and reasons.

The kinds are those of the model's card; one that stands in no table here has no special meaning.
"""

from collections.abc import Mapping

from pellucid_decision.decision import Intent

SMALL_TALK = frozenset({"smalltalk", "thanks", "greeting", "feeling", "chat"})
"""Nothing of it can be searched for."""

REAL_TIME = frozenset({"weather", "finance", "transport", "traffic", "time"})
"""The value may change within the day."""

ROLES = frozenset({"role", "people", "who_is"})
"""Who holds an office: the year tells the holder from those before."""

STILL_SO = frozenset({"still_open", "factcheck"})
"""Asks whether something still holds: a year would narrow the answer down to it."""

INTENTS: Mapping[str, Intent] = {
    **dict.fromkeys(("news", "politics", "sports", "result"), Intent.NEWS),
    **dict.fromkeys(
        ("people", "role", "who_is", "science", "definition", "history", "law", "legal", "health"),
        Intent.BACKGROUND,
    ),
}
"""Sort of sources by kind."""

EVIDENCE: Mapping[str, str] = {
    **dict.fromkeys(("price", "prices", "shopping"), "the price"),
    "finance": "the value",
    "weather": "the forecast",
    "sports": "the result",
    **dict.fromkeys(("role", "people", "who_is"), "the name"),
    "events": "the date",
    "time": "the time",
}
"""What an answer must show by kind."""

_REASONS: Mapping[str, str] = {
    "news": "Asks for current events.",
    "politics": "Asks for current events.",
    "sports": "Asks for a result or a fixture.",
    "weather": "Asks for the weather.",
    "price": "Asks for a price.",
    "prices": "Asks for a price.",
    "finance": "Asks for a market value or a rate.",
    "people": "Asks about a person or an office.",
    "role": "Asks who holds an office.",
    "product": "Asks about a product.",
    "comparison": "Asks for a comparison of current offers.",
    "local": "Asks for something nearby.",
    "travel": "Asks for travel information.",
    "transport": "Asks for a connection or a timetable.",
    "legal": "Asks for a rule or a law, which may have changed.",
    "law": "Asks for a rule or a law, which may have changed.",
    "health": "Asks for health information, which needs sources.",
    "code": "Asks about software, which depends on its version.",
    "api": "Asks about software, which depends on its version.",
    "followup": "Continues a question that needs the web.",
    "factcheck": "Asks whether something is true.",
    **dict.fromkeys(SMALL_TALK, "It is small talk."),
}
_SEARCH = "Asks for a specific fact."
_ANSWER = "Can be answered without the web."


def reason_of(kind: str, *, search: bool) -> str:
    """Return one sentence for people about a decision of the model."""
    if not search:
        return _REASONS[kind] if kind in SMALL_TALK else _ANSWER
    return _SEARCH if kind in SMALL_TALK else _REASONS.get(kind, _SEARCH)
