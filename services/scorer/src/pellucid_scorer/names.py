"""The proper names of a claim, and whether a passage has them.

A name is read off capital letters, so only scripts that have them are checked; a name in another
script still counts among the content words.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

import yaml

from pellucid_scorer.words import Word, fold, is_stop, stem, words

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
    {
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        *("january", "february", "march", "april", "june", "july", "august", "september"),
        *("october", "november", "december"),
    }
)
"""Words with a capital that name nobody; whole dates are taken out before."""

LONGEST_INITIALS = 5

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


@dataclass(frozen=True, slots=True)
class Index:
    """Where a passage has which words.

    Attributes:
        before: Each stem of the passage to the capitalised stems that stand right before it.
        initials: First letters of each run of capitalised words.
    """

    before: Mapping[str, frozenset[str]]
    initials: frozenset[str]

    def has(self, name: Name) -> bool:
        """Tell whether the passage has a name.

        It has one when it has all its words, or its last word without another first name before
        it ("Lee said" speaks of Ann Lee, "Tom Lee said" does not), or the name written as one
        word, or its initials.
        """
        parts = name.parts
        if all(part in self.before for part in parts) or "".join(parts) in self.before:
            return True
        if len(parts) == 1:
            return parts[0] in self.initials
        if "".join(part[0] for part in parts) in self.before:
            return True
        last = self.before.get(parts[-1])
        return last is not None and not last - frozenset(parts) - TITLES


def index(passage: str) -> Index:
    """Read a passage once for all claims."""
    before: dict[str, set[str]] = {}
    initials: set[str] = set()
    run: list[Word] = []
    for word in words(passage):
        if run and not _is_joined(run[-1], word, passage):
            run = []
        for part in _parts(word.text):
            before.setdefault(part, set()).update(_parts(run[-1].text) if run else ())
        if _is_capital(word.text):
            run.append(word)
            initials.update(_initials(run))
        else:
            run = []
    return Index({part: frozenset(found) for part, found in before.items()}, frozenset(initials))


def _initials(run: Sequence[Word]) -> Iterator[str]:
    """Yield the initials of the last few words of a run."""
    for count in range(2, min(len(run), LONGEST_INITIALS) + 1):
        yield "".join(fold(word.text[0]) for word in run[-count:])


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
    kept = tuple(part for part in parts if len(part) > 1 and part not in TITLES | NOT_NAMES)
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
    root = stem(folded)
    return is_stop(root) or root in _OPENERS or folded.endswith(COMMON_ENDINGS)


def _read_openers() -> frozenset[str]:
    table = yaml.safe_load(files(__package__).joinpath("openers.yaml").read_text("utf-8"))
    return frozenset(stem(word) for word in table["words"].split())


_OPENERS = _read_openers()
