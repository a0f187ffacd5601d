"""E-mail addresses, IP addresses and phone numbers."""

import ipaddress
import re
from collections.abc import Iterator

import phonenumbers
from phonenumbers import Leniency, PhoneNumberMatcher

_EMAIL = re.compile(
    r"(?<![\w.+@-])[\w][\w.+%'-]{0,63}[\"']?(?:\s?@\s?|%40)"
    r"(?:(?:[\w](?:[\w-]{0,62})\.)+[^\W\d_][\w-]{1,62}|\[[0-9A-Fa-f.:IPvip]{3,45}\])"
)
_AT = r"[(\[{<](?:at|a|ät|@)[)\]}>]|_at_|-at-|골뱅이|アットマーク"
_DOT_WORDS = "dot|punto|punkt|point"
_DOT = rf"[(\[{{<](?:{_DOT_WORDS}|\.)[)\]}}>]|[-_]dot[-_]"
_LABEL = r"[^\W_](?:-{0,2}[^\W_]){0,62}?"
# "name at example dot com", with or without brackets, is meant to be read as an address.
_SPELLED = re.compile(
    rf"(?<![\w.])[\w.+-]{{1,64}}?(?:\s+(?:{_DOT_WORDS})\s+[\w+-]{{1,32}}?){{0,2}}"
    rf"\s*(?:{_AT}|\s+(?:at|arroba)\s+)\s*(?!(?:the|an?)\s){_LABEL}"
    rf"(?:\s*(?:{_DOT}|\s+(?:{_DOT_WORDS})\s+|\.)\s*{_LABEL}){{0,3}}"
    rf"\s*(?:{_DOT}|\s+(?:{_DOT_WORDS})\s+|\.)\s*"
    r"(?:com|org|net|edu|gov|info|biz|io|ai|app|dev|me|tv|eu|uk|us|ca|au|in|de|at|ch|fr|es|it|nl|be|kr|jp|cn|tw|ie|nz|pt|br|mx|pl|se|no|dk|fi|ru|example|museum|travel|online|xyz)\b",
    re.IGNORECASE,
)
_IS_SPELLED = re.compile(
    rf"{_AT}|[-_]dot[-_]|\b(?:{_DOT_WORDS})\b|골뱅이|アットマーク", re.IGNORECASE
)
# Reports of attacks break the dots ("192[.]0[.]2[.]1"), so that nobody follows the address.
_BROKEN_DOT = re.compile(r"\[\.\]|\(\.\)|\[dot\]", re.IGNORECASE)
_IPV4 = re.compile(
    r"(?<![\w.-])(?:\d{1,3}(?:\.|\[\.\]|\(\.\)|\[dot\])){3}\d{1,3}(?:/\d{1,2})?(?![\w-]|\.\d)",
    re.IGNORECASE,
)
_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:%\w+)?(?![\w:])")
# Addresses that everybody uses by number: resolvers, usual addresses of routers, the clouds' own.
_EVERYBODYS = frozenset(
    ipaddress.ip_address(address)
    for address in (
        *("8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "1.1.1.2", "1.1.1.3", "9.9.9.9", "9.9.9.10"),
        *("149.112.112.112", "208.67.222.222", "208.67.220.220", "94.140.14.14", "94.140.15.15"),
        *("76.76.2.0", "76.76.10.0", "4.2.2.1", "4.2.2.2", "64.6.64.6", "64.6.65.6", "77.88.8.8"),
        *("77.88.8.1", "114.114.114.114", "223.5.5.5", "223.6.6.6", "119.29.29.29", "180.76.76.76"),
        *("168.126.63.1", "168.126.63.2", "164.124.101.2", "185.228.168.9", "84.200.69.80"),
        *("2001:4860:4860::8888", "2001:4860:4860::8844", "2606:4700:4700::1111"),
        *("2606:4700:4700::1001", "2620:fe::fe", "192.168.0.1", "192.168.1.1", "192.168.1.254"),
        *("192.168.2.1", "192.168.100.1", "192.168.178.1", "10.0.0.1", "169.254.169.254"),
    )
)
_MAC = re.compile(
    r"(?<![\w:-])(?:[0-9A-Fa-f]{2}([:-]))(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:-])"
    r"|(?<![\w.])[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?![\w.])"
)
# Examples and the address of all.
_NOBODYS_MAC = re.compile(r"aabbccddeeff|001122334455|(.)\1{11}|0123456789ab|112233445566")
# Four numbers after one of these words are a version or a section, not an address.
_BEFORE_VERSION = re.compile(
    r"(?:\bv|\bver\.?|\bversion|\brelease|\bbuild|\bfirmware|\bsection|§|\bchrome|\bchapter"
    r"|버전|版本|バージョン|versión|versione)\s*$",
    re.IGNORECASE,
)
# No phone number is shorter. Looking through all countries costs a millisecond, this nothing.
_LONG_RUN = re.compile(r"(?:\d[\W_]{0,5}){7}")
# National formats are looked for in the countries of the product's languages and in populous ones
# whose formats no part number or order number of the look-alike table resembles.
_REGIONS = (
    "US", "GB", "KR", "JP", "CN", "DE", "FR", "ES", "RU", "IN", "BR", "IT", "AU", "AT", "TR",
)  # fmt: skip
_CALLING = re.compile(
    r"\b(?:call(?:ed|er|ing|s)?|phones?|telephone|tel|mobile|cell|fax|whatsapp|sms|texted|dial"
    r"|anruf|telefon\w*|handy|rufnummer|appel\w*|téléphone|portable|llam\w+|teléfono|móvil)\b"
    r"|전화|휴대폰|연락처|핸드폰|电话|電話|手机|手機|号码|携帯|微信",
    re.IGNORECASE,
)
# Numbers that such a word names are not phone numbers, however they are grouped.
_OTHER_NUMBER = re.compile(
    r"\b(?:order|part|model|sku|isbn|issn|ean|upc|version|patent|rfc|serial|invoice|tracking|item"
    r"|zip|postcode|postal|case|ticket|bug|issue|article|product|p/n|pn|s/n|cas|doi|arxiv|cve|pmid|ref|reference"
    r"|bestellung|bestellnummer|artikel\w*|teilenummer|commande|pedido|pieza)\b"
    r"(?:\s*(?:number|num|nr|no|id|code)\b)?[\s#:.№n°o-]*"
    r"|(?:주문|부품|모델|订单|型号|注文|品番)\S{0,4}\s*",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
# So many single digits are results of games, not groups of a number.
_FEWEST_SCORES = 3
_LOOK_UP = re.compile(
    r"\bwho(?:'s| is| are)?\s+(?:call|text|behind|own|use|this|the)|\bwhose\b|\blook ?up\b"
    r"|\breverse\b|\bwhois\b|\bspam\b|\bscam\b|\bbelongs? to\b|\bwhere is\b|\bwhat is\b|\bgeoloc"
    r"|\bwer\b|\bwem\b|\bà qui\b|\bqui\b|\bde quién\b|\bquién\b|누구|어디|谁|誰|哪里|どこ",
    re.IGNORECASE,
)


def is_look_up(question: str) -> bool:
    """Tell whether a question asks about an address or number itself."""
    return _LOOK_UP.search(question) is not None


def find_emails(text: str) -> Iterator[tuple[int, int]]:
    """Yield where e-mail addresses stand, spelled-out ones included."""
    for match in _EMAIL.finditer(text):
        yield match.span()
    for match in _SPELLED.finditer(text):
        if _IS_SPELLED.search(match[0]) and "@" not in match[0]:
            yield match.span()


def find_ip_addresses(text: str) -> Iterator[tuple[int, int]]:
    """Yield where IP addresses stand; versions and addresses of nobody are left."""
    for match in (*_IPV4.finditer(text), *_IPV6.finditer(text)):
        if _is_somebody(match[0]) and not _BEFORE_VERSION.search(text[: match.start()]):
            yield match.span()


def find_mac_addresses(text: str) -> Iterator[tuple[int, int]]:
    """Yield where hardware addresses stand; those of examples are left."""
    for match in _MAC.finditer(text):
        bare = re.sub(r"[:.-]", "", match[0]).lower()
        # Six numbers joined by dashes are a draw of the lottery.
        if not _NOBODYS_MAC.fullmatch(bare) and (":" in match[0] or not bare.isdigit()):
            yield match.span()


def _is_somebody(text: str) -> bool:
    """Loopback, unspecified and mask-like addresses name no machine of a person."""
    whole = _BROKEN_DOT.sub(".", text)
    try:
        address = ipaddress.ip_address(whole.partition("/")[0].partition("%")[0])
    except ValueError:
        return False
    if "/" in text and int(address) & 0xFF == 0:
        return False
    if address in _EVERYBODYS:
        return False
    is_mask = text.startswith("255.")
    return not (address.is_loopback or address.is_unspecified or address.is_multicast or is_mask)


def find_phones(text: str) -> Iterator[tuple[int, int]]:
    """Yield where phone numbers stand, international or national in their usual form."""
    if _LONG_RUN.search(text) is None:
        return
    called = _CALLING.search(text) is not None
    found: set[tuple[int, int]] = set()
    for region in _REGIONS:
        leniency = Leniency.VALID if called or region == "US" else Leniency.STRICT_GROUPING
        for match in PhoneNumberMatcher(text, region, leniency=leniency, max_tries=200):
            if _is_phone(text, match, called=called):
                found.add((match.start, match.end))
    yield from _outermost(found)


# Lines that many may call are nobody's own: free, shared-cost, premium and company numbers.
_PUBLIC_LINES = frozenset(
    {
        phonenumbers.PhoneNumberType.TOLL_FREE,
        phonenumbers.PhoneNumberType.SHARED_COST,
        phonenumbers.PhoneNumberType.PREMIUM_RATE,
        phonenumbers.PhoneNumberType.UAN,
    }
)


def _is_phone(text: str, match: phonenumbers.PhoneNumberMatch, *, called: bool) -> bool:
    if phonenumbers.number_type(match.number) in _PUBLIC_LINES:
        return False
    if match.raw_string.startswith(("+", "(+", "00")):
        return True
    groups = re.findall(r"\d+", match.raw_string)
    if (
        all(map(_YEAR.fullmatch, groups))
        or sum(len(group) == 1 for group in groups) >= _FEWEST_SCORES
    ):
        return False
    before = text[max(0, match.start - 24) : match.start]
    named = _OTHER_NUMBER.search(before)
    if named and named.end() == len(before):
        return False
    return called or _looks_dialled(match.raw_string)


def _looks_dialled(raw: str) -> bool:
    """A number is grouped as people write phone numbers; a bare run of digits could be anything."""
    return re.search(r"\d[\s().-]+\d", raw) is not None


def _outermost(spans: set[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    end = -1
    for start, stop in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= end:
            yield start, stop
            end = stop
