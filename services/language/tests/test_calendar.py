"""Months, weekdays and seasons by name."""

import pytest

from pellucid_language.calendar import (
    HAN_MONTH,
    han_month_number,
    month_beginnings,
    month_name,
    month_numbers,
    printed_months,
    printed_weekdays,
    time_words,
    written_months,
)


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_a_month_is_read_as_it_is_written(language: str) -> None:
    for month in range(1, 13):
        assert month_numbers()[month_name(month, language).lower()] == month
        assert written_months(language)[month_name(month, language).lower()] == month


@pytest.mark.parametrize(
    ("form", "month"), [("märz", 3), ("março", 3), ("mars", 3), ("mrz", 3), ("sept", 9), ("янв", 1)]
)
def test_march_in_every_spelling(form: str, month: int) -> None:
    assert printed_months()[form] == month


def test_tuesday_in_spanish_is_no_march() -> None:
    assert printed_months()["mar"] == 3
    assert "mar" not in printed_weekdays()
    assert printed_weekdays()["martes"] == 1


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("am sonntag", "sunday"),
        ("el miercoles", "wednesday"),
        ("周三", "wednesday"),
        ("mondays", "monday"),
    ],
)
def test_days_in_texts(text: str, day: str) -> None:
    days = time_words()["weekdays"]
    assert [name for name, words in days.items() if words.search(text)] == [day]


def test_chinese_numerals() -> None:
    assert [han_month_number(one) for one in HAN_MONTH.findall("十二月和三月")] == [12, 3]
    assert not HAN_MONTH.findall("三个月")
    assert month_beginnings("de")[2] == "Mär"
