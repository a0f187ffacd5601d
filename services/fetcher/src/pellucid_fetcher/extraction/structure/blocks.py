"""A page as a flat list of text blocks with the place of each.

Decides what a block is. Which blocks are the main content is decided elsewhere.
"""

import re
import string
from dataclasses import dataclass, field
from typing import Final

from pellucid_language.scripts import HAN, KANA, THAI

_SENTENCE_WORDS: Final = 8  # shorter paragraphs seldom are one
_DENSE: Final = re.compile(f"[{HAN}{KANA}{THAI}]+")  # scripts without spaces
_OTHERS: Final = re.compile(r"[^\x00-\x7f]+")
_WORD: Final = re.compile(r"\w+")
_ASCII_WORDS: Final = bytes(at if chr(at).isalnum() or chr(at) == "_" else 32 for at in range(256))
_SPACE: Final = re.compile(r"[ \t\r\n\f\v\xa0\u2028\u2029\u3000]+")
_ASCII_MARKS: Final = (
    string.ascii_letters.encode(), string.digits.encode(), string.ascii_uppercase.encode(),
)  # fmt: skip
# Zero-width characters, bidirectional controls, the tag block, soft hyphens and variation
# selectors: never read by people, and a favourite place for text that only a machine sees.
# A joiner between two letters of a script that is written with joiners is spelling.
_SPELLED: Final = "[\u0620-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17d3]"
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\x00-\x08\x0b\x0e-\x1f\x7f]"
    f"(?:(?<!{_SPELLED}[\u200c\u200d])|(?!{_SPELLED}))"
)


@dataclass(slots=True)
class Place:
    """An element on the way from the root to a block.

    Attributes:
        names: Class, id, role and similar in lower case, separated by spaces.
        words: Words of all blocks inside.
        link_words: Those of them inside links.
        blocks: Number of blocks inside.
        paragraphs: Those of them that are sentences.
        fields: Fields to fill in or to tick right inside; none that only search.
        keeps_lines: Its style keeps the line breaks of the mark-up.
    """

    tag: str
    names: str
    parent: "Place | None"
    depth: int
    words: int = 0
    link_words: int = 0
    blocks: int = 0
    paragraphs: int = 0
    fields: int = 0
    keeps_lines: bool = False


@dataclass(slots=True)
class Block:
    """Text that is displayed as one paragraph, heading, list item, table row or listing.

    Attributes:
        kind: "p", "h", "li", "row", "pre" or "quote".
        text: Its text; rows keep their cells apart with " | ".
        level: Heading level, or depth of the list.
        marker: "- " or "1. " before the first block of an item; empty otherwise.
        words: Number of words.
        link_words: Those inside links.
        links: Number of links.
        noscript: It stands inside noscript.
        header: A row of heading cells.
        language: Of a listing; empty when it names none.
        label: Of the tab that opens it; of the first block only.
        instants: What its elements tell machines of a time.
        marked: Its text with its links marked; empty when none is.
    """

    kind: str
    text: str
    place: Place
    level: int = 0
    marker: str = ""
    words: int = 0
    link_words: int = 0
    links: int = 0
    noscript: bool = False
    header: bool = False
    language: str = ""
    marked: str = ""
    label: str = ""
    instants: tuple[str, ...] = ()


@dataclass(slots=True)
class PageBlocks:
    """All blocks of a page.

    Attributes:
        limited: The page is deeper or larger than is walked; the rest is missing.
        scripts: Number of script elements.
        links: Where its marked links lead.
        pictures: What pictures show that say it, each with the number of blocks before it.
    """

    blocks: list[Block] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    pictures: list[tuple[int, Block]] = field(default_factory=list)
    elements: int = 0
    scripts: int = 0
    password: bool = False
    limited: bool = False

    @property
    def words(self) -> int:
        """Number of words that it shows."""
        return sum(block.words for block in self.blocks)


def add_to_places(block: Block) -> None:
    """Count a block into every element around it."""
    place: Place | None = block.place
    is_sentence = block.kind == "p" and block.words > _SENTENCE_WORDS
    while place is not None:
        place.words += block.words
        place.link_words += block.link_words
        place.blocks += 1
        place.paragraphs += is_sentence
        place = place.parent


def clean(text: str) -> str:
    r"""Collapse white space and drop invisible characters.

    >>> clean(" a\u200b  b ")
    'a b'
    """
    if not text.isascii():
        return _SPACE.sub(" ", _INVISIBLE.sub("", text)).strip()
    plain = " ".join(text.split())
    return plain if plain.isprintable() else " ".join(_INVISIBLE.sub("", text).split())


def without_invisible(text: str) -> str:
    """Drop characters that no reader sees."""
    return text if text.isascii() and text.isprintable() else _INVISIBLE.sub("", text)


def count_words(text: str) -> int:
    """Count words; in scripts without spaces two characters count as one.

    >>> count_words("two words")
    2
    """
    if text.isascii():
        return len(text.split())
    dense = sum(map(len, _DENSE.findall(text)))
    return len(text.split()) + dense // 2


def count_marks(text: str) -> tuple[int, int, int]:
    """Count the letters, digits and capitals.

    >>> count_marks("Lock 12")
    (4, 2, 1)
    """
    raw = text.encode("ascii", "ignore")
    letters, digits, capitals = (len(raw) - len(raw.translate(None, m)) for m in _ASCII_MARKS)
    if len(raw) < len(text):
        others = "".join(_OTHERS.findall(text))
        letters += sum(map(str.isalpha, others))
        digits += sum(map(str.isdigit, others))
        capitals += sum(map(str.isupper, others))
    return letters, digits, capitals


def words_of(text: str) -> set[str]:
    """Return the words of a text in lower case.

    >>> sorted(words_of("The lock, the_key"))
    ['lock', 'the', 'the_key']
    """
    lower = text.lower()
    if not lower.isascii():
        return set(_WORD.findall(lower))
    return set(lower.encode().translate(_ASCII_WORDS).decode().split())
