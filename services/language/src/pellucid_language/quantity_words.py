"""The words and signs of amounts in all languages: numbers in words, scales, measures, hedges."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from pellucid_language.scripts import HANGUL
from pellucid_language.terms import has_unspaced_script

TEN = "十"
_AND_A_HALF = re.compile(r"一个半|一個半|한 시간 반|one and a half|anderthalb|eineinhalb")


@dataclass(frozen=True, slots=True)
class Table:
    """Values by folded word, and patterns that find the words; `spelled` has them by kind."""

    words: Mapping[str, float]
    ordinals: Mapping[str, float]
    parts: Mapping[str, float]
    multiples: Mapping[str, float]
    phrases: Mapping[str, tuple[str, float]]
    phrases_with_digits: re.Pattern[str]
    digits: Mapping[str, int]
    korean: Mapping[str, int]
    scales: Mapping[str, float]
    measures: Mapping[str, tuple[str, float]]
    spelled: tuple[tuple[str, re.Pattern[str]], ...]
    scale: re.Pattern[str]
    measure: re.Pattern[str]
    sign_before: re.Pattern[str]
    about: re.Pattern[str]
    about_after: re.Pattern[str]
    above: re.Pattern[str]
    below: re.Pattern[str]
    below_after: re.Pattern[str]


@cache
def table() -> Table:
    """Read the table once."""
    source = resources.files("pellucid_language").joinpath("quantities.yaml")
    data: dict[str, Any] = yaml.safe_load(source.read_text("utf-8"))
    words = _by_word(data["tens"]) | _by_word(data["units"])
    ordinals, parts, multiples = (_by_word(data[k]) for k in ("ordinals", "parts", "multiples"))
    scales = _by_word(data["scales"])
    measures = {
        written: (measure, float(worth))
        for measure, by_worth in data["measures"].items()
        for worth, every in by_worth.items()
        for written in every
    }
    phrases = {
        phrase: (measure, float(value))
        for measure, by_value in data["phrases"].items()
        for value, every in by_value.items()
        for phrase in every
    }
    return Table(
        words=words,
        ordinals=ordinals,
        parts=parts,
        multiples=multiples,
        phrases=phrases,
        phrases_with_digits=_bounded(p for p in phrases if any(char.isdigit() for char in p)),
        digits=data["characters"],
        korean=data["korean"],
        scales=scales,
        measures=measures,
        spelled=(
            ("phrases", _bounded(phrases)),
            *_patterns(data, words, ordinals, parts, multiples),
        ),
        scale=_beside(scales, r"[\s\u00a0\u202f-]?"),
        measure=_beside(measures, r"[\s\u00a0\u202f-]?(?:(?:de |d'|d’|us-?|u\.s\. )(?=\w))?"),
        sign_before=re.compile(r"((?<![^\W\d_])(?:usd|eur|gbp|chf|jpy|krw|cny|rmb)|[€$£₩])\s?$"),
        about=_hedging(data["about"]),
        about_after=re.compile(rf"[\s%％]*[^\s\d]{{0,2}}?(?:{_any(data['about_after'])})"),
        above=_hedging(data["above"]),
        below=_hedging(data["below"]),
        below_after=re.compile(rf"[\s%％]*[^\s\d]{{0,3}}?(?:{_any(data['below_after'])})"),
    )


def _patterns(
    data: Mapping[str, Any], words: Mapping[str, float], *others: Mapping[str, float]
) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Kinds of numbers in words, those of several words first."""
    ordinals, parts, multiples = others
    digit = "".join(data["characters"])
    tens, units = _by_word(data["tens"]), _by_word(data["units"])
    return (
        ("half", _AND_A_HALF),
        ("parts", _bounded(parts)),
        ("multiples", _bounded(multiples)),
        ("hundreds", re.compile(rf"\b(?:{_any(units)}) (?:{_any(data['hundreds'])})\b")),
        ("words", re.compile(rf"\b(?:{_any(tens)})(?:-| y | et )(?:{_any(units)})\b")),
        ("words", _bounded(words)),
        ("ordinals", _bounded(ordinals)),
        (
            "korean",
            re.compile(
                rf"(?<![{HANGUL}])(?:{_any(data['korean'])})(?=\s?(?:{data['korean_counters']}))"
            ),
        ),
        (
            "characters",
            re.compile(rf"(?:[{digit}]?{TEN}[{digit}]?|[{digit}])(?=[{data['counters']}])"),
        ),
    )


def _by_word(table: Mapping[float, Iterable[str]]) -> dict[str, float]:
    return {word: float(value) for value, words in table.items() for word in words}


def _bounded(words: Iterable[str]) -> re.Pattern[str]:
    spaced, unspaced = _by_script(words)
    return re.compile(rf"\b(?:{_any(spaced)})\b|(?:{_any(unspaced)})")


def _beside(words: Iterable[str], gap: str) -> re.Pattern[str]:
    """What stands after a number: signs and unspaced scripts anywhere, words whole."""
    spaced, unspaced = _by_script(words)
    return re.compile(rf"{gap}((?:{_any(spaced)})(?![^\W\d_])|(?:{_any(unspaced)}))")


def _hedging(words: Iterable[str]) -> re.Pattern[str]:
    spaced, unspaced = _by_script(words)
    return re.compile(rf"(?:\b(?:{_any(spaced)})\.?\s|(?:{_any(unspaced)})\s?)[$€£¥₩]?\s?$")


def _by_script(words: Iterable[str]) -> tuple[list[str], list[str]]:
    every = list(words)
    unspaced = [w for w in every if has_unspaced_script(w) or not w[0].isalpha()]
    return [w for w in every if w not in unspaced], unspaced or ["\0"]


def _any(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
