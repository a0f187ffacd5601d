"""How words of English, Spanish, German and French are spelt: the language of texts of a few words.

`spelling.tsv` holds runs of one to four letters, each with how much it speaks for each of the four
languages; `^` and `$` stand for the borders of a word. It was fitted once to labelled messages and
bilingual word lists, which are not part of the project.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

CODES = ("en", "es", "de", "fr")
READ_CHARACTERS = 120
"""What is read of a text: enough to tell its language."""
_LENGTHS = (1, 2, 3, 4)
_WORD = re.compile(r"[^\W\d_]+")

Odds = tuple[float, ...]


def runs_of(text: str) -> set[str]:
    """Return the runs of letters in a text's first `READ_CHARACTERS` characters.

    >>> sorted(runs_of("Ab"))
    ['$', '^', '^a', '^ab', '^ab$', 'a', 'ab', 'ab$', 'b', 'b$']
    """
    found: set[str] = set()
    for word in _WORD.findall(text[:READ_CHARACTERS].lower()):
        bordered = f"^{word}$"
        ends = len(bordered) + 1
        found.update(bordered[at : at + long] for long in _LENGTHS for at in range(ends - long))
    return found


@lru_cache(maxsize=1)
def _table() -> tuple[Odds, Mapping[str, Odds]]:
    """Return what speaks for each language beforehand, and each run's part."""
    lines = resources.files("pellucid_language").joinpath("spelling.tsv").read_text("utf-8")
    parts: dict[str, Odds] = {}
    for line in lines.splitlines():
        run, *numbers = line.split("\t")
        if not line.startswith("#"):
            parts[run] = tuple(map(float, numbers))
    return parts[""], parts


def leanings(text: str) -> Mapping[str, float]:
    """Return log odds of each language of `CODES`; empty where nothing is known of the spelling."""
    bias, parts = _table()
    known = [parts[run] for run in runs_of(text) if run in parts]
    if not known:
        return {}
    sums = [sum(column) for column in zip(*known, strict=True)]
    length = len(known) ** 0.5
    return {
        code: total / length + before for code, total, before in zip(CODES, sums, bias, strict=True)
    }
