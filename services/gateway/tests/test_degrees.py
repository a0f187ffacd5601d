"""Claims that go further than their passage: one row each of what is refused and what is not."""

import pytest

from pellucid_gateway.claims.telling.degrees import goes_further

FURTHER = {
    "monthly for yearly": ("Ash pays 5 euros a month.", "Ash pays 5 euros a year."),
    "monatlich": ("Ash zahlt 5 Euro im Monat.", "Ash zahlt 5 Euro im Jahr."),
    "매달": ("매달 담비 90마리가 죽는다", "해마다 담비 90마리가 죽는다."),
    "all for the thing": ("Ash closes all its mills.", "Ash closes three mills."),
    "gesamte": ("Der Bund zahlt das gesamte Dach.", "Der Bund zahlt die Hälfte für das Dach."),
    "전액": ("정부가 사업비 전액을 낸다", "정부가 사업비 15퍼센트를 낸다."),
    "most for few": ("Lead was found in most homes.", "Lead was found in 6 percent of homes."),
    "will for may": ("Ash will build a mill in Hull.", "Ash may build a mill in Hull."),
    "allowed for forbidden": (
        "Eels may be sold abroad.",
        "Eels must not go: to sell eels is illegal.",
    ),
    "another's words": (
        "The bakers' league doubts that staff suffice.",
        "Adviser Milo Brandt doubts that staff suffice. The bakers' league sued.",
    ),
    "compared the other way": (
        "Day workers were 9 percent more often ill than night workers.",
        "Night workers were 9 percent more often ill than day workers.",
    ),
}
NO_FURTHER = {
    "annual for yearly": ("The annual fee is 5 euros.", "Ash pays a fee of 5 euros a year."),
    "a year later": ("A year later the fee was 5 euros.", "The monthly fee was 5 euros in 2020."),
    "counted": ("All 14 men were saved.", "The men, 14 in number, were saved."),
    "all of none": ("All mills stay open.", "None of the mills is to close."),
    "most of more": ("Lead was found in most homes.", "Lead was found in 61 percent of homes."),
    "will for plans": ("Ash will build a mill.", "Ash plans to build a mill."),
    "less for more": (
        "Adult birds landed less often than young ones.",
        "Young birds landed more often than adults.",
    ),
    "may for may": ("Ash may well build a mill.", "Ash might build a mill."),
    "whoever was named": (
        "Milo Brandt doubts that staff suffice.",
        "The bakers hired Milo Brandt. The adviser doubts that staff suffice.",
    ),
    "one's own words": (
        "Milo Brandt doubts that staff suffice.",
        "Adviser Milo Brandt doubts that staff suffice.",
    ),
    "nothing of it": ("Ash pays 5 euros a month.", "Elms grow in the north."),
}


@pytest.mark.parametrize("row", FURTHER.values(), ids=FURTHER)
def test_what_goes_further_is_refused(row: tuple[str, str]) -> None:
    claim, passage = row

    assert goes_further(claim, passage.replace(". ", ".\n").split("\n"))


@pytest.mark.parametrize("row", NO_FURTHER.values(), ids=NO_FURTHER)
def test_what_does_not_is_left_alone(row: tuple[str, str]) -> None:
    claim, passage = row

    assert not goes_further(claim, passage.replace(". ", ".\n").split("\n"))
