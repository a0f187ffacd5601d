"""One piece of a query, and the quotations that are always one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pellucid_decision.question.terms import Kind

_QUOTED = re.compile(
    r'"([^"\n]{2,80})"|「([^」\n]{1,60})」|『([^』\n]{1,60})』|《([^》\n]{1,60})》|«\s?([^»\n]{2,80}?)\s?»|„([^“"\n]{2,80})[“"]'
)


class Role(StrEnum):
    """What a chunk does in the question."""

    CONTENT = "content"
    ASKS = "asks"
    TIME = "time"
    WEAK = "weak"


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of a query.

    Attributes:
        text: As the person wrote it, without particles and possessives.
        kind: How firmly it must be kept.
        role: What it does.
        link: Small words before it that read well in a query; may be left out.
        start: Where it stood in the text.
        flips: It is what the chunk before belongs to ("CEO of Siemens").
    """

    text: str
    kind: Kind = Kind.WORD
    role: Role = Role.CONTENT
    link: str = ""
    start: int = 0
    flips: bool = False

    @property
    def key(self) -> str:
        """Form in which chunks are compared."""
        return self.text.strip('"').casefold()

    @property
    def words(self) -> int:
        """How many words it counts as: quotations, full names and names with a number one."""
        whole = self.kind in {Kind.QUOTED, Kind.ENTITY, Kind.IDENTIFIER}
        return 1 if whole else len(self.text.split())


def quotations(text: str) -> Iterator[tuple[int, int, Chunk]]:
    """Yield where each quotation stands, and the quotation."""
    for match in _QUOTED.finditer(text):
        phrase = next(group for group in match.groups() if group).strip()
        if phrase:
            shown = f'"{phrase}"' if " " in phrase else phrase
            yield match.start(), match.end(), Chunk(shown, Kind.QUOTED, start=match.start())


def masked(text: str, spans: Sequence[tuple[int, int, Chunk]]) -> str:
    """Put blanks in place of what was found already."""
    for start, end, _ in spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text
