"""The things that a question asks about, and how many of them a sentence speaks of.

"What is the fare for a vehicle?" is answered by "a car pays 18.50 crowns" and not by "bicycles pay
3 crowns". So words are looked up in lists of words for one thing, in seven languages; what is in no
list is compared as it is written. Names are left out: what a whole page is about, few of its
sentences say again.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

import yaml

from pellucid_language.calendar import month_numbers
from pellucid_language.folding import fold
from pellucid_language.scripts import EAST_ASIAN, HIRAGANA
from pellucid_language.terms import function_terms, has_unspaced_script, terms
from pellucid_language.text_memory import remembered

_WORD = re.compile(r"[^\W_]+")
_UNSPACED_RUN = re.compile(f"[{EAST_ASIAN}]+")
_BINDING = re.compile(f"[{HIRAGANA}]+")
"""Hiragana, which binds words rather than being some."""
_GERMAN_DETERMINER = re.compile(
    r"\b(?:ein|eine[mnrs]?|der|die|das|de[mns]|viele|viel|keine?|zum|zur|im) $", re.IGNORECASE
)
"""What a German noun follows, which is capitalised as names are."""
# The list of words that ask, or say nothing of what is asked about.
_ASKING = "asking"
_SHORTEST = 3
# A question with more capitals than this share of its words writes all so.
_TITLE_CASE = 0.7
_SHORTEST_UNSPACED = 2
# Letters from which a word is looked for within longer ones, as German joins them.
_SHORTEST_PART = 5
_SHORTEST_JOINED = 9
_SHORTEST_FIRST_PART = 3
_SHORTEST_START = 2
_ENDING = re.compile(r"(?:ings?|ed|es|s|en|er|e)$")
_SHORTEST_ROOT = 4
# A run of letters beyond it is no word, whatever page it stands on: an address, a key, an image.
_LONGEST_WORD = 64
# Words of which the senses are remembered, so that nobody can fill the memory.
_MOST_WORDS = 65_536
# The longest of the determiners with its space.
_DETERMINER_LETTERS = 8
# What a word counts that is in no list: it may be of no importance.
_UNLISTED_WEIGHT = 0.4


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing that a question names.

    Attributes:
        written: The word, folded.
        senses: Names of the lists that have it; empty when none has.
    """

    written: str
    senses: frozenset[str]

    @property
    def weight(self) -> float:
        """How much it counts, above 0 to 1."""
        return 1.0 if self.senses else _UNLISTED_WEIGHT

    def is_in(self, text: str) -> bool:
        """Whether a text speaks of it, in this word or in another one for it."""
        return bool(self.senses & _senses(text)) or _is_written(self.written, text)

    def may_be_named_in(self, text: str) -> bool:
        """Whether it may be a name that a text has, in a script that does not mark names."""
        is_word = self.written in _table().anywhere
        return not is_word and has_unspaced_script(self.written) and self.written in fold(text)


@remembered
def things_of(question: str) -> tuple[Thing, ...]:
    """The things that a question names, each once, in order.

    >>> [thing.written for thing in things_of("How much does a bicycle pay at Skerry Bridge?")]
    ['bicycle', 'pay']
    """
    unspaced = has_unspaced_script(question)
    found = list(_things_of_runs(question) if unspaced else _things_of_words(question))
    return tuple(dict.fromkeys(found))


def named_words(question: str) -> frozenset[str]:
    """The words of a question that are capitalised as names are, folded; of spaced scripts.

    Months, abbreviations, part numbers, words of the lists and questions in title case tell none.

    >>> sorted(named_words("Who is the CEO of Example Corp?"))
    ['corp', 'example']
    """
    words = list(_WORD.finditer(question))
    capitals = sum(match.group()[0].isupper() for match in words)
    if has_unspaced_script(question) or capitals > _TITLE_CASE * len(words):
        return frozenset()
    # Signs of parts and abbreviations stand on few of the pages that tell of them.
    spelled = (match for match in words if match.group().isalpha() and not match.group().isupper())
    named = {fold(match.group()) for match in spelled if _is_name(question, match)}
    told = {name for name in named if terms(name) - function_terms()}
    return frozenset(name for name in told - month_numbers().keys() if len(name) >= _SHORTEST)


def names_of(question: str) -> frozenset[str]:
    """The same words as they are compared.

    >>> sorted(names_of("Who is the CEO of Example Corp?"))
    ['corp', 'exampl']
    """
    return frozenset(term for word in named_words(question) for term in terms(word))


def beyond(things: Sequence[Thing], title: str) -> tuple[Thing, ...]:
    """The things that the title of a page does not tell already: its sentences must."""
    return tuple(thing for thing in things if not thing.is_in(title))


def share_told(things: Sequence[Thing], text: str) -> float:
    """Weighted share of the things that a text speaks of, 0 to 1; 1 where there are none."""
    whole = sum(thing.weight for thing in things)
    told = sum(thing.weight for thing in things if thing.is_in(text))
    return told / whole if whole else 1.0


def _things_of_words(question: str) -> Iterator[Thing]:
    words = list(_WORD.finditer(question))
    names = [_is_name(question, match) for match in words]
    for i, match in enumerate(words):
        # German capitalises all nouns: of these only the neighbours of a name belong to it.
        near = any(names[max(0, i - 1) : i + 2])
        if not names[i] and not (near and match.group()[0].isupper()):
            yield from _thing(fold(match.group()))


def _thing(word: str) -> Iterator[Thing]:
    senses = _senses_of_word(word)
    says_nothing = terms(word) <= function_terms() or _ASKING in senses
    if len(word) >= _SHORTEST and not word.isdigit() and not says_nothing:
        yield Thing(word, senses)


def _is_name(question: str, match: "re.Match[str]") -> bool:
    """Whether a word is capitalised where no sentence begins, and in no list."""
    is_first = not question[: match.start()].strip(" ¿¡\"'“«„")
    before = max(0, match.start() - _DETERMINER_LETTERS)
    is_noun = _GERMAN_DETERMINER.search(question, before, match.start()) is not None
    is_capital = match.group()[0].isupper() and not is_first and not is_noun
    return is_capital and not _senses_of_word(fold(match.group()))


def _things_of_runs(question: str) -> Iterator[Thing]:
    for run in _UNSPACED_RUN.findall(fold(question)):
        before = ""
        for piece, senses in _cut(run):
            joined = before + piece
            if _ASKING not in senses:
                # With a word of no list before it, it may be part of a name: 诺维克 + 电池.
                yield Thing(joined if before and joined in run else piece, senses)
            before = "" if senses else piece


@remembered
def _senses(text: str) -> frozenset[str]:
    """Names of all lists of which a text has a word."""
    folded = fold(text)
    found = {sense for word in _WORD.findall(folded) for sense in _senses_of_word(word)}
    if has_unspaced_script(folded):
        runs = _UNSPACED_RUN.findall(folded)
        found.update(sense for run in runs for _, senses in _cut(run) for sense in senses)
    return frozenset(found)


def _is_written(word: str, text: str) -> bool:
    if has_unspaced_script(word):
        return word in fold(text)
    if terms(word) & terms(text):
        return True
    root = _ENDING.sub("", word)
    return len(root) >= _SHORTEST_ROOT and f" {root}" in f" {fold(text)}"


def _cut(run: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Cut a run without spaces at the longest words of the lists; the rest is of no list."""
    anywhere, longest = _table().anywhere, _table().longest
    rest, start = "", 0
    while start < len(run):
        ends = range(min(len(run), start + longest), start, -1)
        word = next((run[start:end] for end in ends if run[start:end] in anywhere), "")
        if word:
            yield from _unlisted(rest)
            yield word, anywhere[word]
        rest = "" if word else rest + run[start]
        start += len(word) or 1
    yield from _unlisted(rest)


def _unlisted(rest: str) -> Iterator[tuple[str, frozenset[str]]]:
    for piece in _BINDING.split(rest):
        if len(piece) >= _SHORTEST_UNSPACED:
            yield piece, frozenset()


def _senses_of_word(word: str) -> frozenset[str]:
    return _looked_up(word) if len(word) <= _LONGEST_WORD else frozenset()


@lru_cache(maxsize=_MOST_WORDS)
def _looked_up(word: str) -> frozenset[str]:
    table = _table()
    starts = [word[:end] for end in range(_SHORTEST_START, len(word) + 1)]
    if len(word) >= _SHORTEST_JOINED:
        # German writes "operations manager" as one word.
        inner = range(_SHORTEST_FIRST_PART, len(word) - _SHORTEST_PART + 1)
        starts += [word[i:j] for i in inner for j in range(i + _SHORTEST_PART, len(word) + 1)]
    found = [table.starts[start] for start in starts if start in table.starts]
    return table.whole.get(word, frozenset()).union(*found)


@dataclass(frozen=True, slots=True)
class _Table:
    """Names of lists by whole word, by beginning of a word, and by word of unspaced scripts."""

    whole: Mapping[str, frozenset[str]]
    starts: Mapping[str, frozenset[str]]
    anywhere: Mapping[str, frozenset[str]]
    longest: int


@cache
def _table() -> _Table:
    source = resources.files("pellucid_gateway.question").joinpath("asked_things.yaml")
    lists: dict[str, str] = yaml.safe_load(source.read_text("utf-8"))
    whole: dict[str, frozenset[str]] = {}
    starts: dict[str, frozenset[str]] = {}
    anywhere: dict[str, frozenset[str]] = {}
    for sense, words in lists.items():
        for written in words.split():
            word = fold(written.rstrip("*"))
            spaced = starts if written.endswith("*") else whole
            place = anywhere if has_unspaced_script(word) else spaced
            place[word] = place.get(word, frozenset()) | {sense}
    return _Table(whole, starts, anywhere, max(map(len, anywhere)))
