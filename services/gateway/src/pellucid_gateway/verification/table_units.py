"""Writes into the cells of a Markdown table the unit that its head or the line above it gives.

"Price in pounds" at the head of a column makes "12.50" in it an amount of pounds.
"""

import re
from collections.abc import Iterator, Sequence

from pellucid_language.quantities import figures

_UNIT = re.compile(
    r"(?:\b(?:in|en)\s|[(\[（:：])\s*([^()\[\]（）:：|]+?)\s*[)\]）:：]?\s*$", re.IGNORECASE
)
_OF = re.compile(r"^(\w+) (?:of|de|d['’])\s?(?=\w)")
_BARE = re.compile(r"[-−+±]?\d[\d.,'’ \u00a0\u202f]*")
_RULE = re.compile(r"[\s|:-]+")


def with_units(text: str) -> str:
    r"""Return a text with a unit behind each bare number of its tables.

    >>> with_units("| Ticket | Price in pounds |\n|---|---|\n| Adults | 12.50 |").splitlines()[-1]
    '| Adults | 12.50 pounds |'
    """
    return "\n".join(_written(text.split("\n"))) if "|" in text else text


def _written(lines: Sequence[str]) -> Iterator[str]:
    above, units = "", None
    for line in lines:
        if not line.lstrip().startswith("|"):
            above, units = line.strip() or above, None
            yield line
        elif units is None:
            common = _unit_of(above)
            units = [_unit_of(cell) or common for cell in line.split("|")]
            yield line
        elif _RULE.fullmatch(line):
            yield line
        else:
            cells = line.split("|")
            units_of_cells = [*units, *[""] * len(cells)]
            yield "|".join(map(_with_unit, cells, units_of_cells[: len(cells)]))


def _unit_of(head: str) -> str:
    """What a head says of its numbers; empty where that is no unit."""
    found = _UNIT.search(head.strip())
    unit = _OF.sub(r"\1 ", found.group(1)) if found else ""
    told = next(figures(f"1 {unit}"), None) if unit and not unit[0].isdigit() else None
    return unit if told and (told.measure or told.values != {1.0}) else ""


def _with_unit(cell: str, unit: str) -> str:
    bare = cell.strip()
    return f" {bare} {unit} " if unit and _BARE.fullmatch(bare) else cell
