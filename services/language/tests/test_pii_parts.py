"""Each finder of personal data on its own. All people, numbers and hosts are invented."""

import time
from collections.abc import Callable, Iterator

import pytest

from pellucid_language.pii.contact_data import (
    find_emails,
    find_ip_addresses,
    find_mac_addresses,
    find_phones,
    is_look_up,
)
from pellucid_language.pii.credentials import find_secrets
from pellucid_language.pii.gate import GATE
from pellucid_language.pii.identity_numbers import find_identity_numbers
from pellucid_language.pii.payment_data import find_cards, find_ibans
from pellucid_language.pii.surroundings import find_told_secrets
from pellucid_language.pii.unmasking import unmasked

Finder = Callable[[str], Iterator[tuple[int, int]]]


@pytest.mark.parametrize(
    ("finder", "text", "found"),
    [
        (find_emails, "write to mara.quill@skerry.example now", ["mara.quill@skerry.example"]),
        (find_emails, "the handle @skerry is taken", []),
        (find_ip_addresses, "the host 81.2.69.142 is slow", ["81.2.69.142"]),
        (find_ip_addresses, "version 10.2.1 is out", []),
        (find_mac_addresses, "my card is 3c:22:fb:4a:91:07", ["3c:22:fb:4a:91:07"]),
        (find_phones, "call me at +49 30 901820 tonight", ["+49 30 901820"]),
        (find_phones, "the election of 2026 and 1848", []),
        (find_identity_numbers, "the years 1999 to 2026", []),
        (find_identity_numbers, "chapter 12 of 2026", []),
        (find_told_secrets, "my password is tr0ub4dor&3", ["tr0ub4dor&3"]),
        (find_told_secrets, "how do I choose a good password", []),
        (find_secrets, "what is an API key", []),
    ],
)
def test_what_a_finder_finds(finder: Finder, text: str, found: list[str]) -> None:
    assert list(dict.fromkeys(text[start:end] for start, end in finder(text))) == found


def test_a_key_is_told_by_its_prefix() -> None:
    text = "use ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 here"
    assert [text[start:end] for start, end in find_secrets(text)] == [text.split()[1]]


def test_questions_about_a_number_itself_are_told() -> None:
    assert is_look_up("who owns the IP address 81.2.69.142?")
    assert not is_look_up("why is my router slow?")


def test_card_and_account_numbers_need_their_check_digits() -> None:
    assert list(find_cards("4111 1111 1111 1111"))
    assert not list(find_cards("4111 1111 1111 1112"))
    assert list(find_ibans("GB82 WEST 1234 5698 7654 32"))
    assert not list(find_ibans("GB83 WEST 1234 5698 7654 32"))


def test_what_hides_a_number_is_undone() -> None:
    assert unmasked("4\u200b1\u00ad1‑1") == "411-1"


@pytest.mark.parametrize(
    "query",
    [
        "world cup winners 1998 2002 2006 2010 2014 2018",
        "harbour tolls 2019-2024 2025",
        "census 1990 2000 2010 2020 Hellerau",
    ],
)
def test_years_are_no_personal_data(query: str) -> None:
    assert GATE.redact(query).text == query


@pytest.mark.parametrize(
    "text",
    ["my pin is 4821. Is that common?", "Meine PIN ist 4821.", "The door code is 4821. How so?"],
)
def test_a_code_that_ends_a_sentence_is_found(text: str) -> None:
    assert GATE.private([text]) == ("4821",)


@pytest.mark.parametrize("blank", [" ", "\n", " \n"])
@pytest.mark.parametrize("start", ["password", "my password is", "login"])
def test_long_runs_of_blanks_take_no_time(start: str, blank: str) -> None:
    text = start + blank * 50_000 + "x"
    began = time.process_time()
    GATE.private([text])
    GATE.redact(text)
    assert time.process_time() - began < 2.0
