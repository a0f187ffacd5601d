"""Names, roles and denials in Korean, Japanese and Chinese."""

import re

import pytest

from pellucid_language.unspaced_checks import absent_name, denies, turned

NEGATIONS = re.compile("않|없|ない|ません|没有|不")


@pytest.mark.parametrize(
    ("claim", "text", "absent"),
    [
        ("田辺知事は認めた", "森下知事は認めた。", "田辺"),
        ("田辺知事は認めた", "田辺知事が計画を認めた。", ""),
        ("The mayor agreed.", "森下知事は認めた。", ""),
    ],
)
def test_a_name_before_an_office(claim: str, text: str, absent: str) -> None:
    assert absent_name(claim, text) == absent


@pytest.mark.parametrize(
    ("claim", "sentence", "expected"),
    [
        ("나루가 하늘을 인수했다", "하늘은 나루를 인수했다", True),
        ("하늘이 나루를 인수했다", "하늘은 나루를 인수했다", False),
        ("北岭击败了海川", "海川击败了北岭", True),
        ("海川击败了北岭", "海川击败了北岭", False),
        ("海川被北岭击败了", "北岭击败了海川", False),
    ],
)
def test_who_acts_and_who_is_acted_on(claim: str, sentence: str, *, expected: bool) -> None:
    assert turned(claim, sentence) is expected


def test_a_denied_verb() -> None:
    stated = ["다리는 오월에 열렸다."]
    assert not denies("다리는 오월에 열렸다.", stated, NEGATIONS)
