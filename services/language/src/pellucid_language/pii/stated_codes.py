"""Codes told by their names: PINs, one-time codes, seed phrases."""

import re
from collections.abc import Iterator

# Short numbers that open something.
_CODE = re.compile(
    r"(?<![A-Za-z\d_])(?P<own>(?:my|our|the|mein\w{0,2}|mon|mi|his|her)\s+(?:[\w'-]+\s+){0,2}?)?"
    r"(?:(?P<pin>pin(?:-?code)?|geheimzahl)|otp|one[- ]time (?:code|password|pin|passcode)|tan"
    r"|(?P<card>cvv2?|cvc2?|cv2)|passcode|code secret|código de verificación|bestätigungscode"
    r"|sicherheitscode|combination|(?:verification|security|unlock|2fa|mfa|authenticator|sms|login|door|alarm|gate"
    r"|safe|lock|entry|backup|recovery)[- ](?:code|pin|number)"
    r"|(?P<plain>(?<=\bmy )code|(?<=\bour )code))"
    r"(?:\s+(?:code|number|nummer))?"
    r"(?:\s+(?:for|of|at|on|für|von|am|im|der|meine[rsm]|de|del|du|para|pour)\s+(?:[\w'.-]+\s+){0,2}?[\w'.-]+(?=\s*[:=]|\s+(?:is|was"
    r"|ist|lautet|est|c['’]est|es)\s))?"
    r"(?P<sign>\s*(?:[:=#：]|是|为|為|は|が|은|는|이|가)|\s+(?:is|was|ist|lautet|est|c['’]est|it['’]s|es|to|of))?\s*"
    r"(?P<value>\d(?:[ -]?\d){2,9})(?![A-Za-z\d_]|\.\w|\s?(?:digits?|%|k\b|mm|volt|pin))",
    re.IGNORECASE,
)
_LETTERED_CODE = re.compile(
    r"\b(?i:guard|verification|security|2fa|unlock|activation|backup|recovery|login|access|meeting|zoom)"
    r"[ -](?i:passcode|code)\s*(?:[:=]|(?i:is|was)\b)?\s*"
    r"(?P<value>(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Za-z\d-]{5,24})(?!\w)"
)
_SEED = re.compile(
    r"\b(?:seed|recovery|mnemonic|secret|backup|wallet)\s+(?:phrase|words?|seed|mnemonic)\b\W*(?:(?:is|are|was)\b\W*)?"
    r"(?P<value>(?:[a-z]{3,8}[\s,]+){11,23}[a-z]{3,8})",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"\s*(?:$|[.,;!?\n]|(?:or|and|oder|und|ou|o|y)\b)")
_YEAR = re.compile(r"(?:19|20)\d\d")


def find_stated_codes(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the values of such codes stand; places may overlap."""
    for pattern in (_LETTERED_CODE, _SEED):
        yield from (match.span("value") for match in pattern.finditer(text))
    yield from (match.span("value") for match in _CODE.finditer(text) if _is_code(match))


def _is_code(match: re.Match[str]) -> bool:
    digits = re.sub(r"\D", "", match["value"])
    said = bool(match["own"] or match["sign"])
    if _YEAR.fullmatch(digits) and not said:
        return False
    # "My code is 1000 lines long" tells no secret.
    if match["plain"] and not _CLOSED.match(match.string, match.end("value")):
        return False
    # "PIN code 110001" is a place in India.
    is_postal = bool(match["pin"]) and "code" in match.group().lower() and not said
    fewest = (
        len("000") if said or re.search(r"c[vs]", match.group(), re.IGNORECASE) else len("0000")
    )
    return len(digits) >= fewest and not is_postal
