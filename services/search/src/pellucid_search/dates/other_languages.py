"""Dates in languages that have no lexicon here, by the dateparser library."""

import re
from datetime import datetime

import dateparser  # type: ignore[import-untyped]

from pellucid_search.dates.readings import ROUGH, Reading

# The library reads numbers and fragments as dates; what has this form is none.
_NO_DATE = re.compile(
    r"[\d\s.,:%$€£+/-]*|[\d.,]+\s*[a-z]{1,3}|v?\d+(?:\.\d+)+|\d+ (?:of|out of) \d+"
    r"|(?:no|nr|vol|ch|chapter|pt|part|ep|episode|season|page|seite|p|top|step|level)\.? ?\d+",
    re.IGNORECASE,
)
_MAX_CHARACTERS = 80
_HAS_FOREIGN_LETTER = re.compile(r"[^\W\d_a-zA-Z]")


def may_be_date(text: str) -> bool:
    """Tell whether the library is worth asking about a text; microseconds."""
    worth = any(char.isdigit() for char in text) or _HAS_FOREIGN_LETTER.search(text)
    return bool(worth) and len(text) <= _MAX_CHARACTERS and not _NO_DATE.fullmatch(text)


def read_other_language(text: str, now: datetime) -> Reading | None:
    """Return what a date in any language means; None when it is none.

    Args:
        text: As `normalised_date_text` returns it.
        now: Aware.
    """
    if not may_be_date(text):
        return None
    try:
        time = dateparser.parse(
            text,
            settings={
                "RELATIVE_BASE": now.replace(tzinfo=None),
                "PREFER_DATES_FROM": "past",
                "TO_TIMEZONE": "UTC",
                "TIMEZONE": "UTC",
                "RETURN_AS_TIMEZONE_AWARE": True,
                "RETURN_TIME_AS_PERIOD": False,
            },
        )
    except (ValueError, OverflowError, RecursionError):
        return None
    return Reading(time, ROUGH) if time else None
