"""Years of other eras, and weekdays in brackets, brought into the form of an ordinary date."""

import re

from pellucid_language.scripts import THAI

# First year of each era less one.
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}
_NAMED_YEAR = re.compile(r"(?P<era>令和|平成|昭和|民國|民国)\s*(?P<n>\d{1,3}|元)\s*(?=年)")
_SHORT_YEAR = re.compile(r"^R(?P<n>\d{1,2})(?=[./年])")
_CUT_YEAR = re.compile(r"^['’](?P<n>\d{2})(?=[./-]\d)")
_BUDDHIST_YEAR = re.compile(r"(?<!\d)25[4-9]\d(?!\d)")
_THAI = re.compile(f"[{THAI}]")
_BUDDHIST_OFFSET = 543
_DAY_IN_BRACKETS = re.compile(
    r"\s*\([月火水木金土日一二三四五六월화수목금토일](?:曜日?|요일)?\)\s*"
)


def in_common_form(text: str) -> str:
    """Return a date text in NFKC with years of the common era.

    >>> in_common_form("令和6年12月15日(日)")
    '2024年12月15日 '
    >>> in_common_form("民國113年1月2日")
    '2024年1月2日'
    """
    text = _CUT_YEAR.sub(r"20\g<n>", text)
    if text.isascii():
        return _SHORT_YEAR.sub(_reiwa, text)
    plain = _NAMED_YEAR.sub(_named, _DAY_IN_BRACKETS.sub(" ", text))
    return _BUDDHIST_YEAR.sub(_buddhist, plain) if _THAI.search(plain) else plain


def _named(match: re.Match[str]) -> str:
    number = 1 if match["n"] == "元" else int(match["n"])
    return str(_ERAS[match["era"]] + number)


def _reiwa(match: re.Match[str]) -> str:
    return str(_ERAS["令和"] + int(match["n"]))


def _buddhist(match: re.Match[str]) -> str:
    return str(int(match[0]) - _BUDDHIST_OFFSET)
