"""What a page made a model write is read in bounded time, whatever it repeats."""

import time
from collections.abc import Callable

import pytest

from pellucid_gateway.markdown.addresses import Addresses
from pellucid_gateway.markdown.door import Door
from pellucid_gateway.markdown.escaping import MAIL, escaped
from pellucid_gateway.markdown.readers import is_notable, plain_end
from pellucid_gateway.verification import markup, pointing
from rig.sample import sampled

SOURCES = Addresses({1: "https://skerry.example/toll"})
REPEATED = {
    "images": "![",
    "brackets": "[[",
    "links": "[x](",
    "definitions": "[a]: ",
    "tags": "<a ",
    "mail": "a@",
    "addresses": "http://",
    "code": "`",
    "references": "&a",
    "blanks": " ",
    "letters": "x",
    "underscores": "_",
    "digits": "1.",
    "dashes": "-",
}
# Processor seconds, some times what a busy core takes; quadratic reading takes 15 to 40.
SCAN_S, ANSWER_S = 0.5, 12.0


def cost_s(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


@pytest.mark.parametrize("repeated", REPEATED)
@pytest.mark.parametrize(
    "scan",
    [is_notable, plain_end, MAIL.findall, markup.settled_end, pointing.settled_end],
    ids=["notable", "plain end", "mail", "markup", "pointing"],
)
def test_a_scan_is_linear(scan: Callable[[str], object], repeated: str) -> None:
    text = REPEATED[repeated] * (20_000 // len(REPEATED[repeated]))
    assert cost_s(lambda: scan(text)) < SCAN_S


@pytest.mark.parametrize("repeated", sampled(REPEATED, 4))
def test_a_block_of_many_lines_is_let_out_in_seconds(repeated: str) -> None:
    line = (REPEATED[repeated] * 100)[:100] + "\n"
    door = Door(SOURCES)
    assert cost_s(lambda: [door.passed(line) for _ in range(80)]) < ANSWER_S


def test_a_title_of_nothing_but_marks_is_escaped_in_seconds() -> None:
    assert max(cost_s(lambda mark=mark: escaped(mark * 300)) for mark in REPEATED.values()) < 1.0


def test_brackets_that_open_one_too_many_are_text() -> None:
    door = Door(SOURCES)
    passed = "".join(door.passed("![" * 30 + "\n").text for _ in range(3))
    assert passed.replace("\\[", "").count("[") == 10


def test_a_long_list_keeps_its_links_and_code() -> None:
    items = [
        f"- `option_{n}` sets the toll of lane {n}, see [the tariff](https://skerry.example/toll)\n"
        for n in range(150)
    ]
    door = Door(SOURCES)
    assert "".join(door.passed(item).text for item in items) == "".join(items)


def test_a_long_block_of_code_keeps_its_addresses() -> None:
    lines = ["```sh\n", *(f"curl https://api.example/{n}?a=[{n}\n" for n in range(400)), "```\n"]
    door = Door(SOURCES)
    assert "".join(door.passed(line, is_code=True).text for line in lines) == "".join(lines)


def test_what_follows_a_long_block_of_code_is_judged() -> None:
    door = Door(SOURCES)
    for line in ["```sh\n", *(f"echo {n}\n" for n in range(600)), "```\n"]:
        door.passed(line, is_code=True)
    assert "evil.example" not in door.passed("![x](https://evil.example/x)\n").text
