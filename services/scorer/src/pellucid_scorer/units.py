"""The unit of a number in a text: what stands beside it, in several languages.

The units themselves stand in ``units.yaml``. Nothing is converted: 1,000 g and 1 kg are not equal
here, since their numbers differ already.
"""

import re
from collections.abc import Iterable, Mapping
from importlib.resources import files

import yaml

AMBIGUOUS = frozenset({"pound", "pound sterling"})
"""A pound is a weight or money; the word does not tell which."""

LONGEST_SIGN = 4
"""Characters before a number in which its currency may stand ("usd ")."""


def unit_of(text: str, start: int, end: int) -> str:
    """Return the unit of the number at a place of a text in small letters; empty for none.

    >>> unit_of("it cost 41,500 pounds", 8, 14), unit_of("it cost $40", 9, 11)
    ('pound', 'dollar')
    """
    found = _AFTER.match(text, end) or _BEFORE.search(text, max(0, start - LONGEST_SIGN), start)
    return _NAMES[found["unit"]] if found else ""


def are_alike(one: str, other: str) -> bool:
    """Tell whether two units may be the same."""
    return one == other or (one in AMBIGUOUS and other in AMBIGUOUS)


def _read() -> Mapping[str, str]:
    table = yaml.safe_load(files(__package__).joinpath("units.yaml").read_text("utf-8"))
    return {written: unit for unit, every in table.items() for written in every}


def _alternatives(written: Iterable[str]) -> str:
    return "|".join(re.escape(one) for one in sorted(written, key=lambda one: (-len(one), one)))


_NAMES = _read()
_SPACELESS = _alternatives(one for one in _NAMES if not one.isascii() and not one[0].islower())
_BOUNDED = _alternatives(one for one in _NAMES if one.isascii() or one[0].islower())
_AFTER = re.compile(
    rf"[\s\u00a0-]?(?:(?:de|d'|us|u\.s\.)\s?)?(?P<unit>(?:{_BOUNDED})(?!\w)|(?:{_SPACELESS}))"
)
_SIGNS = _alternatives(one for one in _NAMES if len(one) == 1 and not one.isalnum())
_BEFORE = re.compile(rf"(?:(?P<unit>{_SIGNS}|usd|eur|gbp|chf|jpy|krw|cny|rmb)\s?)$")
