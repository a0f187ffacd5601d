"""Card numbers and bank accounts, told from other numbers by their checksums."""

import re
from collections.abc import Iterator

from stdnum import ean, iban, luhn

_SHORTEST_IBAN = 15
# Two letters, two digits, and as many letters and digits as the longest account has.
_IBAN = re.compile(
    r"(?:(?<![A-Za-z0-9])|(?<=iban))"
    r"(?=(?P<run>[A-Z]{2}(?:[\s./_-]{0,3}\d){2}(?:[\s./_-]{0,3}[A-Z0-9]){11,30}))",
    re.IGNORECASE,
)
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


def find_ibans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where bank account numbers stand that have the form and check sum of their country."""
    for match in _IBAN.finditer(text):
        run = match["run"]
        for length in range(len(run), _SHORTEST_IBAN - 1, -1):
            if run[length - 1].isalnum() and _is_account(run[:length]):
                yield match.start(), match.start() + length
                break


def _is_account(text: str) -> bool:
    compact = "".join(char for char in text.upper() if char.isalnum())
    return bool(iban.is_valid(compact, check_country=False))
