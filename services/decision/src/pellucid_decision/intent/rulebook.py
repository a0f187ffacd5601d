"""Rules of form as data: schema, validation and compilation of the YAML files of a rules folder.

`forms.yaml` holds what a message settles by its form and the fallback's words, `matrix.yaml` the
keyword matrix, `aliases.yaml` names with their tickers. A folder is taken whole or not at all.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pellucid_decision.errors import RulesError
from pellucid_decision.intent.patterns import any_of, lowered
from pellucid_decision.intent.yaml_files import (
    flag_of,
    mapping_of,
    number_of,
    read_yaml,
    strings_of,
    texts_of,
)

Patterns = tuple[re.Pattern[str], ...]
_REQUIRED = {
    "signals": ("task_prompt", "tool_result", "dont_search", "explicit_lookup", "ask_sources"),
    "phrases": ("about_answer", "deep_research", "query_wrapper", "reads_link"),
    "fallback": ("time_word",),
}
"""Entries of `forms.yaml` that are asked for by name."""
# A word of the fallback counts as much as any other.
_FALLBACK_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class FormSignal:
    """What the form of a message says.

    Attributes:
        name: Stable snake-case name.
        weight: -1 to 1; above 0 speaks for a search.
        reason: One English sentence.
        patterns: For lower-case text, any of which may match.
    """

    name: str
    weight: float
    reason: str
    patterns: Patterns


@dataclass(frozen=True, slots=True)
class Category:
    """One row of the keyword matrix.

    Attributes:
        name: Category, for example "finance_price".
        keywords: What is asked for, in lower case, as the next two.
        assets: What it is asked about; None when keywords are enough.
        context: Words that stand in for an asset.
        priority: 0 to 1, higher is more urgent.
        needs_recency: A recency word is required.
        real_time: The value changes within the day.
    """

    name: str
    keywords: re.Pattern[str]
    assets: re.Pattern[str] | None
    context: re.Pattern[str] | None
    priority: float
    needs_recency: bool
    real_time: bool


@dataclass(frozen=True, slots=True)
class Rulebook:
    """All rules of one folder.

    Attributes:
        version: Free text that says which revision this is.
        signals: What settles a message by its form, by name.
        phrases: Patterns by name that settle nothing by themselves.
        site_prepositions: Words before a host that is the place to look.
        fallback: What searches where neither model answers, by name.
        matrix: Keyword matrix, most urgent first.
        aliases: Other names by folded name.
    """

    version: str
    signals: Mapping[str, FormSignal]
    phrases: Mapping[str, Patterns]
    site_prepositions: re.Pattern[str]
    fallback: Mapping[str, FormSignal]
    matrix: tuple[Category, ...]
    aliases: Mapping[str, str]

    def found(self, name: str, text: str) -> re.Match[str] | None:
        """Return where a phrase matches a text first, None when it does not."""
        return next(filter(None, (pattern.search(text) for pattern in self.phrases[name])), None)


class Rules(Protocol):
    """Gives the rules in force."""

    @property
    def book(self) -> Rulebook:
        """The newest rules that loaded without error."""
        ...


def load_rulebook(folder: Path, extra: Path | None = None) -> Rulebook:
    """Read and compile a rules folder.

    Args:
        folder: Folder with `forms.yaml`, `matrix.yaml` and `aliases.yaml`.
        extra: Operator's own matrix file whose categories come on top; None for none.

    Raises:
        RulesError: A file is missing, too large, not YAML, or breaks the schema.
    """
    forms = mapping_of(read_yaml(folder / "forms.yaml"), "forms.yaml")
    rows = _rows(folder / "matrix.yaml") + (_rows(extra) if extra else [])
    book = Rulebook(
        version=str(forms.get("version", "unnamed")),
        signals=dict(_signals(forms, "signals")),
        phrases={
            name: _lowered(mapping_of(row, name), name)
            for name, row in mapping_of(forms.get("phrases"), "phrases").items()
        },
        site_prepositions=_before_site(strings_of(forms.get("site_prepositions"), "prepositions")),
        fallback=dict(_signals(forms, "fallback")),
        matrix=tuple(sorted(map(_category, rows), key=lambda row: -row.priority)),
        aliases=texts_of(
            mapping_of(read_yaml(folder / "aliases.yaml"), "aliases.yaml"), "aliases.yaml"
        ),
    )
    for part, names in _REQUIRED.items():
        if lacking := set(names) - set(getattr(book, part)):
            raise RulesError(f"forms.yaml: {part} lacks {', '.join(sorted(lacking))}")
    return book


def _signals(forms: Mapping[str, Any], part: str) -> Iterator[tuple[str, FormSignal]]:
    for name, row in mapping_of(forms.get(part), part).items():
        entry = dict(mapping_of(row, name))
        reason = entry.pop("reason", None)
        if not isinstance(reason, str) or not reason.endswith("."):
            raise RulesError(f"{name}.reason: must be a sentence")
        weight = number_of(
            {"weight": _FALLBACK_WEIGHT} | entry, "weight", low=-1, high=1, owner=name
        )
        entry.pop("weight", None)
        yield name, FormSignal(name, weight, reason, _lowered(entry, name))


def _lowered(row: Mapping[str, Any], owner: str) -> Patterns:
    """Compile the patterns of each language, for lower-case text."""
    return tuple(lowered(strings_of(items, f"{owner}.{code}"), code) for code, items in row.items())


def _before_site(words: list[str]) -> re.Pattern[str]:
    listed = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(rf"\b(?:{listed})\s+", re.IGNORECASE)


def _rows(path: Path) -> list[Mapping[str, Any]]:
    listed = mapping_of(read_yaml(path), path.name).get("categories")
    if not isinstance(listed, list) or not listed:
        raise RulesError(f"{path.name}.categories: must be a list")
    return [mapping_of(row, path.name) for row in listed]


def _category(row: Mapping[str, Any]) -> Category:
    name = row.get("name")
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]{1,40}", name):
        raise RulesError("matrix: every category needs a snake-case name")
    return Category(
        name=name,
        keywords=any_of(strings_of(row.get("keywords"), f"{name}.keywords")),
        assets=any_of(strings_of(row["assets"], f"{name}.assets")) if row.get("assets") else None,
        context=any_of(strings_of(row["context"], f"{name}.context"))
        if row.get("context")
        else None,
        priority=number_of(row, "priority", low=0, high=1, owner=name),
        needs_recency=flag_of(row, "needs_recency", name),
        real_time=flag_of(row, "real_time", name),
    )
