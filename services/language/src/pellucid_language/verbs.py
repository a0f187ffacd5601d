"""English verbs: which words are forms of one verb, whatever their tense."""

from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

import yaml

_ENDINGS = ("ing", "ed", "es", "s")
_SHORTEST = 2
_VOWELS = frozenset("aeiou")
_REMEMBERED = 8_192


@dataclass(frozen=True, slots=True)
class _Verbs:
    """Forms by verb.

    Attributes:
        base: Of each irregular past or participle.
        known: Keys of the verbs that are listed.
        bare: Base forms that are listed.
    """

    base: dict[str, str]
    known: frozenset[str]
    bare: frozenset[str]


@lru_cache(maxsize=_REMEMBERED)
def verb_key(word: str) -> str:
    """Return what all forms of a verb have in common; of another word its stem.

    Args:
        word: One folded word.

    >>> verb_key("sold"), verb_key("sells"), verb_key("planned"), verb_key("applies")
    ('sel', 'sel', 'plan', 'appli')
    """
    return _stemmed(_verbs().base.get(word, word))


def is_past(word: str) -> bool:
    """Whether a folded word has the form of a past or a participle."""
    return word in _verbs().base or (word.endswith("ed") and len(word) > len("need"))


def is_known_verb(word: str) -> bool:
    """Whether a folded word is a form of a listed verb; it may be a noun all the same."""
    return verb_key(word) in _verbs().known


def is_bare_verb(word: str) -> bool:
    """Whether a folded word is the base form of a listed verb."""
    return word in _verbs().bare


def _stemmed(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST and word[-2:] != "ss":
            word = word[: -len(ending)]
            break
    if word.endswith("y") and len(word) > _SHORTEST:
        word = word[:-1] + "i"
    if word.endswith("e") and len(word) > _SHORTEST:
        word = word[:-1]
    is_doubled = word[-1:] == word[-2:-1] and word[-1:] not in _VOWELS
    return word[:-1] if is_doubled and len(word) > _SHORTEST else word


@cache
def _verbs() -> _Verbs:
    table = yaml.safe_load(files(__package__).joinpath("verbs.yaml").read_text("utf-8"))
    forms = [entry.split("/") for entry in table["irregular"].split()]
    base = {form: bare for bare, *others in forms for form in others}
    bare = frozenset(entry[0] for entry in forms) | frozenset(table["regular"].split())
    return _Verbs(base, frozenset(_stemmed(word) for word in bare), bare)
