"""Clause borders."""

import pytest

from pellucid_language.clauses import PAUSE, TIGHT_BORDER, UNSPACED_PAUSE, clauses


@pytest.mark.parametrize(
    ("sentence", "count"),
    [
        ("The toll rose to 1,320 crowns at 9:30.", 1),
        ("The toll rose, the fare fell.", 2),
        ("Ash rose while Birch fell.", 2),
        ("Ash stieg, aber Birch fiel.", 2),
        ("桥开放了，但收费不变。", 2),
    ],
)
def test_statements(sentence: str, count: int) -> None:
    assert len(clauses(sentence)) == count


def test_pauses() -> None:
    assert PAUSE.split("It rose. Then it fell")[0] == "It rose"
    assert UNSPACED_PAUSE.split("开放了，收费")[0] == "开放了"
    assert TIGHT_BORDER.split("crowns but Birch")[0] == "crowns"
