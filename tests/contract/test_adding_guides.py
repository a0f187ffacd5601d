"""The guides for adding something name files that exist, and the library guide every module."""

import re
from pathlib import Path

import pytest

from pellucid_search.providers.registry import REGISTRY

ROOT = Path(__file__).resolve().parents[2]
GUIDES = sorted((ROOT / "docs").glob("*ing-a-*.md"))
LANGUAGE = ROOT / "services" / "language"


def touched(guide: str) -> list[str]:
    """Return the files in the table of a guide, in its order and with its placeholders."""
    text = (ROOT / "docs" / f"adding-a-{guide}.md").read_text("utf-8")
    return re.findall(r"^\| `([\w./<>-]+)` \|", text, flags=re.MULTILINE)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_files_that_a_guide_names_exist(guide: Path) -> None:
    named = re.findall(
        r"(?<![\w/])((?:services|eval|docs|protos)/[\w./-]+\.\w+)", guide.read_text("utf-8")
    )
    missing = [path for path in named if not (ROOT / path).is_file()]
    assert named
    assert missing == []


@pytest.mark.parametrize(
    "name", [spec.name for spec in REGISTRY.values() if spec.dialect and not spec.topics]
)
def test_every_file_of_the_provider_guide_holds_each_provider(name: str) -> None:
    *files, changelog = touched("provider")
    assert changelog == "CHANGELOG.md"
    assert len(files) == 7
    for file in files:
        text = (ROOT / file.replace("<name>", name)).read_text("utf-8")
        assert name in text.lower(), file


@pytest.mark.parametrize("name", REGISTRY)
def test_each_provider_has_a_section_that_its_errors_link_to(name: str) -> None:
    providers = (ROOT / "docs" / "providers.md").read_text("utf-8")
    readme = (ROOT / "services" / "search" / "README.md").read_text("utf-8")
    assert f"\n## {name}\n" in providers, "docs/providers.md"
    section = providers.split(f"\n## {name}\n")[1].split("\n## ")[0]
    rows = [line for line in readme.splitlines() if line.startswith(f"| `{name}` |")]
    assert len(rows) == 1, "services/search/README.md, Providers"
    for variable in REGISTRY[name].needs:
        assert f"`{variable}`" in section
        assert f"`{variable}`" in rows[0]


def test_the_readme_counts_the_search_apis() -> None:
    apis = [spec for spec in REGISTRY.values() if spec.external and not spec.topics]
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"| search sources | {len(apis)} APIs and a local index |" in readme


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_commands_of_a_guide_exist(guide: Path) -> None:
    text = guide.read_text("utf-8")
    targets = [
        name for line in re.findall(r"^make (.+)$", text, re.MULTILINE) for name in line.split()
    ]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert [name for name in targets if f"\n{name}: " not in makefile] == []
    run = re.findall(r"^\.venv/bin/python (.+)$", text, re.MULTILINE)
    paths = [word for line in run for word in line.split() if "/" in word and "<" not in word]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_no_two_decision_records_have_one_number() -> None:
    numbers = [path.name[:4] for path in (ROOT / "docs" / "adr").glob("*.md")]
    assert len(numbers) == len(set(numbers))


def test_the_language_library_lists_its_modules() -> None:
    readme = (LANGUAGE / "README.md").read_text("utf-8")
    modules = (LANGUAGE / "src" / "pellucid_language").glob("*.py")
    assert [path.name for path in modules if f"`{path.name}`" not in readme] == ["__init__.py"]
