"""Without a language model: facts told in other words are quoted, what nothing answers is told so.

Floors are only raised. At the first measurement of the part that was never looked at, sentences
with the fact were quoted for .75 of its questions, taken for an answer for .44, and all open ones
were told. Before there were lists of words for one thing, the fact was quoted for .56 of them.
"""

from collections.abc import Sequence

import pytest

from rig.asked_pages import Quoted, Shares, asked, quoted, shares

FLOORS = {
    "one": Shares(quoted=0.95, taken=0.95, told=0.95),
    "two": Shares(quoted=0.84, taken=0.78, told=0.84),
    "three": Shares(quoted=0.81, taken=0.68, told=0.87),
}


@pytest.fixture(scope="module")
def results() -> Sequence[Quoted]:
    return [quoted(one) for one in asked()]


def test_questions_are_many_and_of_seven_languages(results: Sequence[Quoted]) -> None:
    assert len(results) >= 210
    assert len({result.asked.language for result in results}) == 7


@pytest.mark.parametrize(("part", "floor"), FLOORS.items())
def test_share_of_each_part(results: Sequence[Quoted], part: str, floor: Shares) -> None:
    found = shares([result for result in results if result.asked.part == part])

    assert found.quoted >= floor.quoted
    assert found.taken >= floor.taken
    assert found.told >= floor.told
