"""The rules as data: schema, validation and compilation of the YAML files of a rules folder.

`signals.yaml` is the catalogue (names, weights, reasons), `languages/<code>.yaml` holds the
patterns and lexicons of one language, `matrix.yaml` the keyword matrix, `aliases.yaml` names with their
tickers. A folder is taken whole or not at all.
"""  # noqa: E501 - one pattern or table row

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

from pellucid_decision.errors import RulesError
from pellucid_decision.rules.needles import Needles
from pellucid_decision.rules.patterns import any_of, compiled, lowered
from pellucid_language.detection import UNDETERMINED
from pellucid_language.stop_words import query_stop_words

PLACES = frozenset({"anywhere", "start", "whole"})
MAX_FILE_BYTES = 262_144


@dataclass(frozen=True, slots=True)
class SignalSpec:
    """One entry of the catalogue.

    Attributes:
        name: Stable snake-case name.
        weight: Contribution to the score, -3 to 3.
        where: Whether a pattern may match anywhere, at the start, or must match the whole message.
        reason: One English sentence given when this signal decides.
    """

    name: str
    weight: float
    where: str
    reason: str

    @property
    def veto(self) -> bool:
        """True for a signal against searching."""
        return self.weight < 0


@dataclass(frozen=True, slots=True)
class Matcher:
    """Compiled patterns of one signal in one language.

    Attributes:
        spec: What it means.
        pattern: Fires when it matches the lower-case text.
        unless: Suppresses the signal when it matches anywhere; None for never.
    """

    spec: SignalSpec
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Category:
    """One row of the keyword matrix.

    Attributes:
        name: Category, for example "finance_price".
        keywords: What is asked for, in lower case, as the next two.
        assets: What it is asked about; empty when keywords are enough.
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
class LanguageRules:
    """Patterns and lexicons of one language.

    Attributes:
        places: Of the matchers, among the needles of the rulebook.
    """

    code: str
    matchers: tuple[Matcher, ...]
    places: range
    lexicons: Mapping[str, frozenset[str]]
    phrases: Mapping[str, re.Pattern[str]]
    mappings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def among(self, possible: Sequence[int]) -> list[Matcher]:
        """Return the matchers that stand at some of these places, which are in order."""
        first, last = (bisect_left(possible, end) for end in (self.places.start, self.places.stop))
        return [self.matchers[place - self.places.start] for place in possible[first:last]]

    def words(self, name: str) -> frozenset[str]:
        """Return a lexicon, empty when the language has none of that name."""
        return self.lexicons.get(name, frozenset())

    def phrase(self, name: str) -> re.Pattern[str] | None:
        """Return a compiled phrase list, None when the language has none of that name."""
        return self.phrases.get(name)


@dataclass(frozen=True, slots=True)
class Rulebook:
    """All rules of one folder.

    Attributes:
        version: Free text that says which revision this is.
        prior: Score of a message on which nothing fires.
        search_at: Score from which the rules search.
        answer_at: Score up to which the rules answer.
        signals: Catalogue by name.
        languages: Rules by ISO 639-1 code; "any" holds those for every language.
        matrix: Keyword matrix, most urgent first.
        needles: Those of the matchers of all languages, then of the keywords of the matrix.
        aliases: Other names by folded name.
    """

    version: str
    prior: float
    search_at: float
    answer_at: float
    signals: Mapping[str, SignalSpec]
    languages: Mapping[str, LanguageRules]
    matrix: tuple[Category, ...]
    needles: Needles
    aliases: Mapping[str, str]

    def of(self, code: str) -> LanguageRules:
        """Return the rules of a language.

        One that has none takes the patterns of English under its own code, so that its words are
        neither spelt nor turned round as English ones.
        """
        english = self.languages["en"]
        if code in self.languages:
            return self.languages[code]
        return english if code in {"", UNDETERMINED} else replace(english, code=code)

    def watched(self, text: str) -> Iterator[Category]:
        """Yield the rows of the matrix whose keywords may stand in a lower-case text, in order."""
        first = max(rules.places.stop for rules in self.languages.values())
        yield from (self.matrix[place - first] for place in self.needles.possible(text, first))


def load_rulebook(folder: Path, extra: Path | None = None) -> Rulebook:
    """Read and compile a rules folder.

    Args:
        folder: Folder with `signals.yaml`, `matrix.yaml`, `aliases.yaml` and `languages/`.
        extra: Operator's own matrix file whose categories come on top; None for none.

    Raises:
        RulesError: A file is missing, too large, not YAML, or breaks the schema.
    """
    catalogue = _mapping(_read(folder / "signals.yaml"), "signals.yaml")
    specs = {spec.name: spec for spec in _specs(catalogue)}
    rows = _rows(folder / "matrix.yaml") + (_rows(extra) if extra else [])
    categories = sorted(map(_category, rows), key=lambda row: -row.priority)
    languages = {rules.code: rules for rules in _languages(folder / "languages", specs)}
    if "en" not in languages or "any" not in languages:
        raise RulesError("languages: en.yaml and any.yaml are required")
    return Rulebook(
        version=str(catalogue.get("version", "unnamed")),
        prior=_number(catalogue, "prior", low=0, high=1),
        search_at=_number(catalogue, "search_at", low=0, high=1),
        answer_at=_number(catalogue, "answer_at", low=0, high=1),
        signals=specs,
        languages=languages,
        matrix=tuple(categories),
        needles=Needles(chain(_patterns(languages.values()), (row.keywords for row in categories))),
        aliases=_texts(_mapping(_read(folder / "aliases.yaml"), "aliases.yaml"), "aliases.yaml"),
    )


def _read(path: Path) -> object:
    try:
        raw = path.read_bytes()
        if len(raw) > MAX_FILE_BYTES:
            raise RulesError(f"{path.name}: larger than {MAX_FILE_BYTES} bytes")
        text = raw.decode()
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=_Loader)):
            raise yaml.YAMLError("aliases are not allowed, they can blow up a small file")  # noqa: TRY301 - one place maps the errors
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader subclass
    except OSError as error:
        raise RulesError(f"{path.name}: cannot be read ({error.strerror})") from error
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise RulesError(f"{path.name}: not valid YAML ({type(error).__name__})") from error


class _Loader(yaml.CSafeLoader):
    """Safe loader that takes "on" and "no" for words."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - the form that PyYAML reads
        first: [(tag, form) for tag, form in pairs if first in "tTfF" or not tag.endswith(":bool")]
        for first, pairs in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }


def _specs(catalogue: Mapping[str, Any]) -> Iterator[SignalSpec]:
    for name, row in _mapping(catalogue.get("signals"), "signals").items():
        entry = _mapping(row, name)
        where = entry.get("where", "anywhere")
        if where not in PLACES:
            raise RulesError(f"{name}.where: must be one of {sorted(PLACES)}")
        reason = entry.get("reason")
        if not isinstance(reason, str) or not reason.endswith("."):
            raise RulesError(f"{name}.reason: must be a sentence")
        yield SignalSpec(name, _number(entry, "weight", low=-3, high=3, owner=name), where, reason)


def _languages(folder: Path, specs: Mapping[str, SignalSpec]) -> Iterator[LanguageRules]:
    places = range(0)
    for path in sorted(folder.glob("*.yaml")):
        content = _with_wording(_mapping(_read(path), path.name), path)
        code = path.stem
        matchers = tuple(_matchers(content, code, specs))
        places = range(places.stop, places.stop + len(matchers))
        yield LanguageRules(
            code=code,
            matchers=matchers,
            places=places,
            lexicons={
                "stopwords": query_stop_words(code),
            }
            | {
                name: frozenset(word.casefold() for word in _strings(words, f"{code}.{name}"))
                for name, words in _mapping(content.get("lexicons", {}), code).items()
            },
            phrases={
                name: compiled(_strings(items, f"{code}.{name}"), code, "anywhere")
                for name, items in _mapping(content.get("phrases", {}), code).items()
            },
            mappings={
                name: _texts(_mapping(table, name), name)
                for name, table in _mapping(content.get("mappings", {}), code).items()
            },
        )


def _with_wording(content: Mapping[str, Any], path: Path) -> Mapping[str, Any]:
    """Add the lexicons, phrases and mappings of `wording/<code>.yaml`, where there is one."""
    other = path.parent.parent / "wording" / path.name
    if not other.is_file():
        return content
    more = _mapping(_read(other), f"wording/{path.name}")
    return {
        **content,
        **{
            part: {**_mapping(content.get(part, {}), part), **_mapping(more.get(part, {}), part)}
            for part in ("lexicons", "phrases", "mappings")
        },
    }


def _patterns(languages: Iterable[LanguageRules]) -> Iterator[re.Pattern[str]]:
    return (matcher.pattern for rules in languages for matcher in rules.matchers)


def _matchers(
    content: Mapping[str, Any], code: str, specs: Mapping[str, SignalSpec]
) -> Iterator[Matcher]:
    for name, row in _mapping(content.get("signals", {}), code).items():
        if name not in specs:
            raise RulesError(f"{code}.{name}: not in the catalogue of signals")
        entry = row if isinstance(row, dict) else {"match": row}
        unless = _strings(entry.get("unless", []), f"{code}.{name}.unless")
        yield Matcher(
            specs[name],
            lowered(_strings(entry.get("match"), f"{code}.{name}"), code, specs[name].where),
            lowered(unless, code, "anywhere") if unless else None,
        )


def _rows(path: Path) -> list[Mapping[str, Any]]:
    listed = _mapping(_read(path), path.name).get("categories")
    if not isinstance(listed, list) or not listed:
        raise RulesError(f"{path.name}.categories: must be a list")
    return [_mapping(row, path.name) for row in listed]


def _category(row: Mapping[str, Any]) -> Category:
    name = row.get("name")
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]{1,40}", name):
        raise RulesError("matrix: every category needs a snake-case name")
    return Category(
        name=name,
        keywords=any_of(_strings(row.get("keywords"), f"{name}.keywords")),
        assets=any_of(_strings(row["assets"], f"{name}.assets")) if row.get("assets") else None,
        context=any_of(_strings(row["context"], f"{name}.context")) if row.get("context") else None,
        priority=_number(row, "priority", low=0, high=1, owner=name),
        needs_recency=bool(row.get("needs_recency", False)),
        real_time=bool(row.get("real_time", False)),
    )


def _mapping(value: object, owner: str) -> Mapping[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise RulesError(f"{owner}: must be a mapping with text keys")
    return value


def _texts(table: Mapping[str, Any], owner: str) -> Mapping[str, str]:
    if not all(isinstance(value, str) for value in table.values()):
        raise RulesError(f"{owner}: values must be text")
    return {key.casefold(): value for key, value in table.items()}


def _strings(value: object, owner: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise RulesError(f"{owner}: must be a list of texts")
    return value


def _number(
    row: Mapping[str, Any], name: str, *, low: float, high: float, owner: str = "rules"
) -> float:
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise RulesError(f"{owner}.{name}: must be a number from {low} to {high}")
    return float(value)
