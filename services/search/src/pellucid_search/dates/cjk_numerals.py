"""Chinese numerals in dates and times, written as digits."""

import re

_DIGITS = {char: number for number, chars in enumerate(
    ("〇零", "一壹", "二两兩贰", "三叁", "四", "五", "六", "七", "八", "九")
) for char in chars}  # fmt: skip
_UNITS = {"十": 10, "百": 100, "千": 1000}
_NUMERAL = "〇零一二两兩三四五六七八九十百千"
# Only where a unit of time follows, so that "三星" stays a name; "初" begins lunar days.
_BEFORE_UNIT = re.compile(
    rf"初?([{_NUMERAL}]+)(?=\s*(?:[年月日号號天周週点點时時分秒刻]|小时|小時|个|個|岁|$))"
)
_BETWEEN = re.compile(rf"(?<=[月点點])\s*初?([{_NUMERAL}]+)")


def with_digits(text: str) -> str:
    """Return a text whose numerals before units of time are digits.

    >>> with_digits("二〇二四年十二月十五日")
    '2024年12月15日'
    """
    replaced = _BETWEEN.sub(lambda match: str(value_of(match[1])), text)
    return _BEFORE_UNIT.sub(lambda match: str(value_of(match[1])), replaced)


def value_of(numeral: str) -> int:
    """Return the number of a numeral, written out ("三十一") or digit by digit ("二〇二四")."""
    if not any(char in _UNITS for char in numeral):
        return int("".join(str(_DIGITS[char]) for char in numeral))
    total = present = 0
    for char in numeral:
        if char in _UNITS:
            total += (present or 1) * _UNITS[char]
            present = 0
        else:
            present = _DIGITS[char]
    return total + present
