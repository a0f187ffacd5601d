"""The questions that one message asks, each to be answered by its own."""

import re

from pellucid_gateway.question.plain_text import without_urls

_MOST_PARTS = 4
_LEAST_PART_CHARS = 6
_ASKS_AGAIN = re.compile(r"[?？][\"'”’»)]*\s*")
_JOINT = re.compile(
    r"[,;]?\s+(?:and|und|et|y|e)\s+(?=(?:(?:from|since|by|with|in|on|at|for|to|of|until|ab|seit|bis|von|mit"
    r"|für|zu|um|depuis|jusqu'à|à|de|en|avec|par|pour|desde|hasta|con|por|a)\s+)?(?:who|what|when|where|why|how|which|whose|is|are|was|were|did|does|do|can"
    r"|wer|was|wann|wo|warum|wie|welche\w*|wieviel|ist|sind"
    r"|qui|que|quand|où|pourquoi|comment|quel\w*|combien|est-ce"
    r"|quién|qué|cuándo|dónde|por qué|cómo|cuál\w*|cuánt\w*)\b)",
    re.IGNORECASE,
)
# What the turn before was about, as the standalone question has it at its end.
_CONTEXT = re.compile(r"\s*\([^()]+\)\s*$")


def parts_of(question: str) -> tuple[str, ...]:
    """The questions in a message, at most four; the message itself where it asks one thing.

    >>> parts_of("When did it open, and who paid for it?")
    ('When did it open', 'who paid for it')
    """
    bare = without_urls(question)
    context = _CONTEXT.search(bare)
    asked = bare[: context.start()] if context else bare
    pieces = [part for one in _ASKS_AGAIN.split(asked) for part in _JOINT.split(one)]
    parts = [part.strip(" .!") for part in pieces]
    parts = [part for part in parts if len(part) >= _LEAST_PART_CHARS]
    if len(parts) < 2:  # noqa: PLR2004 - one question is asked as it is
        return (bare.strip() or question,)
    return tuple(f"{part}{context.group() if context else ''}" for part in parts[:_MOST_PARTS])
