"""The proper names of a claim, and whether a passage has them.

A name is read off capital letters, so only scripts that have them are checked; a name in another
script still counts among the content words.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

import yaml

from pellucid_scorer.words import Word, fold, stem, stop_terms, words

GAP = re.compile(r"[ \u00a0&.'’-]{1,3}")
"""What may stand between two words of one name."""

POSSESSIVE = re.compile(r"['’]s?$")
TITLES = frozenset(
    {
        *(
            "mr",
            "mrs",
            "ms",
            "dr",
            "prof",
            "professor",
            "sir",
            "dame",
            "lord",
            "lady",
            "st",
            "saint",
        ),
        *("president", "king", "queen", "ceo", "cto", "cfo", "minister", "senator", "governor"),
        *("judge", "general", "captain", "herr", "frau", "m", "mme"),
    }
)
"""Words before a name that a passage may leave out or replace."""

NOT_NAMES = frozenset(
    {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "i"}
)

COMMON_ENDINGS = ("ly", "ing", "tion", "tions", "ment", "ments", "ists", "ers", "ness", "ity")
"""Endings that ordinary English words have and names seldom do."""


@dataclass(frozen=True, slots=True)
class Name:
    """One proper name.

    Attributes:
        written: As it stands in the claim.
        parts: Its folded words, titles left out.
    """

    written: str
    parts: tuple[str, ...]


def names(text: str) -> tuple[Name, ...]:
    """Return the proper names of a claim, in order.

    >>> [name.written for name in names("Today Ann Lee joined the BBC's board.")]
    ['Ann Lee', 'BBC']
    """
    found = (_name(run) for run in _runs(text))
    return tuple(name for name in found if name.parts)


def missing_from(claimed: Sequence[Name], passage: str) -> tuple[Name, ...]:
    """Return the names that a passage does not have.

    A passage has a name when it has all its words, or its last word without another first name
    before it: "Lee said" speaks of Ann Lee, "Tom Lee said" does not.
    """
    index = _index(passage)
    return tuple(name for name in claimed if not _has(name, index))


@dataclass(frozen=True, slots=True)
class _Index:
    """Folded words of a passage and the capitalised words before each."""

    before: Mapping[str, frozenset[str]]


def _has(name: Name, index: _Index) -> bool:
    if all(part in index.before for part in name.parts):
        return True
    last = index.before.get(name.parts[-1])
    if last is None or len(name.parts) == 1:
        return False
    return not last - frozenset(name.parts) - TITLES


def _index(passage: str) -> _Index:
    before: dict[str, set[str]] = {}
    previous: Word | None = None
    for word in words(passage):
        for part in _parts(word.text):
            neighbours = before.setdefault(part, set())
            if previous is not None and _is_joined(previous, word, passage):
                neighbours.update(_parts(previous.text))
        previous = word if _is_capital(word.text) else None
    return _Index({part: frozenset(found) for part, found in before.items()})


def _parts(text: str) -> tuple[str, ...]:
    """Return the folded words of a written one: "Jean-Luc's" is two."""
    return tuple(part for part in re.split(r"[-_/.]", fold(POSSESSIVE.sub("", text))) if part)


def _runs(text: str) -> Iterator[Sequence[Word]]:
    run: list[Word] = []
    is_start = True
    for word in words(text):
        if run and not _is_joined(run[-1], word, text):
            yield run
            run = []
        if _is_capital(word.text) and not (is_start and _is_common(word.text)):
            run.append(word)
        elif run:
            yield run
            run = []
        is_start = text[word.end : word.end + 1] in {".", "!", "?", ":", "\n"}
    if run:
        yield run


def _name(run: Sequence[Word]) -> Name:
    parts = [part for word in run for part in _parts(word.text)]
    kept = tuple(part for part in parts if part not in TITLES and part not in NOT_NAMES)
    written = " ".join(POSSESSIVE.sub("", word.text) for word in run)
    return Name(written, kept)


def _is_joined(first: Word, second: Word, text: str) -> bool:
    return (
        _is_capital(first.text)
        and _is_capital(second.text)
        and GAP.fullmatch(text[first.end : second.start]) is not None
        and not POSSESSIVE.search(first.text)
    )


def _is_capital(text: str) -> bool:
    return text[0].isupper()


def _is_common(text: str) -> bool:
    """Tell whether a word at the start of a sentence is an ordinary one."""
    folded = fold(text)
    if any(char.isupper() or char.isdigit() for char in text[1:]):
        return False
    return folded in stop_terms() or stem(folded) in _OPENERS or folded.endswith(COMMON_ENDINGS)


def _read_openers() -> frozenset[str]:
    table = yaml.safe_load(files(__package__).joinpath("openers.yaml").read_text("utf-8"))
    return frozenset(stem(word) for word in table["words"].split())


_OPENERS = _read_openers()
