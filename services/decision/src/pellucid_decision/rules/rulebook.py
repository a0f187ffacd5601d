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

from pellucid_decision.errors import RulesError
from pellucid_decision.rules.needles import Needles
from pellucid_decision.rules.patterns import any_of, compiled, lowered
from pellucid_decision.rules.reading import (
    mapping_of,
    number_of,
    read_yaml,
    strings_of,
    texts_of,
)
from pellucid_language.detection import UNDETERMINED
from pellucid_language.stop_words import query_stop_words

PLACES = frozenset({"anywhere", "start", "whole"})


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
    catalogue = mapping_of(read_yaml(folder / "signals.yaml"), "signals.yaml")
    specs = {spec.name: spec for spec in _specs(catalogue)}
    rows = _rows(folder / "matrix.yaml") + (_rows(extra) if extra else [])
    categories = sorted(map(_category, rows), key=lambda row: -row.priority)
    languages = {rules.code: rules for rules in _languages(folder / "languages", specs)}
    if "en" not in languages or "any" not in languages:
        raise RulesError("languages: en.yaml and any.yaml are required")
    spoken = [*languages.values()]
    languages |= dict(_worded(folder / "wording", languages["en"], frozenset(languages)))
    return Rulebook(
        version=str(catalogue.get("version", "unnamed")),
        prior=number_of(catalogue, "prior", low=0, high=1),
        search_at=number_of(catalogue, "search_at", low=0, high=1),
        answer_at=number_of(catalogue, "answer_at", low=0, high=1),
        signals=specs,
        languages=languages,
        matrix=tuple(categories),
        needles=Needles(chain(_patterns(spoken), (row.keywords for row in categories))),
        aliases=texts_of(
            mapping_of(read_yaml(folder / "aliases.yaml"), "aliases.yaml"), "aliases.yaml"
        ),
    )


def _specs(catalogue: Mapping[str, Any]) -> Iterator[SignalSpec]:
    for name, row in mapping_of(catalogue.get("signals"), "signals").items():
        entry = mapping_of(row, name)
        where = entry.get("where", "anywhere")
        if where not in PLACES:
            raise RulesError(f"{name}.where: must be one of {sorted(PLACES)}")
        reason = entry.get("reason")
        if not isinstance(reason, str) or not reason.endswith("."):
            raise RulesError(f"{name}.reason: must be a sentence")
        yield SignalSpec(
            name, number_of(entry, "weight", low=-3, high=3, owner=name), where, reason
        )


def _languages(folder: Path, specs: Mapping[str, SignalSpec]) -> Iterator[LanguageRules]:
    places = range(0)
    for path in sorted(folder.glob("*.yaml")):
        content = _with_wording(mapping_of(read_yaml(path), path.name), path)
        code = path.stem
        matchers = tuple(_matchers(content, code, specs))
        places = range(places.stop, places.stop + len(matchers))
        yield replace(_wording_of(content, code), matchers=matchers, places=places)


def _wording_of(content: Mapping[str, Any], code: str) -> LanguageRules:
    """Return the lexicons, phrases and mappings of a language, without its signals."""
    lexicons = mapping_of(content.get("lexicons", {}), code).items()
    phrases = mapping_of(content.get("phrases", {}), code).items()
    mappings = mapping_of(content.get("mappings", {}), code).items()
    return LanguageRules(
        code=code,
        matchers=(),
        places=range(0),
        lexicons={"stopwords": query_stop_words(code)}
        | {
            name: frozenset(word.casefold() for word in strings_of(words, f"{code}.{name}"))
            for name, words in lexicons
        },
        phrases={
            name: compiled(strings_of(items, f"{code}.{name}"), code, "anywhere")
            for name, items in phrases
        },
        mappings={name: texts_of(mapping_of(table, name), name) for name, table in mappings},
    )


def _worded(
    folder: Path, english: LanguageRules, known: frozenset[str]
) -> Iterator[tuple[str, LanguageRules]]:
    """Yield the languages that have a wording but no signals: theirs are those of English."""
    for path in sorted(folder.glob("*.yaml")):
        if path.stem not in known:
            content, code = mapping_of(read_yaml(path), f"wording/{path.name}"), path.stem
            own = _wording_of(content, code)
            phrases = {**english.phrases, **dict.fromkeys(_ENGLISH, _NEVER), **own.phrases}
            yield (
                code,
                replace(own, matchers=english.matchers, places=english.places, phrases=phrases),
            )


# Phrases by which questions are cut: in another language those of English would cut at random.
_ENGLISH = (
    *("opening", "ask_marker", "trailing", "aside", "contrast", "nearby", "place_said"),
    *("comparison", "when_phrases", "live_words", "error_ends", "how_degree", "compounds"),
    *("existential", "closing", "switch", "small_opening", "continuation", "pronoun_forms"),
    *("hours_asked", "release_asked", "one_sided", "place_told", "asks_on"),
    *("correction", "thing_asked", "thing_meant", "relative"),
)
_NEVER = re.compile(r"(?!)")


def _with_wording(content: Mapping[str, Any], path: Path) -> Mapping[str, Any]:
    """Add the lexicons, phrases and mappings of `wording/<code>.yaml`, where there is one."""
    other = path.parent.parent / "wording" / path.name
    if not other.is_file():
        return content
    more = mapping_of(read_yaml(other), f"wording/{path.name}")
    return {
        **content,
        **{
            part: {
                **mapping_of(content.get(part, {}), part),
                **mapping_of(more.get(part, {}), part),
            }
            for part in ("lexicons", "phrases", "mappings")
        },
    }


def _patterns(languages: Iterable[LanguageRules]) -> Iterator[re.Pattern[str]]:
    return (matcher.pattern for rules in languages for matcher in rules.matchers)


def _matchers(
    content: Mapping[str, Any], code: str, specs: Mapping[str, SignalSpec]
) -> Iterator[Matcher]:
    for name, row in mapping_of(content.get("signals", {}), code).items():
        if name not in specs:
            raise RulesError(f"{code}.{name}: not in the catalogue of signals")
        entry = row if isinstance(row, dict) else {"match": row}
        unless = strings_of(entry.get("unless", []), f"{code}.{name}.unless")
        yield Matcher(
            specs[name],
            lowered(strings_of(entry.get("match"), f"{code}.{name}"), code, specs[name].where),
            lowered(unless, code, "anywhere") if unless else None,
        )


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
        needs_recency=bool(row.get("needs_recency", False)),
        real_time=bool(row.get("real_time", False)),
    )
