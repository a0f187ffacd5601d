"""The days that sources give for an event, and where two of them differ.

The day on which a page appeared or was changed is no day of what it tells.
"""

import re
from itertools import takewhile

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
    (a, written_a), (b, written_b) = *first.items(), *second.items()
    told = _with_range(one[1], written_a), _with_range(other[1], written_b)
    is_within = (told[1] == written_b and _is_within(b, told[0], a)) or (
        told[0] == written_a and _is_within(a, told[1], b)
    )
    return None if is_within else told


def _days_told(source: Source, sentence: str) -> dict[tuple[int, int], str]:
    """The days in a sentence; that on which the source appeared is no day of an event."""
    own = source.published.time if source.published else None
    issued = (own.month, own.day) if own else None
    return {
        day: written
        for day, written in days_of(sentence).items()
        if day != issued and not re.search(_ISSUED + re.escape(written), sentence)
    }


def _is_within(day: tuple[int, int], told: str, last: tuple[int, int]) -> bool:
    """Whether a day is one of a range of which the last day is given."""
    if not re.match(_RANGE, told):
        return False
    first = int("".join(takewhile(str.isdigit, told)))
    return last[0] == day[0] and first <= day[1] < last[1]


def _with_range(sentence: str, day: str) -> str:
    """The day as written with the first one of its range, as in "8 to 10 April"."""
    match = re.search(_RANGE + re.escape(day), sentence)
    return match.group() if match else day
