"""Values with the form of a password. All of them are invented."""

import pytest

from pellucid_language.pii.passwords import find_passwords


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("can hackers guess Tr0ub4dor&3? it is my mail password", ["Tr0ub4dor&3"]),
        ("how long should a password be", []),
        ("Tr0ub4dor&3 is a song", []),
    ],
)
def test_values_where_a_password_is_spoken_of(text: str, found: list[str]) -> None:
    assert [text[start:end].strip("?") for start, end in find_passwords(text)] == found
