"""Card numbers and bank accounts, told from other numbers by their checksums."""

import re
from collections.abc import Iterator, Mapping

from stdnum import ean, luhn
from stdnum.iso7064 import mod_97_10

# Country code -> length. Source: IBAN registry, ISO 13616.
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
    "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28,
    "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23,
    "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
    "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20,
    "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30,
    "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22,
    "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23,
    "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip
_IBAN_START = re.compile(
    r"(?:(?<![A-Za-z0-9])|(?<=iban))[A-Z]{2}[\s./_-]{0,3}\d{2}(?=[\s./_-]{0,3}[A-Z0-9])",
    re.IGNORECASE,
)
_SEPARATORS = frozenset(" \t\n-./_")
# Words after "at 10" are no account: there is none with fewer digits.
_FEWEST_IBAN_DIGITS = 8
_DIGIT_RUN = re.compile(r"(?<!\d)\d(?:[\s./_,|:;*+~\u30fb\u3001-]{0,3}\d){11,63}(?!\d)")
# Between the groups of a card; between single digits these rather make a list.
_LIST_MARK = re.compile(r"[^\d ./_-]")
_SHORTEST_GROUP = 3
_BAR_CODE = 13
# First digits and lengths of the card networks. Source: ISO/IEC 7812 ranges in public use.
_CARD = re.compile(
    r"""4(?:\d{12}|\d{15}|\d{18})             # Visa
    | 5[1-5]\d{14} | 2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}   # Mastercard
    | 3[47]\d{13}                             # American Express
    | 3(?:0[0-5]|[68]\d)\d{11} | 36\d{12} | 3[89]\d{14}                  # Diners Club
    | 6(?:011|5\d\d|4[4-9]\d)\d{12,15}        # Discover
    | 35(?:2[89]|[3-8]\d)\d{12,15}            # JCB
    | 62\d{14,17} | 81\d{14}                  # UnionPay
    | (?:5[06-9]|6\d)\d{10,17}                # Maestro
    | 220[0-4]\d{12} | 9792\d{12} | 60\d{14}  # Mir, Troy, RuPay
    """,
    re.VERBOSE,
)
# Next to such a word every number with a right check digit is a card's, whatever its network.
_CARD_WORD = re.compile(
    r"\b(?:cards?|visa|master ?card|amex|american express|jcb|discover|diners|maestro|union ?pay"
    r"|rupay|mir|troy|debit|credit|cc|carte|carta|tarjeta|(?:kredit|giro|bank)?karte)\b|카드|卡|カード",
    re.IGNORECASE,
)
_NEAR = 40
_SHORTEST_CARD = 12
_LONGEST_CARD = 19


def find_cards(text: str) -> Iterator[tuple[int, int]]:
    """Yield where card numbers stand, whatever separates their digits."""
    for match in _DIGIT_RUN.finditer(text):
        named = _CARD_WORD.search(text[max(0, match.start() - _NEAR) : match.start()])
        yield from _cards_in_run(text, match.start(), match.end(), of_any_network=named is not None)


def _cards_in_run(
    text: str, start: int, end: int, *, of_any_network: bool
) -> Iterator[tuple[int, int]]:
    """A run may hold an expiry date or a security code after the number: try its parts."""
    places = [index for index in range(start, end) if text[index].isdigit()]
    first = 0
    while len(places) - first >= _SHORTEST_CARD:
        if not _begins_group(text, places, first):
            first += 1
            continue
        length = _card_length(text, places, first, of_any_network=of_any_network)
        if length:
            yield places[first], places[first + length - 1] + 1
        first += length or 1


def _begins_group(text: str, places: list[int], first: int) -> bool:
    return first == 0 or not text[places[first] - 1].isdigit()


def _card_length(text: str, places: list[int], first: int, *, of_any_network: bool) -> int:
    for length in range(min(_LONGEST_CARD, len(places) - first), _SHORTEST_CARD - 1, -1):
        last = first + length
        ends_group = last == len(places) or not text[places[last] - 1].isdigit()
        digits = "".join(text[index] for index in places[first:last])
        shown = text[places[first] : places[last - 1] + 1]
        if _is_product(digits):
            continue
        is_known = of_any_network or _CARD.fullmatch(digits)
        if ends_group and is_known and luhn.is_valid(digits) and _is_grouped(shown):
            return length
    return 0


def _is_product(digits: str) -> bool:
    """Thirteen digits with the check digit of a bar code (EAN-13); no network but an old one."""
    return len(digits) == _BAR_CODE and digits[0] != "4" and ean.is_valid(digits)


def _is_grouped(shown: str) -> bool:
    """Commas and colons stand between groups, not between digits; unequal small groups count."""
    sizes = {len(group) for group in re.findall(r"\d+", shown)[:-1]}
    if len(sizes) > 1 and max(sizes) < _SHORTEST_GROUP:
        return False
    if not _LIST_MARK.search(shown):
        return True
    groups = re.findall(r"\d+", shown)
    return all(len(group) >= _SHORTEST_GROUP for group in groups[:-1])


def iban_countries() -> Mapping[str, int]:
    """Return the length of an account number by country code."""
    return _IBAN_LENGTHS


def find_ibans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where bank account numbers with a right check sum stand."""
    for match in _IBAN_START.finditer(text):
        length = _IBAN_LENGTHS.get(match[0][:2].upper())
        end = _end_of(text, match.start(), length) if length else 0
        digits = sum(char.isdigit() for char in text[match.end() : end])
        if end and digits >= _FEWEST_IBAN_DIGITS and _is_account(text[match.start() : end]):
            yield match.start(), end


def _is_account(text: str) -> bool:
    compact = "".join(char for char in text.upper() if char.isalnum())
    return bool(mod_97_10.is_valid(compact[4:] + compact[:4]))


def _end_of(text: str, start: int, length: int) -> int:
    """Return where `length` letters and digits end; 0 when there are not as many."""
    seen = 0
    for index in range(start, len(text)):
        if text[index].isascii() and text[index].isalnum():
            seen += 1
            if seen == length:
                return index + 1
        elif text[index] not in _SEPARATORS:
            return 0
    return 0
