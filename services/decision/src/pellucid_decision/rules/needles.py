"""Which of many patterns may match a text at all: those of which a needle stands in it.

A needle is a string that must stand in whatever a pattern matches, or one of a few such strings.
Most rules have nothing in common with most messages; asking for their needles takes a fraction of
the time of trying each pattern. What a match means is not decided here.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from itertools import product
from operator import or_

# The only description of a pattern's parts that there is; `test_needles.py` holds what is read from
# it against the patterns themselves.
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import ahocorasick  # type: ignore[import-not-found]

# Chosen by hand: enough for "what(?:'s| is|s) the", and few enough to be worth looking for.
MAX_WORDINGS = 24
MAX_CLASS_CHARACTERS = 8
# Longer needles are hardly rarer, and take memory.
_TELLING_CHARACTERS = 5
MAX_CHARACTERS = 12
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)


class Needles:
    """Tells which patterns of a list may match a text, in one pass over it.

    Args:
        patterns: Tried on texts as they stand.
    """

    def __init__(self, patterns: Iterable[re.Pattern[str]]) -> None:
        places: dict[str, list[int]] = defaultdict(list)
        always = []
        for place, pattern in enumerate(patterns):
            needles = {needle[:MAX_CHARACTERS] for needle in needles_of(pattern)}
            for needle in needles:
                places[needle].append(place)
            always += [] if needles else [place]
        self._always = tuple(always)
        self._automaton = ahocorasick.Automaton()
        for needle, owners in places.items():
            self._automaton.add_word(needle, tuple(owners))
        self._automaton.make_automaton()

    def possible(self, text: str, first: int = 0) -> list[int]:
        """Return the places, from `first` on, of the patterns that may match a text, in order."""
        found = set(self._always)
        for _, owners in self._automaton.iter(text):
            found.update(owners)
        return sorted(place for place in found if place >= first)


def needles_of(pattern: re.Pattern[str]) -> frozenset[str]:
    r"""Return strings of which each match contains at least one; none when that cannot be told.

    >>> sorted(needles_of(re.compile(r"\bcolou?rs?\b|gr[ae]y")))
    ['color', 'colors', 'colour', 'colours', 'gray', 'grey']
    >>> sorted(needles_of(re.compile(r"\d+ (?:km|miles)\b")))
    [' km', ' miles']
    """
    if pattern.flags & re.IGNORECASE:
        return frozenset()
    return _required(parser.parse(pattern.pattern, pattern.flags))


def _required(parts: Iterable[Any]) -> frozenset[str]:
    """Return the most telling needles of parts that follow one another."""
    best = run = frozenset[str]()
    for wordings, part in _steps(parts):
        longer = _joined(run or frozenset(("",)), wordings) if wordings else frozenset[str]()
        if longer:
            run = longer
            continue
        best = max(best, run, key=_worth)
        run = wordings
        best = best if wordings else max(best, _within(part), key=_worth)
    return max(best, run, key=_worth)


def _steps(parts: Iterable[Any]) -> Iterator[tuple[frozenset[str], Any]]:
    """Yield the wordings of each part with the part; letters that follow one another as one."""
    letters = ""
    for part in parts:
        if part[0] is op.LITERAL:
            letters += chr(part[1])
            continue
        if letters:
            yield frozenset((letters,)), None
            letters = ""
        yield _wordings(part), part
    if letters:
        yield frozenset((letters,)), None


def _worth(needles: frozenset[str]) -> tuple[int, int]:
    """Long needles tell more, few cost less; an empty one tells nothing."""
    shortest = min(map(len, needles), default=0)
    return (min(shortest, _TELLING_CHARACTERS), -len(needles)) if shortest else (0, 0)


def _within(part: Any) -> frozenset[str]:
    """Return the needles of a part that has too many wordings to list."""
    kind, value = part
    if kind is op.SUBPATTERN and not (value[1] or value[2]):
        return _required(value[3])
    if kind is op.ATOMIC_GROUP:
        return _required(value)
    if kind in _REPEATS and value[0] > 0:
        return _required(value[2])
    if kind is op.BRANCH:
        branches = [_required(branch) for branch in value[1]]
        told = all(_worth(branch) > (0, 0) for branch in branches)
        return reduce(or_, branches) if told else frozenset()
    return frozenset()


def _wordings(part: Any) -> frozenset[str]:
    """Return all strings that a part matches; none when they are too many."""
    kind, value = part
    if kind in _REPEATS:
        least, most, repeated = value
        once = _of_sequence(repeated) if most == 1 else frozenset[str]()
        return once | {""} if once and least == 0 else once
    listed = _LISTED.get(kind)
    return listed(value) if listed else frozenset()


def _of_class(items: Iterable[Any]) -> frozenset[str]:
    letters: set[str] = set()
    for kind, value in items:
        low, high = value if kind is op.RANGE else (value, value)
        if kind not in {op.LITERAL, op.RANGE} or high - low >= MAX_CLASS_CHARACTERS:
            return frozenset()
        letters.update(map(chr, range(low, high + 1)))
    return frozenset(letters) if len(letters) <= MAX_CLASS_CHARACTERS else frozenset()


def _of_group(value: Any) -> frozenset[str]:
    _number, flags_on, flags_off, parts = value
    return frozenset() if flags_on or flags_off else _of_sequence(parts)


def _of_sequence(parts: Iterable[Any]) -> frozenset[str]:
    whole = frozenset(("",))
    for wordings, _part in _steps(parts):
        whole = _joined(whole, wordings)
        if not whole:
            break
    return whole


def _of_branches(value: Any) -> frozenset[str]:
    _none, branches = value
    listed = [_of_sequence(branch) for branch in branches]
    told = all(listed) and sum(map(len, listed)) <= MAX_WORDINGS
    return reduce(or_, listed) if told else frozenset()


def _joined(first: frozenset[str], second: frozenset[str]) -> frozenset[str]:
    """Return each of `first` followed by each of `second`; none when they are too many."""
    if len(first) * len(second) > MAX_WORDINGS:
        return frozenset()
    return frozenset(map("".join, product(first, second)))


_LISTED: Mapping[Any, Callable[[Any], frozenset[str]]] = {
    op.IN: _of_class,
    op.SUBPATTERN: _of_group,
    op.BRANCH: _of_branches,
    **dict.fromkeys((op.AT, op.ASSERT, op.ASSERT_NOT), lambda _: frozenset(("",))),
}
