"""Ordinary words that begin sentences, with a capital letter that makes no name of them."""

from importlib.resources import files

import yaml

from pellucid_language.folding import fold
from pellucid_language.stems import stem
from pellucid_language.words import is_stop

_COMMON_ENDINGS = ("ly", "ing", "tion", "tions", "ment", "ments", "ists", "ers", "ness", "ity")
"""Endings that ordinary English words have and names seldom do."""


def is_common(text: str) -> bool:
    """Tell whether a word at the start of a sentence is an ordinary one."""
    folded = fold(text)
    if any(char.isupper() or char.isdigit() for char in text[1:]):
        return False
    root = stem(folded)
    return is_stop(root) or root in _OPENERS or folded.endswith(_COMMON_ENDINGS)


def _read_openers() -> frozenset[str]:
    table = yaml.safe_load(files(__package__).joinpath("openers.yaml").read_text("utf-8"))
    return frozenset(stem(fold(word)) for word in table["words"].split())


_OPENERS = _read_openers()
