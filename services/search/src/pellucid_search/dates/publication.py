"""Publication dates as providers print them, made absolute, with how sure the reading is.

Own readers first (microseconds); the general library only for what they leave (milliseconds).
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from pellucid_search.dates.absolute_dates import read_absolute, read_machine_form
from pellucid_search.dates.cjk_numerals import with_digits
from pellucid_search.dates.clock_times import ClockTime, split_clock
from pellucid_search.dates.other_languages import may_be_date, read_other_language
from pellucid_search.dates.readings import Reading, normalised_date_text
from pellucid_search.dates.relative_dates import read_relative
from pellucid_search.dates.weekday_dates import read_weekday
from pellucid_search.hits import DateSource, Published

# Longer texts are prose, not a date.
_MAX_CHARACTERS = 80
# Clocks differ and "tomorrow" comes early elsewhere; anything further ahead is nonsense.
_FUTURE_TOLERANCE = timedelta(days=1)
# The web is younger; older dates are of the subject, not of the page.
_FIRST_YEAR = 1990
# "15 Dec 2024 · 5 min": a page's other facts stand behind a mark.
_NEXT_FACT = re.compile(r"\s[·•|–—]\s")


@dataclass(slots=True)
class Patience:
    """How often the slow library may still be asked for one list of results.

    It needs 15 to 50 ms for a text that it does not know, and providers may send many of them.
    """

    left: int = 2

    def spend(self) -> bool:
        """Take one use; False when none is left."""
        self.left -= 1
        return self.left >= 0

    @property
    def was_refused(self) -> bool:
        """A use was wanted that was not left."""
        return self.left < 0


def understand_date(
    text: str, now: datetime, *, patience: Patience | None = None
) -> Reading | None:
    """Return what a date text means; None when it is not a date.

    Args:
        text: As printed, in any language.
        now: Instant that relative dates refer to; aware.
        patience: Uses of the slow library that are left; None means any number.
    """
    if len(text) > _MAX_CHARACTERS:
        return None
    reading = read_machine_form(text) or _understand_words(text, now, patience)
    # Programs print the first day of the year 1 when they mean nothing.
    return reading if reading and reading.time.date() != date.min else None


def _understand_words(text: str, now: datetime, patience: Patience | None) -> Reading | None:
    cleaned = normalised_date_text(text)
    if not cleaned:
        return None
    cleaned = _NEXT_FACT.split(cleaned)[0]
    reading = _read(cleaned, now) or _day_and_clock(with_digits(cleaned.lower()), now)
    if reading is None and may_be_date(cleaned) and (patience is None or patience.spend()):
        return read_other_language(cleaned, now)
    return reading


def _read(text: str, now: datetime) -> Reading | None:
    return read_absolute(text, now) or read_relative(text, now) or read_weekday(text.lower(), now)


def _day_and_clock(text: str, now: datetime) -> Reading | None:
    """Read a day and a time of day in any order; a time alone is rather a duration."""
    reading = _read(text, now)
    if reading:
        return reading
    rest, clock = split_clock(text)
    if clock is None or not rest:
        return None
    day = _read(normalised_date_text(rest), now)
    return _at_clock(day, clock) if day else None


def _at_clock(day: Reading, clock: ClockTime) -> Reading:
    return Reading(clock.on(day.time), day.confidence)


def publication_date(
    text: str, *, source: DateSource, now: datetime, patience: Patience | None = None
) -> Published | None:
    """Return when a page was published; None when unknown or impossible.

    Args:
        text: The provider's date in its own spelling.
        source: Where the provider has it from.
        now: Present instant; aware.
        patience: See `understand_date`.
    """
    if not text:
        return None
    reading = understand_date(text, now, patience=patience)
    # The year first: an instant at the end of the calendar exists in some zones only.
    if reading is None or not _FIRST_YEAR <= reading.time.year <= now.year + 1:
        return None
    time = reading.time.astimezone(UTC)
    if time - now > _FUTURE_TOLERANCE:
        return None
    return Published(time, source, reading.confidence)
