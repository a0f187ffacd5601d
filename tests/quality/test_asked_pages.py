"""Without a language model: facts told in other words are quoted, what nothing answers is told so.

Floors are only raised. At the first measurement of the part that was never looked at, sentences
with the fact were quoted for .75 of its questions, taken for an answer for .44, and all open ones
were told. Before there were lists of words for one thing, the fact was quoted for .56 of them.
"""

import pytest

from rig.asked_pages import Shares, asked, quoted, shares
from rig.sample import nightly_except

FLOORS = {
    "one": Shares(quoted=0.95, taken=0.95, told=0.95),
    "two": Shares(quoted=0.84, taken=0.78, told=0.84),
    "three": Shares(quoted=0.81, taken=0.68, told=0.87),
}


def test_questions_are_many_and_of_seven_languages() -> None:
    assert len(asked()) >= 210
    assert len({one.language for one in asked()}) == 7


# The last part is the one that was never looked at.
@pytest.mark.parametrize(
    ("part", "floor"), nightly_except([("three", FLOORS["three"])], FLOORS.items())
)
def test_share_of_each_part(part: str, floor: Shares) -> None:
    found = shares([quoted(one) for one in asked() if one.part == part])

    assert found.quoted >= floor.quoted
    assert found.taken >= floor.taken
    assert found.told >= floor.told
