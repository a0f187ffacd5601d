"""The proper names of a text, whole, in the order in which they stand.

A name is read off capital letters, so only scripts that have them are checked; a name in another
script still counts among the content words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

from pellucid_language.calendar import unnamed
from pellucid_language.folding import fold
from pellucid_language.stems import stem
from pellucid_language.words import Word, is_stop, words

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

COMMON_ENDINGS = ("ly", "ing", "tion", "tions", "ment", "ments", "ists", "ers", "ness", "ity")
"""Endings that ordinary English words have and names seldom do."""


@dataclass(frozen=True, slots=True)
class Name:
    """One proper name.

    Attributes:
        written: As it stands in the claim.
        parts: Stems of its words, titles and single letters left out.
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


def _parts(text: str) -> tuple[str, ...]:
    """Return the stems of a written word: "Jean-Luc's" has two."""
    parts = re.split(r"[-_/.]", fold(POSSESSIVE.sub("", text)))
    return tuple(stem(part) for part in parts if part)


def _runs(text: str) -> Iterator[Sequence[Word]]:
    run: list[Word] = []
    is_start = True
    for word in words(text):
        if run and not _is_joined(run[-1], word, text):
            yield run
            run = []
        if _is_capital(word.text) and not (is_start and is_common(word.text)):
            run.append(word)
        elif run:
            yield run
            run = []
        is_start = text[word.end : word.end + 1] in {".", "!", "?", ":", "\n"}
    if run:
        yield run


def _name(run: Sequence[Word]) -> Name:
    parts = [part for word in run for part in _parts(word.text)]
    kept = tuple(part for part in parts if len(part) > 1 and part not in TITLES | _not_names())
    written = " ".join(POSSESSIVE.sub("", word.text) for word in run)
    return Name(written, kept)


@cache
def _not_names() -> frozenset[str]:
    """Words with a capital that name nobody; whole dates are taken out before."""
    return frozenset(map(stem, unnamed()))


def _is_joined(first: Word, second: Word, text: str) -> bool:
    return (
        _is_capital(first.text)
        and _is_capital(second.text)
        and GAP.fullmatch(text[first.end : second.start]) is not None
        and not POSSESSIVE.search(first.text)
    )


def _is_capital(text: str) -> bool:
    return text[0].isupper()


def is_common(text: str) -> bool:
    """Tell whether a word at the start of a sentence is an ordinary one."""
    folded = fold(text)
    if any(char.isupper() or char.isdigit() for char in text[1:]):
        return False
    root = stem(folded)
    return is_stop(root) or root in _OPENERS or folded.endswith(COMMON_ENDINGS)


def _read_openers() -> frozenset[str]:
    table = yaml.safe_load(files(__package__).joinpath("openers.yaml").read_text("utf-8"))
    return frozenset(stem(fold(word)) for word in table["words"].split())


_OPENERS = _read_openers()
