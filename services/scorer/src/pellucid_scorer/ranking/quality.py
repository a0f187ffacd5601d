"""What the form of a title and snippet says about a result; its words stand in ``quality.yaml``."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any, Self

import yaml

from pellucid_scorer.ranking.phrases import Phrases, Prepared

DOTS = re.compile(r"\.{3,}")
SHOUT = re.compile(r"[!?]{2,}")
ODD_CATEGORIES = frozenset({"So", "Sk", "Co", "Cn", "Cc"})
"""Symbols (emojis among them), private use, unassigned and control characters."""
UNUSUAL = re.compile(r"[^ -~\n\r\t]")
"""Everything but printable ASCII and line breaks, which need no closer look."""


@dataclass(frozen=True, slots=True)
class QualityTable:
    """Points and words of the quality rules."""

    base: float
    bonus: float
    penalty: float
    long_snippet_chars: int
    max_ellipses: int
    odd_min_count: int
    odd_max_share: float
    caps_min_letters: int
    research: Phrases
    sales: Phrases
    calls: Phrases

    @classmethod
    def from_yaml(cls, text: str) -> Self:
        """Read the table from YAML.

        Raises:
            KeyError: An entry is missing.
        """
        table: dict[str, Any] = yaml.safe_load(text)
        odd = table.pop("odd_chars")
        fields: dict[str, Any] = {
            name: Phrases.read(table.pop(name)) for name in ("research", "sales", "calls")
        }
        fields |= {"odd_min_count": odd["min_count"], "odd_max_share": odd["max_share"]}
        return cls(**fields, **table)

    def score(self, title: str, snippet: str) -> float:
        """Return the quality of a result's form in [0, 1]."""
        text = f"{title}\n{snippet}"
        prepared = Prepared.read(text)
        merits = (
            len(snippet) > self.long_snippet_chars,
            self.research.are_in(prepared),
            bool(title) and not self.sales.are_in(Prepared.read(title)),
            self._is_normally_cased(title),
        )
        faults = (
            self.calls.are_in(prepared),
            _count_ellipses(text) > self.max_ellipses,
            self._is_shouted(title),
            self._is_odd(text),
        )
        points = self.base + self.bonus * sum(merits) - self.penalty * sum(faults)
        return min(1.0, max(0.0, points))

    def _is_normally_cased(self, title: str) -> bool:
        """Tell whether a title has a capital where it could have one, and is not shouted."""
        if not title or self._is_shouted(title):
            return False
        return any(map(str.isupper, title)) or not any(map(str.islower, title))

    def _is_shouted(self, title: str) -> bool:
        return title.isupper() and sum(map(str.isupper, title)) >= self.caps_min_letters

    def _is_odd(self, text: str) -> bool:
        odd = _count_odd(text) + _count_shouts(text)
        return odd >= self.odd_min_count and odd > self.odd_max_share * len(text)


# Nearly every text has none of these, which one look for a character tells at once.


def _count_ellipses(text: str) -> int:
    return text.count("…") + (len(DOTS.findall(text)) if "..." in text else 0)


def _count_shouts(text: str) -> int:
    return sum(map(len, SHOUT.findall(text))) if "!" in text or "?" in text else 0


def _count_odd(text: str) -> int:
    return sum(unicodedata.category(char) in ODD_CATEGORIES for char in UNUSUAL.findall(text))
