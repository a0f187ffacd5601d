"""A model that cites wrongly on purpose: what of it reaches the reader; floors are only raised.

Held both with the scorer's real support and by the lexical checks alone, as when it is down.
"""

from collections import Counter

import pytest

from rig.planted import CHECKABLE, Planted, cases, wrongly_answered
from rig.real_support import RealSupport, SupportDown
from rig.verifying import verified

pytestmark = pytest.mark.timeout(600)

# Figures that two cited sources exchange, and months that a page of another language prints.
MOST_CHECKABLE = 6
# By words alone claims in another language and with few words of their source are lost.
LEAST_RIGHT_SHARES = {"RealSupport": 0.95, "SupportDown": 0.94}
LEAST_CASES = 1_400


async def _missed(scorer: RealSupport | SupportDown) -> tuple[list[Planted], Counter[str]]:
    missed = [case for case in cases() if wrongly_answered(case, await verified(case, scorer))]
    return missed, Counter(case.kind for case in cases())


@pytest.mark.parametrize("scorer", [RealSupport(), SupportDown()], ids=["scorer", "words alone"])
async def test_planted_citations_do_not_reach_the_reader(scorer: RealSupport | SupportDown) -> None:
    missed, count = await _missed(scorer)
    wrong = Counter(case.kind for case in missed)

    assert len(cases()) >= LEAST_CASES
    assert len({case.language for case in cases()}) == 7
    checkable = [case.text for case in missed if case.kind in CHECKABLE]
    assert len(checkable) <= MOST_CHECKABLE, checkable
    right = 1 - wrong["right"] / count["right"]
    assert right >= LEAST_RIGHT_SHARES[type(scorer).__name__], [
        c.text for c in missed if c.kind == "right"
    ]
