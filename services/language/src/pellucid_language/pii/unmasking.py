"""Brings a text into the form in which personal data are looked for."""

import re
import unicodedata

from pellucid_language.folding import compatible

# Shown as nothing; put between digits they would hide a number.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]"
)
_DASHES = re.compile("[\u2010-\u2015\u2043\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d]")
_MARKS_LOOKING_LIKE_DOTS = str.maketrans(
    {"\u2024": ".", "\u3002": ".", "\uff0e": ".", "\u00b7": "."}
)
_LONG_BLANK = re.compile(r"\s{3,}")


def unmasked(text: str) -> str:
    """Return the NFKC form with ASCII digits and dashes and without invisible characters.

    Long runs of blanks are cut short: finders look for what stands a few blanks apart, and would
    take a time that grows with the square of a run.

    >>> unmasked("\uff14\uff11\uff11\uff11\u20111111")
    '4111-1111'
    """
    text = _LONG_BLANK.sub(_short_blank, text)
    if text.isascii():
        return text
    shown = _DASHES.sub("-", _INVISIBLE.sub("", compatible(text)))
    return "".join(_ascii_digit(char) for char in shown).translate(_MARKS_LOOKING_LIKE_DOTS)


def _short_blank(run: re.Match[str]) -> str:
    return "\n\n" if "\n" in run.group() else "  "


def _ascii_digit(char: str) -> str:
    if char.isascii():
        return char
    value = unicodedata.decimal(char, None)
    return char if value is None else str(value)
