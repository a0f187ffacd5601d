"""A disagreement of two sources, and the words that tell it to the model and to the person."""

from dataclasses import dataclass
from enum import StrEnum

from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.notices import Wording


class Preference(StrEnum):
    """Why one side is rather to be believed."""

    NEWER = "newer"
    TRUSTED = "trusted"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Side:
    """One source with what it says, as written there."""

    source: Source
    value: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sources that disagree; `first` is the one rather to be believed, if either is."""

    first: Side
    second: Side
    preference: Preference


def note_of(conflict: Conflict) -> str:
    """A line for the model: both sides, and which is newer or more trusted."""
    first, second = conflict.first, conflict.second
    better = {
        Preference.NEWER: f"; [{first.source.n}] is newer",
        Preference.TRUSTED: f"; [{first.source.n}] is more authoritative",
        Preference.NONE: "",
    }[conflict.preference]
    return (
        f"Disagreement: [{first.source.n}] says {first.value}, "
        f"[{second.source.n}] says {second.value}{better}."
    )


def told(conflict: Conflict, wording: Wording) -> tuple[str, dict[str, str]]:
    """Code and values of the notice that names both sides."""
    first, second = conflict.first, conflict.second
    values = {
        "first": first.source.publisher,
        "one": first.value,
        "second": second.source.publisher,
        "other": second.value,
    }
    if conflict.preference is Preference.NEWER and first.source.published:
        date = wording.date(first.source.published.time)
        return "sources_disagree_newer", {**values, "date": date}
    if conflict.preference is Preference.TRUSTED:
        return "sources_disagree_trusted", values
    return "sources_disagree", values
