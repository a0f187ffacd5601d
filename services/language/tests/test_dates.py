"""Days in other figures, calendars and scripts, written as the common calendar writes them."""

import itertools
from datetime import date, timedelta

import pytest

from pellucid_language.dates import in_common_calendar, solar_day

# First days of years, as Iran's calendar centre publishes them; 1403 is a leap year.
NEW_YEARS = {1400: "2021-03-21", 1403: "2024-03-20", 1404: "2025-03-21", 1405: "2026-03-21"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("17 ตุลาคม 2568", "2025-10-17"),
        ("17 ต.ค. 2568", "2025-10-17"),
        ("วันที่ 17/10/2568", "วันที่ 17/10/2025"),
        ("١٧ أكتوبر ٢٠٢٥", "2025-10-17"),
        ("17 تشرين الأول 2025", "2025-10-17"),
        ("۱۳ اردیبهشت ۱۴۰۵", "2026-05-03"),
        ("17 अक्टूबर 2025", "2025-10-17"),
        ("令和元年5月3日", "2019年5月3日"),
        ("民國115年3月14日", "2026年3月14日"),
        ("31 ตุลาคม 2568 ถึง 40 ตุลาคม 2568", "2025-10-31 ถึง 40 ตุลาคม 2568"),
        ("17 October 2568", "17 October 2568"),
        ("5 марта 2024", "5 марта 2024"),
    ],
)
def test_days_are_written_in_the_common_calendar(text: str, expected: str) -> None:
    assert in_common_calendar(text) == expected


@pytest.mark.parametrize("year", NEW_YEARS)
def test_solar_years_begin_when_they_do(year: int) -> None:
    assert solar_day(year, 1, 1) == date.fromisoformat(NEW_YEARS[year])


def test_solar_days_follow_one_another() -> None:
    days = [
        day
        for month in range(1, 13)
        for number in range(1, 32 if month <= 6 else 31 if month < 12 else 30)
        if (day := solar_day(1404, month, number))
    ]
    assert len(days) == 365
    assert all(after - before == timedelta(days=1) for before, after in itertools.pairwise(days))
    assert solar_day(1404, 7, 31) is None
    assert solar_day(1404, 13, 1) is None
