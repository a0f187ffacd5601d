"""Names of relatives and of oneself, found by how people tell them."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

import yaml

from pellucid_language.pii.gate import GATE
from pellucid_language.text_memory import remembered

# Names are told near the beginning of a message; what is pasted behind is not searched for them.
_NAME_CHARACTERS = 4000
# What a name owns ("Anna's French exam") is no part of it.
_CAPITALISED = r"[A-ZÀ-Þ][\w'’-]+(?<!['’]s)"
_PARTICLES = "(?:(?:de|del|da|van|von|der|den|la|le|al|bin) ){0,2}"
_NAME = rf"(?P<name>(?-i:{_CAPITALISED}(?: {_PARTICLES}{_CAPITALISED}){{0,2}}))"
_WORD = re.compile(r"[^\W\d_]{2}[\w'’-]*")
_POSSESSIVE = re.compile(r"['’]s?\Z")
_BOUNDED = frozenset({"en", "de", "es", "fr"})
_ABBREVIATION_CHARACTERS = 2


def private_values(texts: Iterable[str]) -> tuple[str, ...]:
    """Return secrets and told names, which must leave in no query; longest first.

    Args:
        texts: A person's messages.
    """
    told = tuple(texts)
    names = {name for text in told for name in stated_names(text)}
    return tuple(sorted({*GATE.private(told), *names}, key=lambda value: (-len(value), value)))


def stated_names(text: str) -> frozenset[str]:
    """Return the words of the names in what tells of relatives, without the words for them.

    >>> sorted(stated_names("My wife's name is Sabine Kraus; our dog Rex barks."))
    ['Kraus', 'Rex', 'Sabine']
    """
    return _told_names(text[:_NAME_CHARACTERS])


@remembered
def _told_names(text: str) -> frozenset[str]:
    matches = (match for pattern in _patterns() for match in pattern.finditer(text))
    return frozenset(word for match in matches for word in _words(match["name"]))


def _words(name: str) -> Iterator[str]:
    """Yield the words of a name, particles and abbreviations of two letters left out."""
    for found in _WORD.findall(name):
        word = _POSSESSIVE.sub("", found)
        is_abbreviation = word.isupper() and len(word) <= _ABBREVIATION_CHARACTERS
        if not word[:1].islower() and not is_abbreviation:
            yield word


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    table = yaml.safe_load(files(__package__).joinpath("people.yaml").read_text("utf-8"))
    return tuple(_compiled(item, code) for code, items in table.items() for item in items)


def _compiled(item: str, code: str) -> re.Pattern[str]:
    """Compile a pattern; where blanks bound words it matches whole ones."""
    pattern = item.replace("{name}", _NAME)
    whole = rf"(?<!\w)(?:{pattern})(?:(?!\w)|(?<=\W))" if code in _BOUNDED else pattern
    return re.compile(whole, re.IGNORECASE)
