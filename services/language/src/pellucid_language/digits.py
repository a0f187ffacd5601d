"""What a number written in digits may mean: notations differ by country and script."""

import re
from collections.abc import Mapping

_GROUPED = re.compile(r"^\d{1,3}(?:[.,’' \u00a0\u202f]\d{3})+$")
# A number of several parts, as in 4만 5천 or 2万4000.
_LEAD = r"\d[\d,]*(?:\.\d+)?\s?[조兆억亿億만万萬천千]"
_MORE = r"(?:\s?\d[\d,]*(?:\.\d+)?\s?[억亿億만万萬천千백百])"
_REST = r"\s?\d[\d,]*(?![\d.,]|\s?[조兆억亿億만万萬천千백百년年월月일日])"
_COMPOUND = re.compile(rf"{_LEAD}(?:{_MORE}+(?:{_REST})?|{_REST})")
_COMPOUND_PART = re.compile(r"(\d[\d,]*(?:\.\d+)?)\s?([조兆억亿億만万萬천千백百]?)")
_COMPOUND_SCALES = {
    "조": 1e12, "兆": 1e12, "억": 1e8, "亿": 1e8, "億": 1e8, "만": 1e4, "万": 1e4, "萬": 1e4,
    "천": 1e3, "千": 1e3, "백": 1e2, "百": 1e2, "": 1.0,
}  # fmt: skip


def joined(text: str) -> str:
    """The text with each number of several parts as one.

    >>> joined("4만 5천")
    '45000'
    """
    return _COMPOUND.sub(_summed, text)


def _summed(match: re.Match[str]) -> str:
    """Digits for a number of several parts."""
    parts = _COMPOUND_PART.findall(match.group())
    whole = sum(float(n.replace(",", "")) * _COMPOUND_SCALES[scale] for n, scale in parts)
    return f"{round(whole)}"


def readings(written: str) -> Mapping[float, float]:
    """Values that digits may mean, each with one unit of its last digit that is not nought."""
    raw = written.lstrip("-−")
    bare = re.sub(r"[’' \u00a0\u202f]", "", raw)
    if "," in bare and "." in bare:
        decimal = max(",.", key=bare.rindex)
        bare = bare.replace("." if decimal == "," else ",", "").replace(decimal, ".")
    found = {bare.replace(",", "."), bare.replace(",", "")}
    grouped = re.sub(r"[.,]", "", bare) if _GROUPED.match(raw) else ""
    if grouped:
        found.add(grouped)
    return {float(r): grain(grouped or r) for r in found if r.count(".") <= 1}


def grain(digits: str) -> float:
    """One unit of the last digit that is not nought."""
    whole, point, decimals = digits.partition(".")
    if point:
        return float(10.0 ** -len(decimals))
    return float(10.0 ** (len(whole) - len(whole.rstrip("0"))))
