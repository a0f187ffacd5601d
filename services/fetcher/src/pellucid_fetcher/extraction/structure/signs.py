"""Raised and lowered signs, whose place on the line is part of what they say.

Ten to the seventh is no hundred and seven, and a note's number is no digit of the figure before it.
Which of these a raised figure is, is told by what stands around it.
"""

import re
from typing import Final

from pellucid_fetcher.extraction.structure.blocks import clean

_MAX_SIGN: Final = 20  # longer is a remark that is only set small
_FIGURE: Final = re.compile(r"[+\-−–]?\d+(?:[.,]\d+)?[+\-−–]?")
_SIGNED: Final = re.compile(r"[+\-−–]")
_NOTE_MARK: Final = re.compile(r"[*†‡§¶#]+|[™®©℠]|TM|SM")
_DEGREE: Final = frozenset({"o", "°", "º", "0"})
_ORDINAL: Final = re.compile(r"[^\W\d_]{2,4}|[eoaªº]", re.IGNORECASE)
_ABBREVIATED: Final = re.compile(r"(?:^|[^\w])[A-ZÉ][a-z]?$")
_CURRENCY_BEFORE: Final = re.compile(r"[$€£¥₹]\s?\d[\d.,]*$")
_CURRENCY_AFTER: Final = re.compile(r"\s?[$€£¥₹]")
_NUMBER: Final = re.compile(r"(?<![\w.,])\d[\d.,  ]*$")
# Of a number alone a power is read where it is the usual base, or amid a calculation.
_POWER_BASE: Final = re.compile(r"(?:^|[^\d.,])(?:10|\d)$")
_CALCULATED: Final = re.compile(r"[=×*+−·^<>≤≥≈]\s*[\d.]+$")
_CALCULATES: Final = re.compile(r"\s*[=×*+−·^<>≤≥≈]")
# A sign of one letter, a unit behind its number or a stroke, or one of the units of length.
_QUANTITY: Final = re.compile(
    r"(?:^|[^^\W\d_]|\b)(?<![^\W\d_])(?:[^\W\d_]|(?<=[\d/·])[^\W\d_]{1,3}|(?<=\d[  ])[^\W\d_]{1,3}"
    r"|[munpkcd]m|ft|yd|sin|cos|tan|log|ln)$"
)
_BRACKET: Final = re.compile(r"\((?![^()]*[^\W\d_]{3})[^()]*\)$")
_SYMBOL: Final = re.compile(r"[A-Z][a-z]?(?![a-z])")
_LOWERED: Final = str.maketrans("0123456789+-−", "₀₁₂₃₄₅₆₇₈₉₊₋₋")
_HUNDREDTHS: Final = 2
_STROKES: Final = ("/", "⁄", "∕")


def raised(before: str, sign: str, after: str, *, is_link: bool = False) -> str:
    """Write a raised sign: as a power, a note, an ordinal, a part of a fraction or a price.

    Args:
        before: What stands before it in its line.
        sign: The raised text.
        after: What follows, or as much of it as is known.
        is_link: It leads elsewhere, as the number of a note does.

    >>> raised("2 × 10", "7", " photons"), raised("1,204", "3", " ships")
    ('^7', '[3]')
    >>> raised("the 1", "st", " of May"), raised("1", "1", "/"), raised("20 dm", "3", "")
    ('st', ' 1', '^3')
    """
    sign = clean(sign)
    if not sign or sign[0] in "[(" or _NOTE_MARK.fullmatch(sign):
        return sign
    if len(sign) > _MAX_SIGN:
        return f" {sign} "
    if is_link:
        return f"[{sign}]"
    if sign in _DEGREE and before[-1:].isdigit() and after[:1] in ("C", "F", "K"):
        return "°"
    if _FIGURE.fullmatch(sign):
        return _raised_figure(before, sign, after)
    return _raised_letters(before, sign, after)


def _raised_figure(before: str, sign: str, after: str) -> str:
    if after.startswith(_STROKES):
        return f" {sign}" if before[-1:].isdigit() else sign
    if len(sign) == _HUNDREDTHS and (
        _CURRENCY_BEFORE.search(before) or (before[-1:].isdigit() and _CURRENCY_AFTER.match(after))
    ):
        return f".{sign}"
    if not before.strip() or before[-1:].isspace():
        # The mass of an isotope, or the number of a note where it is told.
        return f"^{sign}" if _SYMBOL.match(after) else f"[{sign}]{' ' * after[:1].isalnum()}"
    is_power = (
        _SIGNED.search(sign)
        or _POWER_BASE.search(before)
        or _CALCULATED.search(before)
        or (before[-1:].isdigit() and _CALCULATES.match(after))
        or _QUANTITY.search(before)
        or _BRACKET.search(before)
        or before[-1] in "₀₁₂₃₄₅₆₇₈₉"
    )
    return _power(sign, after) if is_power else f"[{sign}]"


def _raised_letters(before: str, sign: str, after: str) -> str:
    last = before[-1:]
    if sign.isalpha():
        if last.isdigit() and _ORDINAL.fullmatch(sign):
            return sign
        if _ABBREVIATED.search(before) and (len(sign) > 1 or sign in "eor"):
            return sign
        if last.isalpha() and not _QUANTITY.search(before):
            return f"[{sign}]" if len(sign) == 1 else f" {sign}"
    if not last or last.isspace():
        return sign
    return _power(sign, after)


def _power(sign: str, after: str) -> str:
    is_plain = re.fullmatch(r"[+\-−–]?(?:\d+(?:[.,]\d+)?|[^\W\d_])|\d*[+\-−]", sign)
    runs_on = after[:1].isalnum()
    return f"^{sign}" if is_plain and not runs_on else f"^({sign})"


def lowered(before: str, sign: str, after: str) -> str:
    """Write a lowered sign: figures as lowered figures, all else behind a low line.

    >>> lowered("CaSO", "4", ""), lowered("x", "max", " is"), lowered("1 1/", "2", " cups")
    ('₄', '_max', '2')
    """
    sign = clean(sign)
    if not sign or not before.strip() or before[-1].isspace() or before.endswith(_STROKES):
        return sign
    if re.fullmatch(r"[\d+\-−]+", sign):
        return sign.translate(_LOWERED)
    if len(sign) > _MAX_SIGN:
        return f" {sign} "
    is_plain = re.fullmatch(r"\w+", sign) and not after[:1].isalnum()
    return f"_{sign}" if is_plain else f"_({sign})"
