"""Numbers that further states give to a person: by form and check digits, or by the name before.

A form that also stands for other things counts only with its check digit or after its name.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from stdnum import luhn
from stdnum.be import nn
from stdnum.br import cpf
from stdnum.ch import ssn as ch_ssn
from stdnum.cl import rut
from stdnum.fi import hetu
from stdnum.it import codicefiscale
from stdnum.se import personnummer

_ITALY = re.compile(
    r"(?<![A-Z0-9])[A-Z]{6}\d{2}[ABCDEHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?![A-Z0-9])", re.IGNORECASE
)
_MEXICO = re.compile(
    r"(?<![A-Z0-9])[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d(?![A-Z0-9])", re.IGNORECASE
)
_BRAZIL = re.compile(r"(?<![\d.])\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)")
_CHILE = re.compile(r"(?<![\d.])\d{1,2}\.\d{3}\.\d{3}-[\dKk](?![\w])")
_SWITZERLAND = re.compile(r"(?<!\d)756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}(?!\d)")
_BELGIUM = re.compile(r"(?<!\d)\d{2}\.\d{2}\.\d{2}[- ]\d{3}[. -]\d{2}(?!\d)")
_SWEDEN = re.compile(r"(?<![\d-])(?:19|20)?\d{2}(?:0\d|1[0-2])(?:[0-2]\d|3[01])[-+]\d{4}(?![\d-])")
_FINLAND = re.compile(
    r"(?<!\w)(?:[0-2]\d|3[01])(?:0\d|1[0-2])\d{2}[-+A]\d{3}[0-9A-FHJ-NPR-Y](?!\w)"
)
_SINGAPORE = re.compile(r"(?<!\w)[STFG]\d{7}[A-Z](?!\w)", re.IGNORECASE)
_HONG_KONG = re.compile(r"(?<!\w)[A-Z]{1,2}\d{6}\([\dA]\)", re.IGNORECASE)
_TAIWAN = re.compile(r"(?<!\w)[A-Z][12]\d{8}(?!\w)", re.IGNORECASE)
# What stands after such a word and holds at least six digits is the number itself.
_NAMED = re.compile(
    r"""(?:(?<![^\W_])(?:passport|driver'?s?\ licen[cs]e|licen[cs]e\ plate|national\ insurance
      |nino|medicare|nhs|aadhaar|aadhar|pesel|bsn|tfn|cpf|rut|dni|nie|cpr|personnummer|fødselsnummer
      |codice\ fiscale|rijksregisternummer|reisepass|personalausweis\w*|passeport|pasaporte|hkid
      |nric|ssn|ahv|avs|national\ id|identity\ card|health\ card|steuernummer|sozialversicherung\w*
      |curp)(?![^\W_])
      |여권|운전면허|주민등록|주민번호|护照|護照|身份证|身分證|社保|パスポート|免許|旅券)
      [\s\w]{0,3}?(?:\s*(?:number|num|nr|no|id|card|번호|号码|號碼|番号)\b\.?)?
      \s*(?:(?:is|ist|est|es|은|는|は|是)\s*)?[:#=：]?\s*
      (?P<n>[A-Z]{0,4}\d[\dA-Z]*(?:[ ./-][A-Z]{0,2}\d[\dA-Z]*|[ -][A-Z](?!\w))*)""",
    re.IGNORECASE | re.VERBOSE,
)
# Short or common names count only with a valid check digit; the value may stand before, too.
_CHECKED = re.compile(
    r"\b(?:sin|social insurance|nas)\b[^\d\n]{0,12}(?P<n>\d{3}[ -]?\d{3}[ -]?\d{3})(?!\d)"
    r"|(?<!\d)(?P<b>\d{3}[ -]\d{3}[ -]\d{3})\s+(?:sin|nas)\b",
    re.IGNORECASE,
)
_PAN = re.compile(r"\bpan\b[^\d\n]{0,12}?(?P<n>[A-Z]{5}\d{4}[A-Z])(?!\w)", re.IGNORECASE)
_FEWEST_DIGITS = 6
_YEAR = re.compile(r"(?:19|20)\d\d")
_SINGAPORE_WEIGHTS = (2, 7, 6, 5, 4, 3, 2)
_SINGAPORE_CHECKS = {"S": "JZIHGFEDCBA", "T": "GFEDCBAJZIH", "F": "XWUTRQPNMLK", "G": "RQPNMLKXWUT"}
_TAIWAN_LETTERS = "ABCDEFGHJKLMNPQRSTUVXYWZIO"


def find_national_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Yield where such numbers stand."""
    for pattern, is_valid in _FORMS:
        for match in pattern.finditer(text):
            if is_valid(match[0].upper()):
                yield match.span()
    for match in _NAMED.finditer(text):
        if _is_number(match["n"]):
            yield match.span("n")
    for match in _CHECKED.finditer(text):
        group = "n" if match["n"] else "b"
        if luhn.is_valid(_digits(match[group])):
            yield match.span(group)
    for match in _PAN.finditer(text):
        yield match.span("n")


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())


def _is_number(value: str) -> bool:
    """Years after the name of a document belong to its rules, not to a person."""
    groups = re.split(r"[ ./-]", value)
    return len(_digits(value)) >= _FEWEST_DIGITS and not all(map(_YEAR.fullmatch, groups))


def _weighed(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _always(_number: str) -> bool:
    return True


def _singapore(number: str) -> bool:
    total = _weighed(number[1:8], _SINGAPORE_WEIGHTS)
    return _SINGAPORE_CHECKS[number[0]][total % 11] == number[8]


def _taiwan(number: str) -> bool:
    tens, ones = divmod(_TAIWAN_LETTERS.index(number[0]) + 10, 10)
    weights = (1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1)
    return _weighed(f"{tens}{ones}{number[1:]}", weights) % 10 == 0


_FORMS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (_ITALY, codicefiscale.is_valid),
    (_MEXICO, _always),
    (_BRAZIL, cpf.is_valid),
    (_CHILE, rut.is_valid),
    (_SWITZERLAND, ch_ssn.is_valid),
    (_BELGIUM, nn.is_valid),
    (_SWEDEN, personnummer.is_valid),
    (_FINLAND, hetu.is_valid),
    (_SINGAPORE, _singapore),
    (_HONG_KONG, _always),
    (_TAIWAN, _taiwan),
)
