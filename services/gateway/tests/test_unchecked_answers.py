"""An answer whose citations nobody checks passes the output filter like any other."""

import pytest
from citation_fakes import verifier
from hostile_markdown import chunks, reached, shown

HOSTILE = "In [1, 3] it is so. See ![x](https://evil.example/x?d=1) then.\n"


@pytest.mark.parametrize("size", [1, 9, 10_000])
async def test_it_leads_nowhere_while_mathematics_stays(size: int) -> None:
    checked = verifier(checks=False)
    for chunk in chunks(HOSTILE, size):
        _ = [event async for event in checked.feed(chunk)]
        for reader, page in shown(checked.answer).items():
            assert reached(page) == [], (reader, checked.answer)
    _ = [event async for event in checked.finish()]

    assert checked.answer.startswith("In [1, 3] it is so. ")
    for reader, page in shown(checked.answer).items():
        assert reached(page) == [], (reader, checked.answer)
