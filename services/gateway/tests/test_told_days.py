"""Days that two sources give for one event."""

from pellucid_gateway.conflicts.told_days import different_days
from pellucid_gateway.domain.findings import Source


def source(n: int) -> Source:
    return Source(n=n, url=f"https://post{n}.example/", title="", domain=f"post{n}.example")


def days(one: str, other: str) -> tuple[str, str] | None:
    return different_days((source(1), one), (source(2), other))


def test_two_days_differ() -> None:
    assert days("It opens on 3 May.", "It opens on 5 May.") == ("3 May", "5 May")


def test_one_day_in_two_spellings_is_one() -> None:
    assert days("It opens on 3 May.", "It opens on May 3.") is None


def test_the_day_of_publication_is_none_of_the_event() -> None:
    assert days("Published 3 May: it opens soon.", "It opens on 5 May.") is None


def test_a_range_is_given_whole() -> None:
    assert days("It runs 8 to 10 April.", "It runs until 12 April.") == (
        "8 to 10 April",
        "12 April",
    )


def test_a_day_within_a_range_is_no_other_day() -> None:
    counted = "It counted cars between 14 and 18 November."

    assert days("It opened on 14 November.", counted) is None
    assert days(counted, "It opened on 16 November.") is None
    assert days("It runs 8 to 10 April.", "It runs 9 to 11 April.") is not None
