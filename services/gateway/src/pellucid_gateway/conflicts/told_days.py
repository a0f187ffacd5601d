"""The days that sources give for an event, and where two of them differ.

The day on which a page appeared or was changed is no day of what it tells.
"""

import re

from pellucid_gateway.domain.findings import Source
from pellucid_language.written_dates import days_of

# Between the first and the last day of a range.
_RANGE = r"\b\d{1,2}\.?\s?(?:to|and|bis|und|au|et|al|y|-|–)\s?"
# Before the day on which a page appeared or was changed.
_ISSUED = (
    r"(?:·|\||[Uu]pdated|[Pp]ublished|[Pp]osted|Aktualisiert|Stand|[Mm]is à jour"
    r"|[Pp]ublié|[Aa]ctualizado|[Pp]ublicado|입력|수정|更新|公開|发布)[:：]?\s*(?:on |am |le |el )?"
)


def different_days(one: tuple[Source, str], other: tuple[Source, str]) -> tuple[str, str] | None:
    """Each sentence names one day and they are not the same: both as written, ranges whole."""
    first, second = _days_told(*one), _days_told(*other)
    if len(first) != 1 or len(second) != 1 or first.keys() == second.keys():
        return None
    days = next(iter(first.values())), next(iter(second.values()))
    return _with_range(one[1], days[0]), _with_range(other[1], days[1])


def _days_told(source: Source, sentence: str) -> dict[tuple[int, int], str]:
    """The days in a sentence; that on which the source appeared is no day of an event."""
    own = source.published.time if source.published else None
    issued = (own.month, own.day) if own else None
    return {
        day: written
        for day, written in days_of(sentence).items()
        if day != issued and not re.search(_ISSUED + re.escape(written), sentence)
    }


def _with_range(sentence: str, day: str) -> str:
    """The day as written with the first one of its range, as in "8 to 10 April"."""
    match = re.search(_RANGE + re.escape(day), sentence)
    return match.group() if match else day
