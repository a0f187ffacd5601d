"""What the model's kinds of message mean for sources, windows and reasons.

The kinds are those of the model's card; one that stands in no table here has no special meaning.
"""

from collections.abc import Mapping

from pellucid_decision.decision import Intent

SMALL_TALK = frozenset({"smalltalk", "thanks", "feeling", "assistant", "statement"})
"""Nothing of it can be searched for."""

REAL_TIME = frozenset({"weather", "finance", "transport", "traffic", "time", "result"})
"""The value may change within the day."""

ROLES = frozenset({"role", "officeholder"})
"""Who holds an office: the year tells the holder from those before."""

STILL_SO = frozenset({"still_open", "factcheck", "verify"})
"""Asks whether something still holds: a year would narrow the answer down to it."""

INTENTS: Mapping[str, Intent] = {
    **dict.fromkeys(("news", "politics", "sports", "result"), Intent.NEWS),
    **dict.fromkeys(
        (
            *("people", "person", "role", "officeholder", "who_is", "entity", "fact", "company"),
            *("science", "definition", "history", "law", "legal", "health", "docs"),
        ),
        Intent.BACKGROUND,
    ),
}
"""Sort of sources by kind."""

EVIDENCE: Mapping[str, str] = {
    **dict.fromkeys(("price", "prices", "shopping"), "the price"),
    "finance": "the value",
    "weather": "the forecast",
    **dict.fromkeys(("sports", "result"), "the result"),
    **dict.fromkeys(("role", "people", "who_is"), "the name"),
    **dict.fromkeys(("events", "schedule"), "the date"),
    "version": "the version number",
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
    **dict.fromkeys(("role", "officeholder"), "Asks who holds an office."),
    "entity": "Asks about a named person, place or thing.",
    "result": "Asks for a result.",
    "schedule": "Asks for a date.",
    "shopping": "Asks for offers or prices.",
    "version": "Asks for a version or a release.",
    "docs": "Asks for documentation.",
    "traffic": "Asks for traffic or delays.",
    "verify": "Asks whether something is true.",
    "lookup": "Asks to look something up.",
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
}
_TASKS: Mapping[str, str] = {
    **dict.fromkeys(SMALL_TALK, "It is small talk."),
    "math": "Can be calculated.",
    "reasoning": "Can be worked out from what the message says.",
    "code": "Code is to be written or explained.",
    "creative": "Something is to be written.",
    "brainstorm": "Ideas are wanted.",
    "roleplay": "The assistant is to play a role.",
    "translate": "A text is to be translated.",
    **dict.fromkeys(("rewrite", "summarize", "extract", "task"), "It brings its own text."),
    "advice": "Asks for general advice.",
    **dict.fromkeys(("timeless", "concept"), "Asks for general knowledge that does not change."),
}
_SEARCH = "Asks for a specific fact."
_ANSWER = "Can be answered without the web."


def reason_of(kind: str, *, search: bool) -> str:
    """Return one sentence for people about a decision of the model."""
    return _REASONS.get(kind, _SEARCH) if search else _TASKS.get(kind, _ANSWER)
