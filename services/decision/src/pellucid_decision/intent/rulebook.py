"""Rules of form as data: schema, validation and compilation of the YAML files of a rules folder.

`forms.yaml` holds what a message settles by its form and the fallback's words, `matrix.yaml` the
keyword matrix, `aliases.yaml` names with their tickers. A folder is taken whole or not at all.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol

from pydantic import BaseModel, Field

from pellucid_decision.errors import RulesError
from pellucid_decision.intent.patterns import any_of, lowered
from pellucid_decision.intent.yaml_files import read_as

Patterns = tuple[re.Pattern[str], ...]
Words = list[Annotated[str, Field(min_length=1)]]
_REQUIRED = {
    "signals": ("task_prompt", "tool_result", "dont_search", "explicit_lookup", "ask_sources"),
    "phrases": ("about_answer", "deep_research", "query_wrapper", "reads_link"),
    "fallback": ("time_word",),
}
"""Entries of `forms.yaml` that are asked for by name."""


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


class _Entry(BaseModel, extra="allow", strict=True):
    """A signal as `forms.yaml` writes it: its patterns by language beside weight and reason."""

    __pydantic_extra__: dict[str, Words]
    # A word of the fallback counts as much as any other.
    weight: float = Field(0.5, ge=-1, le=1)
    reason: str = Field(pattern=r"\.$")

    def named(self, name: str) -> FormSignal:
        """Return the signal, its patterns compiled."""
        return FormSignal(name, self.weight, self.reason, _lowered(self.__pydantic_extra__))


class _Forms(BaseModel, strict=True):
    """What `forms.yaml` holds."""

    version: object = "unnamed"
    signals: dict[str, _Entry]
    phrases: dict[str, dict[str, Words]]
    site_prepositions: Words
    fallback: dict[str, _Entry]


class _Row(BaseModel, strict=True):
    """A row of the keyword matrix."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{1,40}$")
    keywords: Words
    assets: Words = []
    context: Words = []
    priority: float = Field(ge=0, le=1)
    needs_recency: bool = False
    real_time: bool = False


class _Matrix(BaseModel, strict=True):
    """What `matrix.yaml` holds."""

    categories: list[_Row] = Field(min_length=1)


def load_rulebook(folder: Path, extra: Path | None = None) -> Rulebook:
    """Read and compile a rules folder.

    Args:
        folder: Folder with `forms.yaml`, `matrix.yaml` and `aliases.yaml`.
        extra: Operator's own matrix file whose categories come on top; None for none.

    Raises:
        RulesError: A file is missing, too large, not YAML, or breaks the schema.
    """
    forms = read_as(_Forms, folder / "forms.yaml")
    paths = filter(None, (folder / "matrix.yaml", extra))
    rows = [row for path in paths for row in read_as(_Matrix, path).categories]
    aliases = read_as(dict[str, str], folder / "aliases.yaml")
    book = Rulebook(
        version=str(forms.version),
        signals={name: entry.named(name) for name, entry in forms.signals.items()},
        phrases={name: _lowered(patterns) for name, patterns in forms.phrases.items()},
        site_prepositions=_before_site(forms.site_prepositions),
        fallback={name: entry.named(name) for name, entry in forms.fallback.items()},
        matrix=tuple(sorted(map(_category, rows), key=lambda row: -row.priority)),
        aliases={name.casefold(): other for name, other in aliases.items()},
    )
    for part, names in _REQUIRED.items():
        if lacking := set(names) - set(getattr(book, part)):
            raise RulesError(f"forms.yaml: {part} lacks {', '.join(sorted(lacking))}")
    return book


def _lowered(patterns: Mapping[str, Sequence[str]]) -> Patterns:
    """Compile the patterns of each language, for lower-case text."""
    return tuple(lowered(items, code) for code, items in patterns.items())


def _before_site(words: Sequence[str]) -> re.Pattern[str]:
    listed = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(rf"\b(?:{listed})\s+", re.IGNORECASE)


def _category(row: _Row) -> Category:
    return Category(
        name=row.name,
        keywords=any_of(row.keywords),
        assets=any_of(row.assets) if row.assets else None,
        context=any_of(row.context) if row.context else None,
        priority=row.priority,
        needs_recency=row.needs_recency,
        real_time=row.real_time,
    )
