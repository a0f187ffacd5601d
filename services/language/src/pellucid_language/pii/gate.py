"""The last privacy gate: takes personal data and secrets out of every query before it leaves.

Cards, IBANs, identity numbers and secrets always go. E-mail addresses, phone numbers and IP
addresses go unless the question is about that very one and the operator permits it; lines that are
nobody's own stay. Street and number go where the message says that somebody lives there. Names are
not recognised. What is found is removed, and its kind reported.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from pellucid_language.pii.contact_data import (
    find_emails,
    find_ip_addresses,
    find_mac_addresses,
    find_phones,
    is_look_up,
)
from pellucid_language.pii.credentials import find_secrets
from pellucid_language.pii.identity_numbers import find_identity_numbers
from pellucid_language.pii.payment_data import find_cards, find_ibans
from pellucid_language.pii.private_forms import may_be_seed
from pellucid_language.pii.stated_values import may_state_any
from pellucid_language.pii.unmasking import unmasked
from pellucid_language.scripts import is_spaceless
from pellucid_language.text_memory import remembered

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
    ("mac", find_mac_addresses),
    ("ip", find_ip_addresses),
    ("phone", find_phones),
)
# Of a seed phrase no words are left where so many of them stand together.
_FEWEST_SEED_WORDS = 4
_FEWEST_SHARED = 3
_SHORTEST_PART = 4
# Longer values are machine-made, and nobody spells them otherwise.
_LONGEST_SPELT = 256
_SIGN = re.compile(r"[\d@:_]|\b(?:at|dot|punto|punkt|point|arroba)\b|[^\s]{20}|골뱅이|アットマーク")
_SPACES = re.compile(r"\s+")
_RUN = re.compile(r"[^\W_]+")
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
        kept = self._subject(question)
        return _without_data(text, kept) if kept else _without_any_data(text)

    def redact_always(self, text: str) -> str:
        """Return a text that stays in the house without what nobody should have to read again.

        Cards, accounts, identity numbers and secrets go; an address or a number that the text may
        be about stays.

        >>> Redactor().redact_always("why was 4111 1111 1111 1111 declined, bob@corp.example")
        'why was declined, bob@corp.example'
        """
        folded, kinds = _without_secrets(text)
        return _tidy(folded) if kinds else text

    def private(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return what in these texts must leave in no string at all, longest first.

        Args:
            texts: A person's messages, where each value stands among the words that tell what it
                is; a query has lost them.
        """
        found = set(chain.from_iterable(_secrets_in(text) for text in texts))
        found |= {password for value in found if (password := _password_of(value))}
        return tuple(sorted(filter(None, found), key=lambda value: (-len(value), value)))

    def _subject(self, question: str) -> frozenset[str]:
        """Return the contact data that the question asks about, in a comparable form."""
        if not self.permit_subject or not question:
            return frozenset()
        folded = unmasked(question)
        if not is_look_up(folded):
            return frozenset()
        return frozenset(
            _squeezed(folded[a:b]) for _, find in _UNLESS_SUBJECT for a, b in find(folded)
        )


GATE = Redactor()
"""The gate without exceptions."""


@remembered
def _without_any_data(text: str) -> Redacted:
    return _without_data(text, frozenset())


def _without_data(text: str, kept: frozenset[str]) -> Redacted:
    """A text without personal data, but for contact data to be kept, in a comparable form."""
    folded, without = _without_secrets(text)
    kinds = set(without)
    for kind, find in _UNLESS_SUBJECT if _may_hold_anything(folded) else ():
        spans = [(a, b) for a, b in find(folded) if _squeezed(folded[a:b]) not in kept]
        folded = _cut(folded, kind, spans, kinds)
    return Redacted(_tidy(folded), tuple(sorted(kinds))) if kinds else Redacted(text.strip())


@remembered
def _without_secrets(text: str) -> tuple[str, frozenset[str]]:
    """An unmasked text without what always goes, and the kinds that were taken out."""
    folded = unmasked(text)
    kinds: set[str] = set()
    if _may_hold_anything(folded):
        for kind, find in _ALWAYS:
            folded = _cut(folded, kind, find(folded), kinds)
    return folded, frozenset(kinds)


@remembered
def _secrets_in(text: str) -> frozenset[str]:
    folded = unmasked(text)
    finders = _ALWAYS if _may_hold_anything(folded) else ()
    return frozenset(folded[a:b].strip() for _, find in finders for a, b in find(folded))


def _password_of(value: str) -> str:
    """The password of "user:password"; "" where a value is none."""
    user, sign, password = value.rpartition(":")
    is_pair = bool(sign) and user.isalnum() and len(password) > _SHORTEST_PART
    return password if is_pair and not password.isdigit() else ""


@remembered
def _may_hold_anything(text: str) -> bool:
    """Whether a text has a digit, a mail sign or a word that announces something; most have not."""
    return _SIGN.search(text) is not None or may_state_any(text) or may_be_seed(text)


def _squeezed(text: str) -> str:
    return re.sub(r"[\s().-]", "", text).casefold()


def _cut(text: str, kind: str, spans: Iterable[Span], kinds: set[str]) -> str:
    apart = _apart(spans)
    values = {text[start:end] for start, end in apart} if kind == "secret" else set()
    for start, end in reversed(apart):
        text = f"{text[:start]} {text[end:]}"
        kinds.add(kind)
    # What is told once to be a secret is one wherever else it stands.
    for value in values:
        text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", " ", text)
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


def without(text: str, values: Sequence[str]) -> str:
    """Return a text without values that were found private where they stood before.

    Args:
        text: Any outgoing string.
        values: As `Redactor.private` returns them; cut whole, in their telling parts, and in any
            case of letters.

    >>> without("Tr0ub4dor&3 password weak", ("Tr0ub4dor&3",))
    'password weak'
    >>> without("Anna's visa", ("Anna",)), without("김민준의 비자", ("김민준",))
    ('visa', '의 비자')
    """
    if not values:
        return text
    folded = unmasked(text)
    cut = folded
    for value in _present(values, folded):
        for pattern in _forms(value, folded):
            cut = re.sub(_whole(pattern), " ", cut, flags=re.IGNORECASE)
    return text if cut == folded else _tidy(cut)


def masked(text: str, values: Sequence[str]) -> str:
    """Return a text with a mark in the place of values that were found private.

    Args:
        text: What a language model is shown.
        values: As `Redactor.private` returns them.

    >>> masked("my password is Tr0ub4dor&3, is it weak?", ("Tr0ub4dor&3",))
    'my password is [removed], is it weak?'
    """
    folded = unmasked(text) if values else text
    shown = folded
    for value in _present(values, folded):
        phrase = r"\s+".join(map(re.escape, value.split()))
        is_phrase = _is_of_words(value.split())
        for pattern in (phrase,) if is_phrase else _forms(value, folded):
            shown = re.sub(_whole(pattern), "[removed]", shown, flags=re.IGNORECASE)
    return text if shown == folded else shown


def _whole(pattern: str) -> str:
    """A pattern of whole words, owners ("Anna's") too; where blanks bound no words, of any."""
    return pattern if is_spaceless(pattern) else rf"(?<!\w){pattern}(?:['’]s)?(?!\w)"


def _present(values: Sequence[str], text: str) -> Iterator[str]:
    """Yield those of which a text has a part at all: of a pasted list most queries have none."""
    told = text.casefold()
    for value in values:
        runs = _RUN.findall(value)
        if not runs or any(run.casefold() in told for run in runs):
            yield value


def _forms(value: str, text: str) -> Iterable[str]:
    """Patterns of the value, however written, and of what a writer of queries leaves of it."""
    words = value.split()
    if _is_of_words(words):
        spoken = {word.casefold() for word in re.findall(r"\w+", text)}
        shared = [word for word in words if word.casefold().strip(",") in spoken]
        told = shared if len(shared) >= _FEWEST_SHARED else ()
        return tuple(re.escape(word.strip(",")) for word in told)
    if len(value) > _LONGEST_SPELT:
        return (re.escape(value),)
    runs = _RUN.findall(value)
    telling = [run for run in runs if len(run) >= _SHORTEST_PART and not _is_word(run)]
    # Whatever stands between its letters and digits; signs at its ends belong to it.
    between = r"[\W_]*".join(map(re.escape, runs)) or re.escape(value)
    return (re.escape(value), between, *(map(re.escape, telling) if len(runs) > 1 else ()))


def _is_of_words(words: Sequence[str]) -> bool:
    return len(words) >= _FEWEST_SEED_WORDS and all(word.strip(",").isalpha() for word in words)


def _is_word(run: str) -> bool:
    """Whether a part of a value is a word as others write it, which tells nothing."""
    return run.isalpha() and (run.isupper() or not re.search("[A-ZÀ-Þ]", run[1:]))
