"""Lists of patterns and of words, checked and compiled into one pattern each."""

import re
from collections.abc import Sequence

from pellucid_decision.errors import RulesError

SPACED_LANGUAGES = frozenset({"en", "es", "de", "fr"})
MAX_PATTERNS = 400
MAX_PATTERN_CHARACTERS = 1600
# Letters of a pattern that stand for themselves, not those of an escape such as \\W.
_LETTERS = re.compile(r"(?<!\\)[^\W\d_a-z]")
# A repeat inside a repeat can take exponential time on hostile input, so rules may not have one.
_NESTED_REPEAT = re.compile(r"\([^()]*[*+][^()]*\)\s*[*+]")


def lowered(items: Sequence[str], code: str) -> re.Pattern[str]:
    """Join patterns for lower-case text; words of languages with blanks match whole words only.

    Lower case lets the engine skip alternatives by their first letter.

    Args:
        items: Patterns, any of which may match.
        code: ISO 639-1 code, or "any".

    Raises:
        RulesError: They are none or too many, too long, or not patterns.
    """
    joined = _joined(items, code)
    return _regex(_LETTERS.sub(lambda match: match.group().lower(), joined), code)


def _joined(items: Sequence[str], code: str) -> str:
    if not items or len(items) > MAX_PATTERNS:
        raise RulesError(f"{code}: a pattern list needs 1 to {MAX_PATTERNS} entries")
    for item in items:
        if len(item) > MAX_PATTERN_CHARACTERS or _NESTED_REPEAT.search(item):
            raise RulesError(f"{code}: pattern {item[:40]!r} is too long or repeats a repeat")
    body = f"(?:{'|'.join(items)})"
    if code in SPACED_LANGUAGES:
        body = rf"(?<!\w){body}(?:(?!\w)|(?<=\W))"
    return body


def _regex(body: str, code: str) -> re.Pattern[str]:
    try:
        return re.compile(body)
    except (re.error, OverflowError, RecursionError) as error:
        raise RulesError(f"{code}: pattern does not compile ({error})") from error


def any_of(items: Sequence[str]) -> re.Pattern[str]:
    """Compile literal words for lower-case text; those of ASCII match whole words only.

    Raises:
        RulesError: There are none.
    """
    if not items:
        raise RulesError("matrix: empty word list")
    escaped = [re.escape(item.lower()) for item in items]
    whole = "|".join(item for item in escaped if item.isascii())
    parts = [item for item in escaped if not item.isascii()]
    bounded = [f"(?<![a-z0-9])(?:{whole})(?![a-z0-9])"] if whole else []
    return re.compile("|".join([*parts, *bounded]))
