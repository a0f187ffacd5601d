"""Kinds of messages that the model tells apart, and the words that authors had for them."""

from collections.abc import Mapping

KINDS = (
    "advice", "code", "concept", "creative", "docs", "entity", "fact", "finance", "health", "law",
    "local", "math", "news", "product", "result", "rewrite", "role", "schedule", "smalltalk",
    "task", "traffic", "travel", "verify", "version", "weather",
)  # fmt: skip

_SAME: Mapping[str, str] = {
    "timeless": "concept", "everyday": "concept", "reasoning": "math", "brainstorm": "creative",
    "roleplay": "creative", "feeling": "smalltalk", "assistant": "smalltalk", "thanks": "smalltalk",
    "statement": "smalltalk", "translate": "rewrite", "summarize": "rewrite", "extract": "rewrite",
    "classify": "rewrite", "shopping": "product", "price": "product", "prices": "product",
    "hardware": "product", "appliance": "product", "car": "product", "game": "product",
    "sports": "result", "legal": "law", "visa": "law", "tax": "law", "transport": "traffic",
    "officeholder": "role", "people": "entity", "person": "entity", "who_is": "entity",
    "company": "entity", "place": "local", "places": "local", "events": "schedule",
    "tv": "schedule",
    "entertainment": "schedule",
    "politics": "news", "api": "docs", "niche_docs": "docs",
    "changelog": "version", "cloud": "docs", "factcheck": "verify", "science": "fact",
    "definition": "fact", "lookup": "fact", "media": "entity", "opinion": "advice",
    "frontend_task": "task", "command": "task",
}  # fmt: skip


def kind_of(row: Mapping[str, object]) -> str | None:
    """Return the kind that an author's word stands for; None for words of another sort."""
    kind = _SAME.get(str(row.get("kind")), str(row.get("kind")))
    if kind == "code" and row["search"]:
        return "docs"
    return kind if kind in KINDS else None
