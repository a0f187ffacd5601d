"""What the model's kinds of message mean for sources, windows and reasons.

The kinds are those of the model's card; one that stands in no table here has no special meaning.
"""

from collections.abc import Mapping

from pellucid_decision.decision import Intent

SMALL_TALK = frozenset({"smalltalk"})
"""Nothing of it can be searched for."""

REAL_TIME = frozenset({"weather", "finance", "traffic", "result"})
"""The value may change within the day."""

STILL_SO = frozenset({"verify"})
"""Asks whether something holds: a year would narrow the answer down to it."""

INTENTS: Mapping[str, Intent] = {
    **dict.fromkeys(("news", "result"), Intent.NEWS),
    **dict.fromkeys(
        ("concept", "docs", "entity", "fact", "health", "law", "role"), Intent.BACKGROUND
    ),
}
"""Sort of sources by kind."""

EVIDENCE: Mapping[str, str] = {
    "finance": "the value",
    "result": "the result",
    "role": "the name",
    "schedule": "the date",
    "version": "the version number",
    "weather": "the forecast",
}
"""What an answer must show by kind."""

_SEARCHED: Mapping[str, str] = {
    "docs": "Asks about software, which depends on its version.",
    "entity": "Asks about a named person, organisation or thing.",
    "finance": "Asks for a market value or a rate.",
    "health": "Asks for health information, which needs sources.",
    "law": "Asks for a rule or a law, which may have changed.",
    "local": "Asks for a place, its hours or its offers.",
    "news": "Asks for current events.",
    "product": "Asks about a product or its price.",
    "result": "Asks for a result.",
    "role": "Asks who holds an office.",
    "schedule": "Asks for a date.",
    "traffic": "Asks for a connection, traffic or delays.",
    "travel": "Asks for travel information.",
    "verify": "Asks whether something is true.",
    "version": "Asks for a version or a release.",
    "weather": "Asks for the weather.",
}
_ANSWERED: Mapping[str, str] = {
    "advice": "Asks for general advice.",
    "code": "Code is to be written or explained.",
    "concept": "Asks for general knowledge that does not change.",
    "creative": "Something is to be written or invented.",
    "math": "Can be worked out from what the message says.",
    "rewrite": "The message brings its own text.",
    "smalltalk": "It is small talk.",
    "task": "It is a task for the assistant.",
}
_SEARCH = "Asks for a specific fact."
_ANSWER = "Can be answered without the web."


def reason_of(kind: str, *, search: bool) -> str:
    """Return one sentence for people about a decision of the model."""
    return _SEARCHED.get(kind, _SEARCH) if search else _ANSWERED.get(kind, _ANSWER)
