"""Where clauses end within a sentence: at pauses, and at conjunctions that set one against another.

What a clause may be cut at depends on what is read off it, so there are several measures: from the
wide one for what is said of whom to pauses alone. The words are in `clauses.yaml`.
"""

import re
from importlib.resources import files

import yaml

_CONJUNCTIONS: dict[str, list[str]] = yaml.safe_load(
    files(__package__).joinpath("clauses.yaml").read_text("utf-8")
)


def _between_blanks(*kinds: str) -> str:
    """Return the expression of any conjunction of some kinds, blanks on both sides."""
    return rf"\s(?:{'|'.join(word for kind in kinds for word in _CONJUNCTIONS[kind])})\s"


BORDER = re.compile(
    rf"[,;:—–。、，；：]\s|[。、，；]|{_between_blanks('opposing', 'opposing_statements')}"
)
"""Between two statements; a mark inside a number or a time is none."""

TIGHT_BORDER = re.compile(rf"[,;:—–。、，；：]\s?|{_between_blanks('opposing')}")
"""The same beside figures, which are cut out before."""

PART_BORDER = re.compile(rf"[,;:]\s|{_between_blanks('opposing', 'joining')}")
"""Between parts of a sentence that may each have a matter of their own, listed ones included."""

SUBCLAUSE_BORDER = re.compile(rf"[,;:]\s|{_between_blanks('opposing', 'joining', 'subordinating')}")
"""The same, and where a clause begins that depends on another."""

DEGREE_BORDER = re.compile(rf";\s|,?{_between_blanks('opposing', 'opposing_degrees')}")
"""Between parts that are compared by degree, which commas do not part."""

VERB_BORDER = re.compile(rf"[,;:.!?]\s|{_between_blanks('around_a_verb')}")
"""Where the reach of an English verb ends, on either side."""

PAUSE = re.compile(r"[,;:.!?、，。；]\s|[、，。；]")
"""Any mark that ends a clause or a sentence, where spaces bound words."""

UNSPACED_PAUSE = re.compile(r"[,;:.!?、，。；]")
"""The same where they do not."""

UNSPACED_BORDER = re.compile(r"[。、，；！？!?]|[,.](?=\s|$)")
"""Between clauses and sentences where spaces do not bound words; no mark inside a number."""


def clauses(sentence: str, border: re.Pattern[str] = BORDER) -> list[str]:
    """Return the statements of a sentence, without empty ones.

    >>> clauses("The bridge opened at 9:30, but the toll stayed")
    ['The bridge opened at 9:30', 'but the toll stayed']
    """
    return [part for part in border.split(sentence) if part and part.strip()]
