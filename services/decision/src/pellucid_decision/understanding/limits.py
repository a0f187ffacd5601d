"""What a lawful query is: its length in words and characters."""

import re
from collections.abc import Sequence

from pellucid_decision.text.normal import one_line
from pellucid_language.pii.gate import GATE, without
from pellucid_language.scripts import is_spaceless

# Words behind a number that belong to the name of a model ("iPhone 17 Pro Max").
MODEL_WORDS = (
    "air", "fold", "flip", "lite", "max", "mini", "plus", "pro", "ultra", "xl", "fe", "turbo",
)  # fmt: skip
MIN_WORDS = 2
# Where blanks bound no words, a run of so many letters says as much as two.
MIN_LETTERS = 4
MAX_WORDS = 6
# Names and quotations count as one word, so that a query may have more in blanks.
MAX_BLANKS = 12
MAX_QUERY_CHARACTERS = 200
PHRASE = re.compile(r'"[^"]*"|\S+')
_NAME = r"(?:[A-ZÀ-Þ$][\w$&'.-]*|[a-z]+[A-Z]\w*)"
_COUNTED = re.compile(
    rf'"[^"]*"|{_NAME}:?(?: (?:{_NAME}'
    r"|(?:of|de|del|la|the|der|von|van|da|di|du|des|y|&)(?= [A-ZÀ-Þ0-9])|[\w.]*\d[\w.-]*))+"
    rf"|[^\W\d_]+(?: [\w.]*\d[\w.-]*(?: (?:{'|'.join(MODEL_WORDS)})\b)*)+"
    r"|[^\W\d_]{2,} [b-hj-z]\b(?! [a-z]\b)|\S+"
)
# What narrows a search to a place of a model's choice.
_STEERING = re.compile(r"\w+:\S+|\S*://\S*|\S*@\S*|(?<!\S)-\w\S*|\S*\w\.[^\W\d_]{2,}\S*")
UNSAFE = re.compile(r"[\x00-\x1f\x7f<>|\\]")


def word_count(text: str) -> int:
    """Return the number of words; a quotation, a full name and a name with its number are one.

    >>> word_count("iPhone 17 vs Pixel 10 cameras")
    4
    """
    return len(_COUNTED.findall(text))


def valid_query(text: str, private: Sequence[str] = ()) -> str:
    """Return `text` as a query that obeys the limits, empty when it cannot.

    Args:
        text: What a model wrote.
        private: Values that the person's messages hold, to be cut out.
    """
    line = one_line(UNSAFE.sub(" ", GATE.redact(without(text, private)).text), MAX_QUERY_CHARACTERS)
    blanks = len(PHRASE.findall(line))
    several = blanks >= MIN_WORDS or (is_spaceless(line) and len(line) >= MIN_LETTERS)
    lawful = several and word_count(line) <= MAX_WORDS and blanks <= MAX_BLANKS
    return line if lawful else ""


def steers_as_told(query: str, told: str) -> bool:
    """Whether all that narrows a query to a place was told: operators, addresses, exclusions.

    >>> steers_as_told("toll site:evil.example", "What is the toll?")
    False
    >>> steers_as_told("toll site:gov.example", "toll on site:gov.example please")
    True
    """
    own = told.casefold()
    return all(steer.casefold() in own for steer in _STEERING.findall(query))
