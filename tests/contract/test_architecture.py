"""The package lists of the architecture guide are the contracts that the linter enforces."""

import configparser
import re
from functools import cache
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
MOST_MODULES = 25
ONE_EACH = {"providers", "sites"}
"""Packages with a module for each thing of one kind, listed in `registry.py`: they may grow."""
LONGEST_CHAIN = 10
"""Imports, one after another, from the gateway's entry point: it has by far the most modules."""
PACKAGES = sorted(
    folder.parent
    for folder in (ROOT / "services").glob("*/src/pellucid_*/**/__init__.py")
    if "gen" not in folder.parts
)


def layers() -> dict[str, list[str]]:
    """Return the layered contracts: name of the contract to its packages, from the top down."""
    config = configparser.ConfigParser()
    config.read(ROOT / ".importlinter")
    return {
        section.rpartition(":")[2]: re.findall(r"\w+", config[section]["layers"])
        for section in config.sections()
        if section.rpartition(":")[2].endswith(("-packages", "-api", "-extraction", "-parts"))
    }


def listed(heading: str) -> list[str]:
    """Return the packages of the table after a heading or a sentence of the guide."""
    after = GUIDE.split(heading, 1)[1]
    table = re.search(r"(?:^\|.*\n)+", after, flags=re.MULTILINE)
    assert table is not None
    return re.findall(r"^\| `(\w+)`", table.group(), flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("heading", "contract"),
    [
        ("### Gateway, from the top down", "gateway-packages"),
        ("Within `api`, from the top down", "gateway-api"),
        ("### Search, from the top down", "search-packages"),
        ("### Decision, from the top down", "decision-packages"),
        ("### Scorer, from the top down", "scorer-packages"),
        ("### Fetcher, from the top down", "fetcher-packages"),
        ("Within `extraction`, from the top down", "fetcher-extraction"),
        ("### Language library, from the top down", "language-parts"),
    ],
)
def test_the_guide_lists_the_packages_of_the_contract(heading: str, contract: str) -> None:
    assert listed(heading) == layers()[contract]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_the_guide_says_what_a_package_holds(package: Path) -> None:
    assert package.parent.name == "src" or f"\n| `{package.name}` | " in GUIDE


def test_every_service_has_a_contract() -> None:
    services = {path.name for path in (ROOT / "services").iterdir() if (path / "src").is_dir()}
    assert services - {"common"} == {name.rpartition("-")[0] for name in layers()} & services


@pytest.mark.parametrize(
    "package",
    [package for package in PACKAGES if package.name not in ONE_EACH],
    ids=lambda path: path.name,
)
def test_no_package_has_more_modules_than_a_newcomer_can_survey(package: Path) -> None:
    modules = [module for module in package.glob("*.py") if module.name != "__init__.py"]
    assert len(modules) <= MOST_MODULES


def test_no_chain_of_imports_is_longer_than_a_reader_can_follow() -> None:
    graph = grimp.build_graph("pellucid_gateway", cache_dir=None)

    @cache
    def longest(module: str) -> tuple[str, ...]:
        below = graph.find_modules_directly_imported_by(module)
        return (module, *max((longest(each) for each in sorted(below)), key=len, default=()))

    chain = longest("pellucid_gateway.__main__")
    assert len(chain) - 1 <= LONGEST_CHAIN, " > ".join(chain)
