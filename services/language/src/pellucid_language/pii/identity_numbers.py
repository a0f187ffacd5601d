"""Numbers that a state gives to a person, told by form, date and check digits.

A form that also stands for other things counts only with its check digit or after its name.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from stdnum import luhn
from stdnum.be import nn
from stdnum.br import cpf
from stdnum.ch import ssn as ch_ssn
from stdnum.cl import rut
from stdnum.cn import ric
from stdnum.es import dni, nie
from stdnum.exceptions import ValidationError
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.it import codicefiscale
from stdnum.kr import rrn
from stdnum.mx import curp
from stdnum.se import personnummer
from stdnum.us import ssn

from pellucid_language.pii.private_forms import find_document_numbers

_FEWEST_DIGITS = 6
_YEAR = re.compile(r"(?:19|20)\d\d")
_SINGAPORE_WEIGHTS = (2, 7, 6, 5, 4, 3, 2)
_SINGAPORE_CHECKS = {"S": "JZIHGFEDCBA", "T": "GFEDCBAJZIH", "F": "XWUTRQPNMLK", "G": "RQPNMLKXWUT"}
_TAIWAN_LETTERS = "ABCDEFGHJKLMNPQRSTUVXYWZIO"


def find_identity_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Yield where identity numbers stand; places do not overlap."""
    end = -1
    for start, stop in sorted((*_numbers(text), *find_document_numbers(text))):
        if start >= end:
            yield start, stop
            end = stop


def _numbers(text: str) -> Iterator[tuple[int, int]]:
    for pattern, is_valid in _FORMS:
        group = pattern.groupindex.get("n", 0)
        for match in pattern.finditer(text):
            if is_valid(match[group].upper()):
                yield match.span(group)


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())


def _always(_number: str) -> bool:
    return True


def _us(number: str) -> bool:
    """Of tax numbers the library knows the groups from 70 on, but 50 to 65 are given as well."""
    digits = _digits(number)
    is_tax_number = digits[0] == "9" and digits[3] in "56789" and digits[5:] != "0000"
    return is_tax_number or bool(ssn.is_valid(digits))


def _korea(number: str) -> bool:
    """Since 2020 the last digits are no check digits: the date is what tells."""
    try:
        rrn.get_birth_date(number)
    except ValidationError:
        return False
    return True


def _spain(number: str) -> bool:
    return bool(dni.is_valid(number) or nie.is_valid(number))


def _china(number: str) -> bool:
    return bool(ric.calc_check_digit(number) == number[-1])


def _canada(number: str) -> bool:
    return bool(luhn.is_valid(_digits(number)))


def _singapore(number: str) -> bool:
    total = _weighed(number[1:8], _SINGAPORE_WEIGHTS)
    return _SINGAPORE_CHECKS[number[0]][total % 11] == number[8]


def _taiwan(number: str) -> bool:
    tens, ones = divmod(_TAIWAN_LETTERS.index(number[0]) + 10, 10)
    weights = (1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1)
    return _weighed(f"{tens}{ones}{number[1:]}", weights) % 10 == 0


def _weighed(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _is_no_year(number: str) -> bool:
    """Years after the name of a document belong to its rules, not to a person."""
    groups = re.split(r"[ ./-]", number)
    return len(_digits(number)) >= _FEWEST_DIGITS and not all(map(_YEAR.fullmatch, groups))


_TABLE: tuple[tuple[str, Callable[[str], bool]], ...] = (
    (
        (
            r"(?<![^\W_]-)(?<![^\W_])(?<!\d_)(?a:\d{3}(?P<m> ?- ?|[./_]|\s{1,3})\d{2}(?P=m)\d{4})"
            r"(?![^\W_]|-\d|_\d|[./]\d)"
        ),
        _us,
    ),
    (
        (
            r"(?i:(?<![a-z])ssn?\b|(?<![a-z])ssn|social security|\bsocial\b|tax id|\bi?tin\b)"
            r"[^\d\n]{0,24}(?P<n>\d{3}[\s.,_/-]{0,3}\d{2}[\s.,_/-]{0,3}\d{4})(?!\d)"
        ),
        _always,
    ),
    (r"(?<!\d)\d{6} ?- ?[1-8]\d{6}(?!\d)", _korea),
    (r"(?<![\dA-Za-z])\d{6}(?:18|19|20)\d{9}[\dXx](?![\dA-Za-z])", _china),
    (  # Britain
        (
            r"(?<![A-Za-z0-9])(?!BG|GB|KN|NK|NT|TN|ZZ)[ABCEGHJ-PRSTW-Z][ABCEGHJ-NPRSTW-Z]"
            r"[ -]?\d{2}[ -]?\d{2}[ -]?\d{2}[ -]?[A-D](?![A-Za-z0-9])"
        ),
        _always,
    ),
    (r"(?<![A-Za-z0-9])[XYZ]?-?\d{7,8}-?[A-HJ-NP-TV-Z](?![A-Za-z0-9])", _spain),
    (
        (
            r"(?<!\d)[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB])"
            r" ?\d{3} ?\d{3} ?\d{2}(?!\d)"
        ),
        nir.is_valid,
    ),
    (
        r"(?i:マイナンバー|個人番号|my number)[^\d\n]{0,12}(?P<n>\d{4}[ -]?\d{4}[ -]?\d{4})(?!\d)",
        _always,
    ),
    (  # Germany
        (
            r"(?i:steuer-?id(?:entifikationsnummer|nr)?|idnr)\.?[^\d\n]{0,12}"
            r"(?P<n>\d{2} ?\d{3} ?\d{3} ?\d{3})(?!\d)"
        ),
        _always,
    ),
    (
        r"(?i)(?<![A-Z0-9])[A-Z]{6}\d{2}[ABCDEHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?![A-Z0-9])",
        codicefiscale.is_valid,
    ),
    (r"(?i)(?<![A-Z0-9])[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d(?![A-Z0-9])", curp.is_valid),
    (r"(?<![\d.])\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)", cpf.is_valid),
    (r"(?<![\d.])\d{1,2}\.\d{3}\.\d{3}-[\dKk](?![\w])", rut.is_valid),
    (r"(?<!\d)756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}(?!\d)", ch_ssn.is_valid),
    (r"(?<!\d)\d{2}\.\d{2}\.\d{2}[- ]\d{3}[. -]\d{2}(?!\d)", nn.is_valid),
    (
        r"(?<![\d-])(?:19|20)?\d{2}(?:0\d|1[0-2])(?:[0-2]\d|3[01])[-+]\d{4}(?![\d-])",
        personnummer.is_valid,
    ),
    (
        r"(?<!\w)(?:[0-2]\d|3[01])(?:0\d|1[0-2])\d{2}[-+A]\d{3}[0-9A-FHJ-NPR-Y](?!\w)",
        hetu.is_valid,
    ),
    (r"(?i)(?<!\w)[STFG]\d{7}[A-Z](?!\w)", _singapore),
    (r"(?i)(?<!\w)[A-Z]{1,2}\d{6}\([\dA]\)", _always),  # Hong Kong
    (r"(?i)(?<!\w)[A-Z][12]\d{8}(?!\w)", _taiwan),
    # Short or common names count only with a valid check digit; the value may stand before, too.
    (
        r"(?i:\b(?:sin|social insurance|nas)\b)[^\d\n]{0,12}(?P<n>\d{3}[ -]?\d{3}[ -]?\d{3})(?!\d)",
        _canada,
    ),
    (r"(?<!\d)(?P<n>\d{3}[ -]\d{3}[ -]\d{3})\s+(?i:sin|nas)\b", _canada),
    (r"(?i)\bpan\b[^\d\n]{0,12}?(?P<n>[A-Z]{5}\d{4}[A-Z])(?!\w)", _always),  # India
    # What stands after such a word and holds at least six digits is the number itself.
    (
        r"""(?ix)(?:(?<![^\W_])(?:passport|driver'?s?\ licen[cs]e|licen[cs]e\ plate
      |national\ insurance|nino|medicare|nhs|aadhaar|aadhar|pesel|bsn|tfn|cpf|rut|dni|nie|cpr
      |personnummer|fødselsnummer|codice\ fiscale|rijksregisternummer|reisepass|personalausweis\w*
      |passeport|pasaporte|hkid|nric|ssn|ahv|avs|national\ id|identity\ card|health\ card
      |steuernummer|sozialversicherung\w*|curp)(?![^\W_])
      |여권|운전면허|주민등록|주민번호|护照|護照|身份证|身分證|社保|パスポート|免許|旅券)
      [\s\w]{0,3}?(?:\s*(?:number|num|nr|no|id|card|번호|号码|號碼|番号)\b\.?)?
      \s*(?:(?:is|ist|est|es|은|는|は|是)\s*)?[:#=：]?\s*
      (?P<n>[A-Z]{0,4}\d[\dA-Z]*(?:[ ./-][A-Z]{0,2}\d[\dA-Z]*|[ -][A-Z](?!\w))*)""",
        _is_no_year,
    ),
)
_FORMS = tuple((re.compile(pattern), is_valid) for pattern, is_valid in _TABLE)
