"""The name that a query holds, told by its capitals; no other script tells names by their form."""

from collections.abc import Iterator
from functools import cache

from pellucid_language.calendar import month_numbers, printed_weekdays
from pellucid_language.terms import function_terms, terms

_AROUND = ".,;:!?\"'()[]«»“”„"
# Small words inside names; they neither begin nor end one.
_PARTICLES = frozenset(
    {"al", "bin", "da", "das", "de", "del", "della", "den", "der", "des", "di", "do", "dos", "du"}
    | {"el", "of", "the", "van", "von", "y"}
)


def longest_name(text: str) -> str:
    """Return the longest run of capitalised words; empty without one.

    Of several the first counts, but one that begins the text only where there is no other: most
    texts begin with a capital.

    >>> longest_name("weather in Ciudad de México tomorrow"), longest_name("Who is Ann Lee")
    ('Ciudad de México', 'Ann Lee')
    >>> longest_name("exchange rate")
    ''
    """
    names = sorted(_names(text), key=text.startswith)
    return max(names, key=lambda name: len(name.split()), default="")


def _names(text: str) -> Iterator[str]:
    run: list[str] = []
    for word in (*text.split(), ""):
        if _is_capitalised(word) or (run and word in _PARTICLES):
            run.append(word)
            if word[-1] not in ",;:!?":
                continue
        while run and run[-1] in _PARTICLES:
            run.pop()
        if run:
            yield " ".join(run).strip(_AROUND)
        run = []


def _is_capitalised(word: str) -> bool:
    """Tell whether a word begins like a name and is none of the words of every sentence."""
    bare = word.strip(_AROUND)
    if not bare[:1].isupper() or bare.casefold() in _dates():
        return False
    stems = terms(bare)
    return not stems or not stems <= function_terms()


@cache
def _dates() -> frozenset[str]:
    """Return the names of months and weekdays."""
    return frozenset(map(str.casefold, (*month_numbers(), *printed_weekdays())))
