"""Texts for people in seven languages, from `notices.yaml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

import yaml

from pellucid_language.calendar import LANGUAGES, month_name

DEFAULT_LANGUAGE = "en"

# Codes that say that nothing could be searched.
SEARCH_LOST = frozenset(
    {
        "search_unavailable",
        "search_busy",
        "search_quota_spent",
        "search_budget_spent",
        "search_not_configured",
        "subject_only",
    }
)
# Codes of what may pass by itself, so that the person may ask the same again.
RETRYABLE = frozenset(
    {
        "search_unavailable",
        "search_busy",
        "web_unavailable",
        "taking_long",
        "partial_answer",
        "model_silent",
        "model_rate_limited",
        "model_unreachable",
        "model_too_slow",
    }
)


@dataclass(frozen=True, slots=True)
class Wording:
    """All texts in one language.

    Attributes:
        language: ISO 639-1 code, one of LANGUAGES.
        texts: Sections (notices, pages, progress, answer) of templates by name.
    """

    language: str
    texts: Mapping[str, Mapping[str, str]]

    def notice(self, code: str, **values: str) -> str:
        """Sentence of a notice; raises KeyError for an unknown code."""
        return self.texts["notices"][code].format(**values)

    def page(self, cause: str, **values: str) -> str:
        """Sentence on a page that could not be read, or what may help then."""
        return self.texts["pages"][cause].format(**values)

    def progress(self, step: str, **values: object) -> str:
        """Sentence of a progress event."""
        return self.texts["progress"][step].format(**values)

    def answer(self, part: str, **values: object) -> str:
        """Part of an extractive answer or of a source list."""
        return self.texts["answer"][part].format(**values)

    def date(self, instant: datetime) -> str:
        """The day as people write it, for example "3 October 2026"."""
        month = month_name(instant.month, self.language)
        return self.answer("date", day=instant.day, month=month, year=instant.year)


def wording_for(language: str) -> Wording:
    """Texts in the language, in English when there are none."""
    short = language.lower().split("-")[0]
    return _wordings()[short if short in LANGUAGES else DEFAULT_LANGUAGE]


@cache
def _wordings() -> Mapping[str, Wording]:
    source = resources.files("pellucid_gateway.domain").joinpath("notices.yaml")
    table: dict[str, Any] = yaml.safe_load(source.read_text("utf-8"))
    return MappingProxyType({code: Wording(code, _in_language(table, code)) for code in LANGUAGES})


def _in_language(table: Mapping[str, Any], code: str) -> Mapping[str, Mapping[str, str]]:
    """Turn {section: {name: {language: text}}} into {section: {name: text}} for one language."""
    return {
        section: {str(name): texts[code] for name, texts in entries.items() if code in texts}
        for section, entries in table.items()
    }
