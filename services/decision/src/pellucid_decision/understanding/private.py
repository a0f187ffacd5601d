"""What of a conversation is in no query: personal data, names of relatives, words of a page."""

import re
from collections.abc import Iterable, Iterator, Sequence

from pellucid_language.redaction.gate import GATE

# Names are told near the beginning of a message; what is pasted behind is not searched for them.
_NAME_CHARACTERS = 4000
_CAPITALISED = re.compile(r"(?<!\w)[A-ZÀ-Þ][\w'’-]{2,}")
# The name behind the word for the relative, where letters have no case.
_UNCASED = re.compile(
    r"(?:の|叫|名は|이름은?|是|[(（\s])\s*([^\s()（）]{2,10}?)(?:さん|ちゃん|くん|君|[)）])?\Z"
)


def private_values(texts: Sequence[str], people: Iterable[re.Pattern[str]]) -> tuple[str, ...]:
    """Return what in a person's messages must stand in no query, longest first.

    Args:
        texts: The person's messages.
        people: How people name their relatives and themselves.
    """
    names = {name for text in texts for name in _names(text[:_NAME_CHARACTERS], people)}
    names |= {value for text in texts for value in _contact_data(text)}
    return tuple(sorted({*GATE.private(texts), *names}, key=lambda value: (-len(value), value)))


def blanked(text: str, values: Iterable[str]) -> str:
    """Return a text of the same length with blanks in place of the values.

    >>> blanked("Ned is 4", ["ned"])
    '    is 4'
    """
    for value in values:
        pattern = rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])"
        text = re.sub(pattern, lambda match: " " * len(match.group()), text, flags=re.IGNORECASE)
    return text


def _names(text: str, people: Iterable[re.Pattern[str]]) -> Iterator[str]:
    """Yield the names in what tells of relatives, without the words for them."""
    for pattern in people:
        for match in pattern.finditer(text):
            cased = _CAPITALISED.findall(match.group())
            uncased = _UNCASED.search(match.group())
            yield from cased or ((uncased.group(1),) if uncased else ())


def _contact_data(text: str) -> Iterator[str]:
    """Yield the words that the gate takes out of a text besides its secrets."""
    redacted = GATE.redact(text)
    if redacted.kinds:
        left = set(redacted.text.split())
        yield from (word for word in text.split() if word not in left)
