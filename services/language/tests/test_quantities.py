"""Amounts in many spellings. All texts are our own."""

import pytest

from pellucid_language.quantities import Figure, amounts, spelled_figures
from pellucid_language.same_amounts import same_amount


def read(text: str) -> list[Figure]:
    return [*amounts(text), *spelled_figures(text)]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("$1.5 billion", "1,500 million", True),
        ("1.500.000", "1.5 million", True),
        ("12 000", "12,000", True),
        ("1.500,25", "1,500.25", True),
        ("twenty-five", "25", True),
        ("5%", "5 percent", True),
        ("5%", "5 per cent", True),
        ("2k", "2,000", True),
        ("3.5", "35", False),
        ("about 5 million", "4.9 million", True),
        ("5 million", "4.9 million", False),
        ("about 400 m", "412 m", True),
        ("about 400 m", "450 m", False),
        ("about 412 m", "420 m", False),
        ("15억", "1,500,000,000", True),
    ],
)
def test_equal_figures(first: str, second: str, *, same: bool) -> None:
    (one,), (other,) = read(first), read(second)

    assert same_amount(one, other) is same
