"""How much a word looks like a secret by its form alone.

Left out is what has another use: years, dates, times, amounts, versions, numbers of models.
"""

import re

from pellucid_language.pii.clause_words import Word, said_of_secrets
from pellucid_language.pii.surroundings import TECHNICAL, TELLING

_LONGEST = 64
_NEVER = re.compile(
    r"0x[\da-f]+|[$€£¥]\d.*|\d[\d.,]*[%€$£°]\w?|\d+(?:[.,]\d+)+|\d{1,2}[:h]\d{2}(?::\d{2})?\w*|\d+x\d+\w*"
    r"|(?!\d{3,6}(?-i:[BDEFXYZ])$)\d+(?:st|nd|rd|th|[a-z]{1,3}|°\w?)|(?:19|20)\d\d[-./]\d{1,2}(?:[-./]\d{1,2})?"
    r"|\d{1,2}[-./]\d{1,2}[-./](?:19|20)\d\d|(?:19|20)\d\d[-/](?:(?:19|20)\d\d|\d\d)|.*://.*|[^@]+@[\w-]+(?:\.[\w-]+)+"
    r"|\d{1,2}-[a-zß-ÿ]+|[~.]*/.*|\$\w+|%\w+%|<.*|\{.*|\w+\(.*\)?|v\d[\w.]*|[a-z]{1,4}-?\d{1,2}|gpio\d+|#\d{1,3}",
    re.IGNORECASE,
)
# References to what others number: error_403, issue#31, build-2041.
REFERENCE = re.compile(
    r"(?:error|err|fehler|erreur|status|code|http|issue|bug|ticket|order|room|episode|question"
    r"|chapter|version|build|update|release)[_#-]",
    re.IGNORECASE,
)
_TURNS = re.compile(r"\d{1,2}(?:[-–/ ]\d{1,2}){2,7}")
_DOTTED = re.compile(r"\d{1,2}(?:\.\d{1,2}){2,5}")
_PAIRED = re.compile(r"(\d{3,6})-\d{3,6}(?:-\d{3,6})*")
_DIGITS = re.compile(r"\d{3,12}")
_KEYED = re.compile(r"[*#]?\d{3,10}[*#]+|[*#]\d{3,10}")
# "1973B"; other letters are units.
_LETTERED = re.compile(r"\d{3,6}[BDEFXYZ]")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBERED_WORD = re.compile(r"[^\W\d_]{4,}[-_.]?\d{1,6}[!?#*.]*")
# Letters before figures, as makers name what they make.
_MODEL = re.compile(
    r"[A-Z]{1,4}-?[A-Z]?\d{2,5}[A-Z]{0,3}\d?(?:-\w{1,4})?|[A-Za-z]+\d{2,4}[A-Z]?[+]?"
)
_SIGN_INSIDE = re.compile(r"\w[!@#$%^&*+~?=]+\w|\w[!@#$%^&*+~]$|^[!@#$%^&*+~]\w")
_UNDERSCORE = re.compile(r"[A-ZÀ-Þ]\w*_\w+|\w+_[A-ZÀ-Þ]\w*")
_SPELT = re.compile(r"[^\W\d_]{3,}(?:[-._][^\W\d_]{3,}){2,7}")
_WORD = re.compile(r"[^\W\d_]{4,24}")
_PHRASE_WORD = re.compile(r"[a-zß-ÿ]{3,12}")
_SHORTEST_MIXED = 5
_SHORTEST_PIN, _LONGEST_PIN = 4, 8


def form_points(value: str, *, is_quoted: bool = False) -> int:
    """Return 0 (no secret) to 3 (nothing else looks so).

    >>> [form_points(value) for value in ("74-12-33", "6178", "sunflower42", "2026-11-03", "safe")]
    [3, 2, 3, 0, 0]
    """
    if not value or len(value) > _LONGEST or _has_another_use(value):
        return 0
    if (
        value.replace(" ", "").isdigit()
        or _KEYED.fullmatch(value)
        or not any(c.isalpha() for c in value)
    ):
        return _points_of_figures(value)
    if any(c.isdigit() for c in value):
        return _points_of_mixed(value)
    if _SIGN_INSIDE.search(value) or _UNDERSCORE.fullmatch(value):
        return 2 if len(value) >= _SHORTEST_MIXED and "&" not in value[1:-1][:1] else 0
    if _SPELT.fullmatch(value):
        return 2 if is_quoted or "-" in value else 0
    return 2 if is_quoted and is_plain(value) else 0


def _has_another_use(value: str) -> bool:
    return bool(REFERENCE.match(value) or _NEVER.fullmatch(value) or TECHNICAL.fullmatch(value))


def _points_of_figures(value: str) -> int:
    paired = _PAIRED.fullmatch(value)
    if _TURNS.fullmatch(value) or _KEYED.fullmatch(value):
        return 3
    if paired and all(len(part) == len(paired[1]) for part in value.split("-")):
        return 3
    if _DOTTED.fullmatch(value) or _YEAR.fullmatch(value):
        return 1
    if _DIGITS.fullmatch(value):
        return 2 if _SHORTEST_PIN <= len(value) <= _LONGEST_PIN else 1
    return 2 if re.fullmatch(r"\d{4}(?: \d{4})+", value) else 0


def _points_of_mixed(value: str) -> int:
    if _LETTERED.fullmatch(value):
        return 2
    if len(value) < _SHORTEST_MIXED:
        return 0
    if _MODEL.fullmatch(value) and not re.fullmatch(
        r"[A-ZÀ-Þ]?[a-zß-ÿ]{4,}\d+|[A-ZÀ-Þ]?[a-zß-ÿ]{3,}\d{3,}", value
    ):
        return 1
    return 3


def is_plain(value: str) -> bool:
    """Whether a value is a word that says nothing of secrets."""
    low = value.lower()
    is_said = low in said_of_secrets() or low.endswith(TELLING)
    return bool(_WORD.fullmatch(value)) and not is_said


def is_phrase_word(word: Word) -> bool:
    """Whether a word may be one of a passphrase: a plain one, without grammar."""
    low = word.bare.lower()
    if not _PHRASE_WORD.fullmatch(low) or low in said_of_secrets():
        return False
    return not low.endswith(TELLING)
