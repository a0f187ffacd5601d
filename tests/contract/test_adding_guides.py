"""The guides for adding something name files that exist, and the library guide every module."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDES = sorted((ROOT / "docs").glob("adding-a-*.md"))
LANGUAGE = ROOT / "services" / "language"


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_files_that_a_guide_names_exist(guide: Path) -> None:
    named = re.findall(
        r"(?<![\w/])((?:services|eval|docs|protos)/[\w./-]+\.\w+)", guide.read_text("utf-8")
    )
    missing = [path for path in named if not (ROOT / path).is_file()]
    assert named
    assert missing == []


def test_no_two_decision_records_have_one_number() -> None:
    numbers = [path.name[:4] for path in (ROOT / "docs" / "adr").glob("*.md")]
    assert len(numbers) == len(set(numbers))


def test_the_language_library_lists_its_modules() -> None:
    readme = (LANGUAGE / "README.md").read_text("utf-8")
    modules = (LANGUAGE / "src" / "pellucid_language").glob("*.py")
    assert [path.name for path in modules if f"`{path.name}`" not in readme] == ["__init__.py"]
