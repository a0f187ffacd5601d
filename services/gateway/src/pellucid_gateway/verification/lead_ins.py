"""What stands above a table row or a list item and is part of what it states.

"| Cars | 4.50 crowns |" states something below "| Vehicle | Toll |", and so does "- Cars: 4.50
crowns" below "The tolls of the bridge are:".
"""

import re

_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_INTRODUCES = re.compile(r"[:：][*_]*$")


class LeadIns:
    """Follows the sentences of one answer, in order."""

    def __init__(self) -> None:
        self._columns: tuple[str, ...] = ()
        self._lead = ""
        self._is_row = self._is_item = self._is_head = False
        self._starts_line = True

    @property
    def is_head(self) -> bool:
        """Whether the sentence taken last heads the columns of a table, which states nothing."""
        return self._is_head

    def take(self, sentence: str) -> None:
        """Take the next sentence, or line of a table."""
        bare = sentence.strip()
        if self._starts_line:
            self._is_row = bare.startswith("|")
            self._is_item = bool(_ITEM.match(sentence))
        self._is_head = self._is_row and not self._columns
        if self._is_head:
            self._columns = _cells(bare)
        elif not self._is_row:
            self._columns = ()
        if bare and not (self._is_row or self._is_item):
            self._lead = bare if _INTRODUCES.search(bare) else ""
        self._starts_line = sentence.endswith("\n")

    def joined(self, claim: str) -> str:
        """The claim of the sentence taken last, with what stands above it.

        >>> lines = LeadIns()
        >>> for line in ("| Vehicle | Toll |", "|---|---|", "| Cars | 4.50 crowns |"):
        ...     lines.take(line + chr(10))
        >>> lines.joined("Cars | 4.50 crowns")
        'Vehicle: Cars; Toll: 4.50 crowns'
        """
        if self._is_row:
            cells = _cells(claim)
            if len(cells) != len(self._columns):
                return claim
            pairs = zip(self._columns, cells, strict=True)
            return "; ".join(f"{head}: {cell}" if head else cell for head, cell in pairs if cell)
        return f"{self._lead} {claim}" if self._is_item and self._lead else claim


def _cells(row: str) -> tuple[str, ...]:
    return tuple(cell.strip(" *_") for cell in row.strip().strip("|").split("|"))
