"""Numbers that a state gives to a person, told by form, date and check digits."""

import re
from collections.abc import Callable, Iterator

from stdnum.cn import ric as cn_ric
from stdnum.es import dni as es_dni
from stdnum.es import nie as es_nie
from stdnum.exceptions import ValidationError
from stdnum.fr import nir as fr_nir
from stdnum.kr import rrn as kr_rrn

from pellucid_language.pii.national_numbers import find_national_numbers
from pellucid_language.pii.private_forms import find_document_numbers

_US = re.compile(
    r"(?<![^\W_]-)(?<![^\W_])(?<!\d_)(?P<a>\d{3})(?P<m> ?- ?|[./_]|\s{1,3})(?P<g>\d{2})(?P=m)"
    r"(?P<s>\d{4})(?![^\W_]|-\d|_\d|[./]\d)",
    re.ASCII,
)
_US_PLAIN = re.compile(
    r"(?:(?<![a-z])ssn?\b|(?<![a-z])ssn|social security|\bsocial\b|tax id|\bi?tin\b)[^\d\n]{0,24}"
    r"(?P<n>\d{3}[\s.,_/-]{0,3}\d{2}[\s.,_/-]{0,3}\d{4})(?!\d)",
    re.IGNORECASE,
)
_KOREA = re.compile(r"(?<!\d)(?P<d>\d{6}) ?- ?[1-8]\d{6}(?!\d)")
_CHINA = re.compile(r"(?<![\dA-Za-z])\d{6}(?:18|19|20)\d{9}[\dXx](?![\dA-Za-z])")
_BRITAIN = re.compile(
    r"(?<![A-Za-z0-9])(?!BG|GB|KN|NK|NT|TN|ZZ)[ABCEGHJ-PRSTW-Z][ABCEGHJ-NPRSTW-Z]"
    r"[ -]?\d{2}[ -]?\d{2}[ -]?\d{2}[ -]?[A-D](?![A-Za-z0-9])"
)
_SPAIN = re.compile(r"(?<![A-Za-z0-9])(?P<n>[XYZ]?-?\d{7,8})-?(?P<l>[A-HJ-NP-TV-Z])(?![A-Za-z0-9])")
_FRANCE = re.compile(
    r"(?<!\d)[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}(?!\d)"
)
_JAPAN = re.compile(
    r"(?:マイナンバー|個人番号|my number)[^\d\n]{0,12}(?P<n>\d{4}[ -]?\d{4}[ -]?\d{4})(?!\d)",
    re.IGNORECASE,
)
_GERMANY = re.compile(
    r"(?:steuer-?id(?:entifikationsnummer|nr)?|idnr)\.?[^\d\n]{0,12}"
    r"(?P<n>\d{2} ?\d{3} ?\d{3} ?\d{3})(?!\d)",
    re.IGNORECASE,
)


def find_identity_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Yield where identity numbers stand; places do not overlap."""
    end = -1
    found = (*_own_kinds(text), *find_national_numbers(text), *find_document_numbers(text))
    for start, stop in sorted(found):
        if start >= end:
            yield start, stop
            end = stop


def _own_kinds(text: str) -> Iterator[tuple[int, int]]:
    for pattern, is_valid, group in _KINDS:
        for match in pattern.finditer(text):
            if is_valid(match):
                yield match.span(group)


def _us(match: re.Match[str]) -> bool:
    """Areas 000, 666 and most of 9xx were never given; 9xx with a group 50-99 is a tax number."""
    area, group, serial = match["a"], match["g"], match["s"]
    if area in {"000", "666"} or group == "00" or serial == "0000":
        return False
    return area[0] != "9" or group[0] in "56789"


def _always(_match: re.Match[str]) -> bool:
    return True


def _korea(match: re.Match[str]) -> bool:
    """Since 2020 the last digits are no check digits: the date is what tells."""
    try:
        kr_rrn.get_birth_date(match[0])
    except ValidationError:
        return False
    return True


def _china(match: re.Match[str]) -> bool:
    return cn_ric.calc_check_digit(match[0]) == match[0][-1].upper()


def _spain(match: re.Match[str]) -> bool:
    return es_dni.is_valid(match[0]) or es_nie.is_valid(match[0])


def _france(match: re.Match[str]) -> bool:
    return fr_nir.is_valid(match[0])


_KINDS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], bool], str | int], ...] = (
    (_US, _us, 0),
    (_US_PLAIN, _always, "n"),
    (_KOREA, _korea, 0),
    (_CHINA, _china, 0),
    (_BRITAIN, _always, 0),
    (_SPAIN, _spain, 0),
    (_FRANCE, _france, 0),
    (_JAPAN, _always, "n"),
    (_GERMANY, _always, "n"),
)
