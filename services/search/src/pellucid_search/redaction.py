"""The last privacy gate: takes personal data and secrets out of every query before it leaves.

Cards, IBANs, identity numbers and secrets always go. E-mail addresses, phone numbers and IP
addresses go unless the question is about that very one and the operator permits it. Names and
postal addresses are not recognised. What is found is removed, and its kind reported.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pellucid_search.contact_data import find_emails, find_ip_addresses, find_phones, is_look_up
from pellucid_search.credentials import find_secrets
from pellucid_search.folding import fold
from pellucid_search.identity_numbers import find_identity_numbers
from pellucid_search.payment_data import find_cards, find_ibans

Span = tuple[int, int]
Finder = Callable[[str], Iterable[Span]]

# Secrets first: they may hold digits that look like something else.
_ALWAYS: tuple[tuple[str, Finder], ...] = (
    ("secret", find_secrets),
    ("iban", find_ibans),
    ("card", find_cards),
    ("ssn", find_identity_numbers),
)
_UNLESS_SUBJECT: tuple[tuple[str, Finder], ...] = (
    ("email", find_emails),
    ("ip", find_ip_addresses),
    ("phone", find_phones),
)
_SPACES = re.compile(r"\s+")
_EMPTY_PAIRS = re.compile(r"\(\s*\)|\[\s*\]|<\s*>|\"\s*\"|'\s*'")


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text that may leave, and the kinds that were taken out, sorted."""

    text: str
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Redactor:
    """The gate.

    Attributes:
        permit_subject: Let the e-mail address, phone number or IP address through that the
            question itself asks about.
    """

    permit_subject: bool = False

    def redact(self, text: str, *, question: str = "") -> Redacted:
        """Return the text as it may leave; unchanged when nothing was found.

        Args:
            text: A query.
            question: What the query serves.
        """
        folded = fold(text)
        kinds: set[str] = set()
        for kind, find in _ALWAYS:
            folded = _cut(folded, kind, find(folded), kinds)
        kept = self._subject(question)
        for kind, find in _UNLESS_SUBJECT:
            spans = [(a, b) for a, b in find(folded) if _squeezed(folded[a:b]) not in kept]
            folded = _cut(folded, kind, spans, kinds)
        if not kinds:
            return Redacted(text.strip())
        return Redacted(_tidy(folded), tuple(sorted(kinds)))

    def _subject(self, question: str) -> frozenset[str]:
        """Return the contact data that the question asks about, in a comparable form."""
        folded = fold(question)
        if not self.permit_subject or not is_look_up(folded):
            return frozenset()
        return frozenset(
            _squeezed(folded[a:b]) for _, find in _UNLESS_SUBJECT for a, b in find(folded)
        )


def _squeezed(text: str) -> str:
    return re.sub(r"[\s().-]", "", text).casefold()


def _cut(text: str, kind: str, spans: Iterable[Span], kinds: set[str]) -> str:
    for start, end in reversed(_apart(spans)):
        text = f"{text[:start]} {text[end:]}"
        kinds.add(kind)
    return text


def _apart(spans: Iterable[Span]) -> Sequence[Span]:
    """Join what overlaps, so that cutting one leaves the places of the others true."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _tidy(text: str) -> str:
    return _SPACES.sub(" ", _EMPTY_PAIRS.sub(" ", text)).strip(" ,;:")
