"""Every example in a docstring gives what it says."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def modules() -> list[str]:
    """Return the names of the modules whose docstrings have examples."""
    found = []
    for path in sorted((ROOT / "services").glob("*/src/**/*.py")):
        if re.search(r"^ +>>> ", path.read_text("utf-8"), re.MULTILINE):
            parts = path.with_suffix("").parts
            found.append(".".join(parts[parts.index("src") + 1 :]))
    return found


@pytest.mark.parametrize("name", modules())
def test_examples(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert result.attempted
    assert result.failed == 0
