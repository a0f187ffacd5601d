"""Whether the days of a claim can be reckoned from whole dates of a text.

A text of Monday the 22nd that says "on Friday" speaks of the 19th; one of 2 May that says "in ten
days", of the 12th.
"""

from datetime import date

from pellucid_language.quantities import figures, spelled_figures
from pellucid_language.written_dates import calendar_names, days, months_of, undated, whole_dates

_DAY_S = 86_400.0
_MONTHS_OF_YEAR = 12
_WEEK_DAYS = 7
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def is_reckoned(claim: str, text: str) -> bool:
    """Tell whether a claim names days, and the text has or gives each of them.

    >>> is_reckoned("It fell on 19 January 2024.", "Monday, 22 January 2024. It fell on Friday.")
    True
    """
    absent = days(claim) - days(text)
    return bool(absent) and all(_is_given(day, text) for day in absent)


def reckoned_years(claim: str, text: str) -> str:
    """The years of the claim's months to which a date of the text and a number of months lead.

    >>> reckoned_years("Until August 2026.", "It began on 9 August 2023 and lasts three years.")
    '2026'
    """
    named = months_of(claim)
    months = {
        (known.year * _MONTHS_OF_YEAR + known.month - 1) + sign * span
        for known in (whole_dates(text) if named else ())
        for span in _spans(text, "months", 1.0)
        for sign in (1, -1)
    }
    years = {m // _MONTHS_OF_YEAR for m in months if m % _MONTHS_OF_YEAR + 1 in named}
    return " ".join(map(str, sorted(year for year in years if str(year) in claim)))


def _spans(text: str, measure: str, unit: float) -> frozenset[int]:
    """Times that a text names, in whole units."""
    plain = undated(text)
    return frozenset(
        round(value / unit)
        for figure in (*figures(plain), *spelled_figures(plain))
        if figure.measure == measure
        for value in figure.values
        if value and value % unit == 0
    )


def _is_given(day: tuple[int, int], text: str) -> bool:
    """Whether a date of the text and a weekday or a number of days lead to a day."""
    weekdays = calendar_names(text)["weekdays"]
    spans = _spans(text, "time", _DAY_S)
    for known in whole_dates(text):
        for year in (known.year - 1, known.year, known.year + 1):
            when = _date(year, *day)
            apart = abs((when - known).days) if when else 0
            if when and apart <= _WEEK_DAYS and _WEEKDAYS[when.weekday()] in weekdays:
                return True
            if apart in spans:
                return True
    return False


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
