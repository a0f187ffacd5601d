"""The table of amounts: what it must hold to be of use."""

import pytest

from pellucid_language import quantity_words
from pellucid_language.quantities import figures
from pellucid_language.quantity_words import Table
from pellucid_language.same_amounts import equal_figures


@pytest.fixture(scope="module")
def table() -> Table:
    return quantity_words.table()


@pytest.mark.parametrize(
    ("word", "value"), [("eleven", 11), ("elf", 11), ("onze", 11), ("twenty", 20)]
)
def test_numbers_in_words(table: Table, word: str, value: float) -> None:
    assert table.words[word] == value


@pytest.mark.parametrize(("word", "scale"), [("million", 1e6), ("万", 1e4), ("억", 1e8)])
def test_scales(table: Table, word: str, scale: float) -> None:
    assert table.scales[word] == scale


def test_units_of_one_measure_share_a_base(table: Table) -> None:
    assert table.measures["km"][0] == table.measures["m"][0]
    assert table.measures["km"][1] == 1000 * table.measures["m"][1]
    assert table.measures["hours"][1] == 60 * table.measures["minutes"][1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a path of 1.32 km", "a path of 1,320 metres"),
        ("2.5 million people", "2,500,000 people"),
        ("250만 명", "2,500,000명"),
    ],
)
def test_one_amount_in_two_spellings(one: str, other: str) -> None:
    (first,), (second,) = tuple(figures(one)), tuple(figures(other))
    assert equal_figures(first, second)


def test_two_amounts_are_two() -> None:
    (first,), (second,) = tuple(figures("5 km")), tuple(figures("5 miles"))
    assert not equal_figures(first, second)
