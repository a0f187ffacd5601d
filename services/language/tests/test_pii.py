"""What never leaves, and what looks like it and must pass untouched."""

import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pii_tables import LEAKS, UNTOUCHED
from stdnum import luhn
from stdnum.iso7064 import mod_97_10

from pellucid_language.pii.gate import Redactor
from pellucid_language.pii.unmasking import unmasked


def test_the_tables_are_long_enough_to_mean_something() -> None:
    assert len(LEAKS) >= 130
    assert len(set(UNTOUCHED)) >= 130
    assert {kind for kind, _, _ in LEAKS} == {
        "card", "iban", "ssn", "secret", "email", "phone", "ip",
    }  # fmt: skip


@pytest.mark.parametrize(("kind", "datum", "around"), LEAKS)
def test_personal_data_are_taken_out_and_reported(kind: str, datum: str, around: str) -> None:
    redacted = Redactor().redact(around.format(datum))

    assert kind in redacted.kinds
    assert datum not in redacted.text
    assert left_over(datum, redacted.text, around) == []


def left_over(datum: str, text: str, around: str) -> list[str]:
    """Return the pieces of a datum that are still in a text: of three digits or four characters.

    Spelling, grouping and case do not matter; what the words around the datum hold anyway is no
    piece of it.
    """
    whole, rest, known = (_bare(part) for part in (datum, text, around))
    pieces = [whole[at : at + 4] for at in range(len(whole) - 3)]
    pieces += [piece for at in range(len(whole) - 2) if (piece := whole[at : at + 3]).isdigit()]
    return [piece for piece in pieces if piece in rest and piece not in known]


def _bare(text: str) -> str:
    return "".join(char for char in unmasked(text).casefold() if char.isalnum())


def test_what_is_left_over_is_seen_whatever_it_is() -> None:
    assert left_over("jane.doe@example.com", "mail jane", "mail {}") == ["jane"]
    assert left_over("4111 1111 1111 1111", "card 1-1-1", "card {}")
    assert left_over("hunter2hunter2", "password HUNTER", "password {}")
    assert not left_over("4111 1111 1111 1111", "card 28", "card {}")


@pytest.mark.parametrize("query", UNTOUCHED)
def test_look_alikes_pass_untouched(query: str) -> None:
    assert Redactor().redact(query).text == query


@pytest.mark.parametrize(
    ("question", "query", "kept"),
    [
        ("who called me from +1 415-555-2671?", "+1 415-555-2671 who called", True),
        ("whose address is jane@example.com", "jane@example.com owner", True),
        ("where is 203.0.113.7 located", "203.0.113.7 location", True),
        ("write a mail to jane@example.com", "mail jane@example.com", False),
        ("who called me from +1 415-555-2671?", "+44 20 7946 0958 who called", False),
    ],
)
def test_the_subject_of_a_look_up_passes_only_when_permitted(
    question: str, query: str, kept: Any
) -> None:
    permitted = Redactor(permit_subject=True).redact(query, question=question)
    default = Redactor().redact(query, question=question)

    assert (permitted.text == query) is kept
    assert default.text != query


def test_what_stands_around_overlapping_data_stays() -> None:
    redacted = Redactor().redact("::ffff:203.0.113.7 log of the gate")

    assert redacted.text == "log of the gate"


def test_cards_and_secrets_go_even_when_the_question_is_about_them() -> None:
    card = "4111 1111 1111 1111"
    redacted = Redactor(permit_subject=True).redact(f"who owns {card}", question=f"whose is {card}")

    assert redacted.kinds == ("card",)


@given(st.text(max_size=200))
def test_redaction_is_idempotent_and_never_fails(text: str) -> None:
    once = Redactor().redact(text)

    assert Redactor().redact(once.text).kinds == ()


@given(st.integers(min_value=10**11, max_value=10**14 - 1), st.sampled_from(["", " ", "-"]))
def test_every_visa_number_goes_however_it_is_grouped(body: int, mark: str) -> None:
    digits = f"4{body:014d}"
    digits += next(check for check in "0123456789" if luhn.is_valid(digits + check))
    grouped = mark.join(digits[start : start + 4] for start in range(0, 16, 4))

    assert Redactor().redact(f"pay {grouped} now").text == "pay now"


GROUPINGS = st.sampled_from(
    ["", " ", "-", ".", "  ", " - ", "/", "_", "\u2009", "\u2013", "\u200b"]
)


# Form of the account behind country and check digits: n figures, a letters.
ACCOUNTS = {
    "DE": "n18", "AT": "n16", "CH": "n5a12", "FR": "n10a11n2", "ES": "n20", "IT": "a1n10a12",
    "NL": "a4n10", "BE": "n12", "GB": "a4n14", "IE": "a4n14", "PL": "n24", "SE": "n20",
    "NO": "n11", "MT": "a4n5a18", "BR": "n23a2", "TR": "n22", "SA": "n20", "UA": "n25",
}  # fmt: skip


@given(st.data(), GROUPINGS, st.sampled_from([str.upper, str.lower]))
def test_every_account_of_a_country_goes_however_it_is_grouped(
    data: st.DataObject, mark: str, spell: Any
) -> None:
    country, form = data.draw(st.sampled_from(sorted(ACCOUNTS.items())))
    parts = re.findall(r"([na])(\d+)", form)
    signs = {"n": "0123456789", "a": "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
    body = "".join(
        data.draw(st.text(signs[kind], min_size=int(size), max_size=int(size)))
        for kind, size in parts
    )
    account = f"{country}{mod_97_10.calc_check_digits(body + country)}{body}"
    grouped = mark.join(account[start : start + 4] for start in range(0, len(account), 4))

    assert Redactor().redact(f"pay {spell(grouped)} now").text == "pay now"


@given(
    st.sampled_from(["34", "37", "4", "51", "2221", "6011", "3528", "62", "6759"]),
    st.text("0123456789", min_size=15, max_size=15),
    st.sampled_from(["", " ", "-", ".", "  ", ", ", "|", "/", "\u2009", "\u2013"]),
)
def test_every_card_of_every_network_goes_however_it_is_grouped(
    prefix: str, filling: str, mark: str
) -> None:
    length = 15 if prefix in {"34", "37"} else 16
    digits = f"{prefix}{filling}"[: length - 1]
    digits += next(check for check in "0123456789" if luhn.is_valid(digits + check))
    grouped = mark.join(digits[start : start + 4] for start in range(0, length, 4))

    assert Redactor().redact(f"pay {grouped} now").text == "pay now"


@pytest.mark.parametrize(
    "query",
    ["a-" * 100, "a.at." * 40, "1 " * 100, "x@" * 100, "4" * 200, "- " * 100, "token " * 33,
     "a at b dot " * 18, "-dot-" * 40, "A1" * 100, "eyJ" * 66, "1." * 100, "passport 1 " * 18],
)  # fmt: skip
def test_no_query_takes_long(query: str) -> None:
    times = []
    for _ in range(3):  # the collector of garbage may run in one of them
        started = time.process_time()
        Redactor().redact(query)
        times.append(time.process_time() - started)

    assert min(times) < 0.5
