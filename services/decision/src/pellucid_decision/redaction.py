"""Personal data in queries: taken out before a query is written at all.

The search service is the last gate and redacts again; this one keeps most of it from ever leaving
the process.
"""

import re

_PATTERNS = (
    ("email", re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")),
    ("secret", re.compile(r"\b(?:sk|pk|ghp|gho|xox[abp]|AKIA|AIza|glpat)[-_]?[A-Za-z0-9_-]{12,}")),
    ("iban", re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")),
    ("ssn", re.compile(r"\b\d{3}-\d{2}-\d{4}\b|\b\d{6}-[1-4]\d{6}\b")),
    (
        "ip",
        re.compile(
            r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])"
        ),
    ),
    (
        "phone",
        re.compile(
            r"(?<![\w.$€£])\+?\d{1,3}[ .-]?\(?\d{2,4}\)?[ .-]\d{3,4}[ .-]?\d{3,4}(?!\w)|(?<!\w)01\d-?\d{3,4}-?\d{4}(?!\w)"  # noqa: E501 - one pattern or table row
        ),
    ),
)
_ALL = frozenset(kind for kind, _ in _PATTERNS)
# Never of use in a question, so taken out of the resolved question too; an address or a number may
# be what it is about.
_ALWAYS = frozenset({"secret", "iban", "ssn"})
# Nothing else is found in a text without a digit or an "@", as most are.
_OF_LETTERS = frozenset({"secret"})
_OTHER_SIGN = re.compile(r"[\d@]")
_CARD = re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)")


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """Return `text` without personal data, and the kinds that were taken out, sorted.

    >>> redact("mail bob@corp.example now")
    ('mail now', ('email',))
    """
    return _without(text, _ALL)


def redact_always(text: str) -> str:
    """Return `text` without card and account numbers, identity numbers and secrets.

    >>> redact_always("why was 4111 1111 1111 1111 declined, bob@corp.example")
    'why was declined, bob@corp.example'
    """
    return _without(text, _ALWAYS)[0]


def _without(text: str, wanted: frozenset[str]) -> tuple[str, tuple[str, ...]]:
    kinds = set()
    sought, rest = wanted, text
    if _OTHER_SIGN.search(text):
        rest = _CARD.sub(lambda match: "" if _luhn(match.group()) else match.group(), text)
    else:
        sought = wanted & _OF_LETTERS
    if rest != text:
        kinds.add("card")
    for kind, pattern in _PATTERNS:
        if kind not in sought:
            continue
        shorter = pattern.sub("", rest)
        if shorter != rest:
            kinds.add(kind)
        rest = shorter
    return (" ".join(rest.split()) if kinds else text), tuple(sorted(kinds))


def _luhn(digits: str) -> bool:
    numbers = [int(digit) for digit in digits if digit.isdigit()][::-1]
    doubled = (sum(divmod(2 * number, 10)) for number in numbers[1::2])
    return (sum(numbers[::2]) + sum(doubled)) % 10 == 0
