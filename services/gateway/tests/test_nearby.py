"""The parts of a long page that a claim can rest on."""

from time import process_time

from pellucid_gateway.verification.fact_matching import match_facts
from pellucid_gateway.verification.nearby import WHOLE_CHARS, near

FILLER = "\n".join(
    f"Paragraph {n}: the committee of district {n} met in room {n} and adjourned."
    for n in range(1500)
)
FACT = "The footbridge at Ellmar carries 1,204 walkers a day."
PAGE = f"{FILLER[:60_000]}\n{FACT}\n{FILLER[60_000:]}"
# Reading all of such a page takes seconds; ten times what the part takes on a slow machine.
MOST_SECONDS = 2.0


def test_a_short_text_is_read_whole() -> None:
    assert near("anything", FACT) == FACT


def test_the_part_with_the_claims_words_is_found_in_a_long_page() -> None:
    part = near("About 1,204 walkers use the footbridge at Ellmar daily.", PAGE)
    assert FACT in part
    assert len(part) <= WHOLE_CHARS


def test_neighbouring_parts_stay_as_they_stand_in_the_page() -> None:
    line = "Ellmar footbridge " * 300
    text = f"{line}\n{FILLER}"
    assert near("the footbridge at Ellmar", text).startswith(line)


def test_parts_are_found_in_scripts_without_blanks() -> None:
    fact = "市は跡地に図書館を建てると発表した。"
    text = f"{'天気は晴れでした。' * 2000}\n{fact}\n{'天気は雨でした。' * 2000}"
    assert fact in near("跡地に図書館が建つ", text)


def test_a_long_page_is_checked_in_bounded_time() -> None:
    claim = "The footbridge at Ellmar carries 1,204 walkers a day."
    began = process_time()
    found = match_facts(claim, near(claim, PAGE))
    assert process_time() - began < MOST_SECONDS
    assert found.kept == 1.0
