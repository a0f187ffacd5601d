"""What of a conversation is in no query: secrets, names of relatives, contact data."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from pellucid_language.pii.gate import GATE
from pellucid_language.pii.stated_names import private_values

# Of a pasted list, where reading takes 10 ms a number; a query is cleared of the rest by its form.
_MOST_CONTACTS = 100


def private_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Return what in a person's messages must stand in no query, longest first.

    Args:
        texts: The person's messages, the most important first.
    """
    contacts = islice((word for text in texts for word in _contact_data(text)), _MOST_CONTACTS)
    values = {*private_values(texts), *contacts}
    return tuple(sorted(values, key=lambda value: (-len(value), value)))


def blanked(texts: Sequence[str], values: Iterable[str]) -> list[str]:
    """Return texts of the same lengths with blanks in place of the values and what they own.

    Args:
        texts: Of a conversation.
        values: Longest first.

    >>> blanked(["Ned's is 4"], ["ned"])
    ['      is 4']
    """
    told = "\n".join(texts).casefold()
    present = [re.escape(value) for value in values if value.casefold() in told]
    if not present:
        return list(texts)
    whole = rf"(?<![A-Za-z0-9])(?:{'|'.join(present)})(?:['’]s)?(?![A-Za-z0-9])"
    pattern = re.compile(whole, re.IGNORECASE)
    return [pattern.sub(lambda match: " " * len(match.group()), text) for text in texts]


def _contact_data(text: str) -> Iterator[str]:
    """Yield the words that the gate takes out of a text besides its secrets."""
    redacted = GATE.redact(text)
    if redacted.kinds:
        left = set(redacted.text.split())
        yield from (word for word in text.split() if word not in left)
