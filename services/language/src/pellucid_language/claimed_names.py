"""The proper names of a claim, and whether a text has them.

Names are read off capital letters; in German, where every noun has one, off where they stand; in
Korean, Japanese and Chinese off offices and kinds. A name that replaces another one in an otherwise
repeated sentence is found in any script.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from importlib import resources
from itertools import zip_longest
from typing import Any

import yaml

from pellucid_language import sentences
from pellucid_language.calendar import month_numbers
from pellucid_language.folding import fold
from pellucid_language.openers import is_common
from pellucid_language.terms import function_terms, has_unspaced_script, terms
from pellucid_language.text_memory import remembered

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_ANY_WORD = re.compile(r"\w+")
_POSSESSIVE = re.compile(r"['’]s?$")
_STOP = re.compile(r"[.!?:;«»„“”\"()\[\]]")
_TITLE_WORDS = frozenset(
    {"i", "the", "a", "an", "mr", "mrs", "ms", "dr", "in", "on", "at", "for", "by", "but", "and"}
)
# First words of a sentence this short are particles rather than names.
_LONGEST_PARTICLE = 3
# From this share of a claim's other words on, a sentence of the source repeats the claim.
_REPEATED = 0.7
_RELATED_LETTERS = 4
_LEAST_STEM = 4
_LEAST_REST = 6
_UNSPACED_END = 2
# From this length on a name may stand in a longer word: the Korvath valley, "Korvathtal".
_LEAST_JOINED = 7
# "American" of America, "Polish" of Poland.
_OF_A_PLACE = re.compile(r"^(\w{4,}?)(?:ian|ean|an|ish|ese|n)$")


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int
    is_first: bool


@dataclass(frozen=True, slots=True)
class _German:
    determiners: frozenset[str]
    prepositions: frozenset[str]
    kinds: re.Pattern[str]
    common: re.Pattern[str]


def misses_name(claim: str, text: str, known: str = "", language: str = "") -> bool:
    """Whether the claim names somebody or something that neither text nor question names.

    >>> misses_name("Jens Ohlert steered the ferry", "Captain Britta Nagel steered the ferry.")
    True
    """
    if has_unspaced_script(claim):
        return _absent_unspaced(claim, text) or _replaced_unspaced(claim, text)
    there = f"{text} {known}"
    if language == "de":
        return any(_german_names(claim, text, there))
    folded = _folded_words(there)
    missing = [
        name
        for name in claimed_names(claim)
        if not _has_name(name, folded) and not _is_short_form(name, claim)
    ]
    return bool(missing) and not (len(missing) == 1 and _only_begins(missing[0], claim, there))


def _is_short_form(word: str, claim: str) -> bool:
    """Whether a name stands in brackets behind the names whose initials it begins with."""
    match = re.search(
        rf"((?:[A-ZÀ-Þ][\w’'-]*\s(?:(?:of|the|and|for|in)\s)*)+)\({re.escape(word)}\)", claim
    )
    return match is not None and word.isupper() and match.group(1)[0] == word[0]


def _only_begins(word: str, claim: str, text: str) -> bool:
    """Whether an ordinary word begins a sentence before a name that the text has by itself."""
    tokens = _tokens(claim)
    firsts = [i for i, t in enumerate(tokens[:-1]) if t.is_first and t.text == word]
    if not firsts or not is_common(word):
        return False
    name = re.escape(tokens[firsts[0] + 1].text)
    return re.search(rf"(?<![A-ZÀ-Þ])(?:^|[.!?:;,]\s|\b[a-zà-ÿ]\w*\s){name}\b", text) is not None


@remembered
def claimed_names(claim: str) -> tuple[str, ...]:
    """Capitalised words; the first of a sentence only when a capitalised one follows it."""
    tokens = _tokens(claim)
    return tuple(
        token.text
        for token, after in zip_longest(tokens, tokens[1:])
        if len(token.text) > 1
        and _may_be_name(token.text)
        and not (token.is_first and not _leads_name(token, after))
    )


def _leads_name(token: _Token, after: _Token | None) -> bool:
    """Whether the first word of a sentence begins a name rather than the sentence."""
    word = token.text
    if len(word) > 1 and word.isupper():
        return True
    if len(word) <= _LONGEST_PARTICLE or terms(word) & function_terms():
        return False
    return after is not None and _may_be_name(after.text) and after.start - token.end == 1


@remembered
def _folded_words(text: str) -> frozenset[str]:
    return frozenset(_ANY_WORD.findall(fold(text)))


def _tokens(text: str) -> tuple[_Token, ...]:
    found: list[_Token] = []
    for match in _TOKEN.finditer(text):
        gap = text[found[-1].end : match.start()] if found else "."
        found.append(_Token(match.group(), *match.span(), bool(_STOP.search(gap))))
    return tuple(found)


def _may_be_name(word: str) -> bool:
    low = word.lower()
    plain = low in _TITLE_WORDS or low in month_numbers()
    return len(word) > 1 and word[0].isupper() and not plain and not has_unspaced_script(word)


def _has_name(name: str, there: frozenset[str]) -> bool:
    bare = _POSSESSIVE.sub("", fold(name))
    tail = re.split(r"['’]", bare)[-1]
    if any(part in there or f"{part}s" in there for part in {bare, bare.rstrip("s"), tail}):
        return True
    if len(bare) >= _LEAST_JOINED and any(word.startswith(bare) for word in there):
        return True
    people = _OF_A_PLACE.match(bare)
    return people is not None and any(people.group(1) == place[: people.end(1)] for place in there)


def _german_names(claim: str, text: str, there: str) -> Iterator[str]:
    """Words that the text lacks and that stand where names do and other nouns do not."""
    tokens = _tokens(claim)
    folded = _folded_words(there)
    absent = [_is_absent_noun(token.text, folded) for token in tokens]
    for i, token in enumerate(tokens):
        if not absent[i] or _has_determiner(tokens, i):
            continue
        in_run = _in_run(tokens, absent, i)
        if in_run or _follows_kind(tokens, i) or _takes_a_place(claim, token.text, text):
            yield token.text


def _is_absent_noun(word: str, there: frozenset[str]) -> bool:
    folded = _POSSESSIVE.sub("", fold(word))
    if not _may_be_name(word) or terms(word) & function_terms() or len(folded) < _LEAST_STEM:
        return False
    if _german().common.search(folded) or any(_is_related(folded, other) for other in there):
        return False
    return not any(char.isdigit() for char in folded)


def _is_related(word: str, other: str) -> bool:
    """Whether two nouns share a stem or one is part of the other, as Lärm and Baulärm."""
    if len(other) < _RELATED_LETTERS:
        return False
    stem = word[: max(_RELATED_LETTERS, len(word) - 2)]
    return (
        other.startswith(stem) or other in word or (len(word) > _RELATED_LETTERS and word in other)
    )


def _has_determiner(tokens: Sequence[_Token], i: int) -> bool:
    """A name has neither article nor adjective right before it."""
    if i == 0 or tokens[i].is_first:
        return False
    before = fold(tokens[i - 1].text)
    is_inflected = tokens[i - 1].text.islower() and re.search(r"(?:e[nmrs]?|lich|ig)$", before)
    return before in _german().determiners or (
        bool(is_inflected) and before not in _german().prepositions
    )


def _in_run(tokens: Sequence[_Token], absent: Sequence[bool], i: int) -> bool:
    """Two words in a row that the text lacks, or one after words of a name."""
    after = i + 1 < len(tokens) and absent[i + 1] and tokens[i + 1].start - tokens[i].end == 1
    before = i > 0 and absent[i - 1] and tokens[i].start - tokens[i - 1].end == 1
    return bool(after or before)


def _follows_kind(tokens: Sequence[_Token], i: int) -> bool:
    before = tokens[i - 1] if i and not tokens[i].is_first else None
    is_next = before is not None and tokens[i].start - before.end == 1
    return bool(before and is_next and _german().kinds.search(fold(before.text)))


def _takes_a_place(claim: str, word: str, text: str) -> bool:
    """Whether some sentence says the claim with another capitalised word in the word's place."""
    rest = terms(claim.replace(word, " ")) - function_terms()
    for sentence in sentences.split(text):
        if not rest or len(rest & terms(sentence)) < _REPEATED * len(rest):
            continue
        if any(w[0].isupper() for w in _rivals(claim, word, sentence)):
            return True
    return False


def _rivals(claim: str, word: str, sentence: str) -> Iterator[str]:
    """Words of a sentence in the place of one of the claim: after or before the same word."""
    mine, theirs = [t.text for t in _tokens(claim)], [t.text for t in _tokens(sentence)]
    place = mine.index(word) if word in mine else 0
    before = mine[place - 1].lower() if place else ""
    after = mine[place + 1].lower() if place + 1 < len(mine) else ""
    for i, other in enumerate(theirs):
        if other in mine:
            continue
        same_before = before and i and theirs[i - 1].lower() == before
        same_after = after and i + 1 < len(theirs) and theirs[i + 1].lower() == after
        if same_before or same_after:
            yield other


def _absent_unspaced(claim: str, text: str) -> bool:
    """Whether a name beside an office or a kind of place is nowhere in the text."""
    if not has_unspaced_script(text):
        return False
    named, no_name = _unspaced_names()
    found = (match.group(1) for pattern in named for match in pattern.finditer(claim))
    # A name may have grown by a word before or after it, so either end of it is enough.
    return any(
        name[:_UNSPACED_END] not in text and name[-_UNSPACED_END:] not in text
        for name in found
        if not no_name.search(name)
    )


def _replaced_unspaced(claim: str, text: str) -> bool:
    """Whether a sentence says the claim of another subject than the claim does."""
    subject = _subject(claim)
    if not subject or subject[: _LEAST_STEM // 2] in text:
        return False
    rest = claim[len(subject) :]
    return len(rest) >= _LEAST_REST and any(
        _says_of_another(rest, sentence) for sentence in sentences.split(text)
    )


def _says_of_another(rest: str, sentence: str) -> bool:
    """Whether a sentence goes on like the rest of a claim after a subject of its own."""
    own = sentence[len(_subject(sentence)) :]
    if own == sentence:
        return False
    matcher = SequenceMatcher(None, rest, own, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) >= _REPEATED * len(rest)


def _subject(text: str) -> str:
    """What a sentence begins with and speaks of, in a script without capital letters."""
    match = _marks().match(text.strip())
    return match.group() if match else ""


@cache
def _marks() -> re.Pattern[str]:
    return re.compile(_data()["unspaced_subject"])


@cache
def _unspaced_names() -> tuple[tuple[re.Pattern[str], ...], re.Pattern[str]]:
    data = _data()
    return tuple(map(re.compile, data["unspaced_names"])), re.compile(data["no_unspaced_name"])


@cache
def _german() -> _German:
    data = _data()["german"]
    return _German(
        determiners=frozenset(data["determiners"].split()),
        prepositions=frozenset(data["prepositions"].split()),
        kinds=re.compile(data["kinds"]),
        common=re.compile(data["common"]),
    )


@cache
def _data() -> dict[str, Any]:
    source = resources.files("pellucid_language").joinpath("claimed_names.yaml")
    loaded: dict[str, Any] = yaml.safe_load(source.read_text("utf-8"))
    return loaded
