"""Makes the written pages as long as pages of the web, with more of the same kind.

Sentences are put together from ``prose.yaml``. Decides how much a page of each kind grows; what is
added is content like the rest, and stands in the labelled text.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from pages.layouts import Line, Words

_ENDS_A_SENTENCE: Final = ".。"
_LIST_ITEMS: Final = 4


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes more text.

    Attributes:
        lines: What the page has already.
        prose: Parts of sentences in its language.
    """

    lines: tuple[Line, ...]
    prose: Words
    dice: Random

    def sentence(self) -> str:
        """Write one sentence."""
        thing, other = self.dice.sample(self.prose["things"], 2)
        text: str = self.dice.choice(self.prose["sentences"]).format(
            thing=thing,
            other=other,
            place=self.dice.choice(self.prose["places"]),
            person=self.dice.choice(self.prose["people"]),
            time=self.dice.choice(self.prose["times"]),
            number=self.dice.randrange(3, 90),
        )
        return text[:1].upper() + text[1:]

    def paragraph(self, most: int = 5) -> str:
        """Write a few sentences."""
        between = "" if self.prose["sentences"][0][-1] == "。" else " "
        return between.join(self.sentence() for _ in range(self.dice.randint(2, most)))

    def name(self) -> str:
        """Name a piece of goods."""
        good, make = self.dice.choice(self.prose["goods"]), self.dice.choice(self.prose["makes"])
        return f"{good}, {make}, {self.dice.randrange(10, 99)}"

    def chapter(self) -> Iterator[Line]:
        """Write a heading with paragraphs, and sometimes a list."""
        yield "##", self.dice.choice(self.prose["heads"])
        for _ in range(self.dice.randint(1, 3)):
            yield "p", self.paragraph()
        if self.dice.random() < 0.3:  # noqa: PLR2004 - about one in three
            for _ in range(_LIST_ITEMS):
                yield "-", self.sentence()

    def chapters(self, least: int, most: int) -> Iterator[Line]:
        """Write some chapters, each heading once."""
        seen: set[str] = set()
        for _ in range(self.dice.randint(least, most)):
            chapter = list(self.chapter())
            if chapter[0][1] not in seen:
                seen.add(chapter[0][1])
                yield from chapter


def _article(writer: Writer) -> Iterator[Line]:
    for _ in range(writer.dice.randint(3, 7)):
        yield "p", writer.paragraph()
    yield from writer.chapters(2, 6)


def _documentation(writer: Writer) -> Iterator[Line]:
    yield from writer.chapters(4, 9)
    for number in range(3):
        yield "$", f"press --page {number} --out sheet-{writer.dice.randrange(99)}.txt"


def _forum(writer: Writer) -> Iterator[Line]:
    names = [text for mark, text in writer.lines if mark == "@"]
    for number in range(writer.dice.randint(4, 10)):
        yield "@", names[number % len(names)]
        for _ in range(writer.dice.randint(1, 2)):
            yield "p", writer.paragraph()


def _product(writer: Writer) -> Iterator[Line]:
    yield "##", writer.prose["heads"][6]
    for _ in range(writer.dice.randint(2, 4)):
        yield "p", writer.paragraph()
    for _ in range(_LIST_ITEMS):
        yield "-", writer.sentence()


def _listing(writer: Writer) -> Iterator[Line]:
    for _ in range(writer.dice.randint(8, 16)):
        yield "*", writer.sentence().rstrip(_ENDS_A_SENTENCE)
        yield "p", writer.paragraph(3)


def _collection(writer: Writer) -> Iterator[Line]:
    prices = [text.split(" | ")[1] for mark, text in writer.lines if mark == "*"]
    for name in dict.fromkeys(writer.name() for _ in range(writer.dice.randint(16, 40))):
        yield "*", f"{name} | {writer.dice.choice(prices)}"


def _service(writer: Writer) -> Iterator[Line]:
    yield from writer.chapters(3, 6)


_WAYS: Final[Mapping[str, Callable[[Writer], Iterator[Line]]]] = {
    "article": _article,
    "documentation": _documentation,
    "forum": _forum,
    "product": _product,
    "listing": _listing,
    "collection": _collection,
    "service": _service,
}


def grown(kind: str, lines: tuple[Line, ...], prose: Words, dice: Random) -> tuple[Line, ...]:
    """Return the lines of a page with more below them.

    Args:
        kind: Of the page.
        lines: As they were written.
        prose: Parts of sentences in its language.
        dice: Decides what and how much.
    """
    return (*lines, *_WAYS[kind](Writer(lines, prose, dice)))
