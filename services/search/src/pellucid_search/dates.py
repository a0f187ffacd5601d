"""Publication dates as providers print them, made absolute, with how sure the reading is."""

from datetime import UTC, datetime, timedelta

from pellucid_search.absolute_dates import read_absolute
from pellucid_search.hits import DateSource, Published
from pellucid_search.readings import Reading, normalised_date_text
from pellucid_search.relative_dates import read_relative

# Longer texts are prose, not a date.
_MAX_CHARACTERS = 80
# Clocks differ and "tomorrow" comes early elsewhere; anything further ahead is nonsense.
_FUTURE_TOLERANCE = timedelta(days=1)
# The web is younger; older dates are of the subject, not of the page.
_FIRST_YEAR = 1990


def understand_date(text: str, now: datetime) -> Reading | None:
    """Return what a date text means; None when it is not a date.

    Args:
        text: As printed, in any language.
        now: Instant that relative dates refer to; aware.
    """
    if len(text) > _MAX_CHARACTERS:
        return None
    cleaned = normalised_date_text(text)
    if not cleaned:
        return None
    return read_absolute(cleaned, now) or read_relative(cleaned, now)


def publication_date(text: str, *, source: DateSource, now: datetime) -> Published | None:
    """Return when a page was published; None when unknown or impossible.

    Args:
        text: The provider's date in its own spelling.
        source: Where the provider has it from.
        now: Present instant; aware.
    """
    if not text:
        return None
    reading = understand_date(text, now)
    if reading is None:
        return None
    time = reading.time.astimezone(UTC)
    if time > now + _FUTURE_TOLERANCE or time.year < _FIRST_YEAR:
        return None
    return Published(time, source, reading.confidence)
