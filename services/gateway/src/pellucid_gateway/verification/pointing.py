"""Sentences that only point at an address ("See … for more"): without the address they say nothing.

And what an address leaves behind when it is taken out of brackets.
"""

import re

_POINTING = re.compile(
    r"^\W*(?:(?:please |you can )?(?:see|visit|go to|check|click|read|find|learn|look)\b"
    r"|(?:for )?(?:more|further|full|additional) (?:information|info|details|on|at|about|here)\b"
    r"|sources?:|link:|siehe|besuchen sie|mehr (?:dazu|unter|infos|informationen)|weitere "
    r"informationen|voir|visitez|consultez|pour (?:plus|en savoir)|plus d['’]inf"
    r"|ver\b|véase|visita|consulta|más información|para más"
    r"|자세한|더 (?:많은|자세한)|출처|詳しく|詳細|参照|出典|详见|更多|请(?:访问|参阅|见|看)|来源)",
    re.IGNORECASE,
)
_MOST_WORDS = 9
_MOST_CHARS = 60
# An opened bracket whose content is still to come, at most with a word that points.
_OPENED = re.compile(
    r"(?:(?<![ \t])[ \t]++)?[(（](?:\s|[,;:]|\b(?:see|also|source|sources|via|siehe|quelle|vgl|voir"
    r"|cf|ver|fuente|출처|参照|出典|来源|详见)\b\.?)*$",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"\s*[)）]")


def only_points(sentence: str) -> bool:
    """Whether a sentence, its address already gone, says nothing but where to look.

    >>> only_points("See for more."), only_points("See how the toll rose to 9 crowns in 2026.")
    (True, False)
    """
    bare = sentence.strip()
    short = len(bare.split()) <= _MOST_WORDS and len(bare) <= _MOST_CHARS
    return short and bool(_POINTING.match(bare)) and not re.search(r"\d", bare)


def may_point(beginning: str) -> bool:
    """Whether a sentence that begins so may turn out to point only."""
    return bool(_POINTING.match(beginning)) or len(beginning.split()) <= 2  # noqa: PLR2004 - the longest opening that tells nothing yet


def opened_bracket(text: str, following: str) -> int:
    """Offset of a bracket that is opened at the end of a text, closed right after, and empty.

    Returns:
        The length of the text when there is none.
    """
    match = _OPENED.search(text)
    return match.start() if match and _CLOSING.match(following) else len(text)


def without_closing(text: str) -> str:
    """The text after an empty bracket, without what closes it."""
    return _CLOSING.sub("", text, count=1)


def settled_end(text: str) -> int:
    """Offset of an opened bracket whose content may still turn out to be an address."""
    match = _OPENED.search(text)
    return match.start() if match else len(text)
