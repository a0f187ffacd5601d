"""What is known of human language is written down once, in the language library.

Each test looks for a second definition in the sources of the services and the runtime.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

from pellucid_language.calendar import printed_months
from pellucid_language.stop_words import stop_words

ROOT = Path(__file__).resolve().parents[2]
LANGUAGE = ROOT / "services" / "language" / "src"
SOURCES = sorted((ROOT / "services").glob("*/src/**/*.py"))
OUTSIDE = [path for path in SOURCES if LANGUAGE not in path.parents]
# Words that ask, which most stop words of a question are, tell the topic of a page from it.
ASKING = "page_topic.yaml"
TABLES = [
    path
    for path in sorted((ROOT / "services").glob("*/src/**/*.yaml"))
    if LANGUAGE not in path.parents and path.name != ASKING
]
# From so many of its words on, a table of words is taken for a second list of them.
MANY_MONTHS = 5
MANY_STOP_WORDS = 25
EAST_ASIAN_RANGE = re.compile(
    "[\u0e00-\u0eff\u1100-\u11ff\u3005-\ud7af\uf900-\ufaff]-[\u0e00-\u0eff\u1100-\u11ff\u3005-\ud7af\uf900-\ufaff]"
    r"|\\u(?:0e|1[01]|3(?=0[4-9a-f]|[1-9a-f])|[4-9a-d][0-9a-f])[0-9a-f]+-\\u",
    re.IGNORECASE,
)
WORD = re.compile(r"[^\W\d_]+")


@cache
def strings(path: Path) -> tuple[str, ...]:
    """Return the literals of a module, the docstrings left out; parts of f-strings singly."""
    tree = ast.parse(path.read_text("utf-8"))
    prose = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return tuple(
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose
    )


@cache
def calls(path: Path) -> frozenset[str]:
    """Return what a module calls, as written."""
    tree = ast.parse(path.read_text("utf-8"))
    called = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return frozenset(map(ast.unparse, called))


def named(path: Path) -> str:
    """Return the path of a source below the services."""
    return str(path.relative_to(ROOT / "services"))


def listed(path: Path) -> Iterator[frozenset[str]]:
    """Yield the texts of each collection literal of a module."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Set | ast.List | ast.Tuple | ast.Dict):
            items = node.keys if isinstance(node, ast.Dict) else node.elts
            yield frozenset(
                item.value.casefold()
                for item in items
                if isinstance(item, ast.Constant) and isinstance(item.value, str)
            )


def tabled(table: object) -> Iterator[frozenset[str]]:
    """Yield the words of each list, key group and text of a table."""
    if isinstance(table, dict):
        yield frozenset(str(key).casefold() for key in table)
        for value in table.values():
            yield from tabled(value)
    elif isinstance(table, list):
        yield frozenset(item.casefold() for item in table if isinstance(item, str))
        for item in table:
            yield from tabled(item)
    elif isinstance(table, str):
        yield frozenset(WORD.findall(table.casefold()))


def test_ranges_of_east_asian_letters_stand_among_the_scripts() -> None:
    home = LANGUAGE / "pellucid_language" / "scripts.py"
    found = {
        named(path)
        for path in SOURCES
        if path != home and any(EAST_ASIAN_RANGE.search(text) for text in strings(path))
    }
    assert found == set()


def test_unicode_is_normalised_by_the_folding_module_alone() -> None:
    home = LANGUAGE / "pellucid_language" / "folding.py"
    found = {
        named(path) for path in SOURCES if path != home and "unicodedata.normalize" in calls(path)
    }
    # The tokenizer follows its model's definition, and a trained model finds its pieces again.
    assert found == {
        "scorer/src/pellucid_scorer/adapters/pieces.py",
        "scorer/src/pellucid_scorer/understanding/layout.py",
    }


def test_the_public_suffix_list_is_opened_once() -> None:
    found = {named(path) for path in SOURCES if "tldextract.TLDExtract" in calls(path)}
    assert found == {"common/src/pellucid_runtime/domains.py"}


def test_conjunctions_between_clauses_stand_in_the_language_library() -> None:
    opposing = re.compile(r"\b(?:whereas|während|tandis que|mientras)\b")
    found = {
        named(path) for path in OUTSIDE if any(opposing.search(text) for text in strings(path))
    }
    assert found == set()


def test_no_module_lists_months_or_stop_words() -> None:
    months = frozenset(printed_months())
    for path in OUTSIDE:
        for text in strings(path):
            said = frozenset(WORD.findall(text.casefold()))
            assert len(months & said) < MANY_MONTHS, (named(path), text)
        for words in listed(path):
            assert len(words & months) < MANY_MONTHS, named(path)
            assert len(words & stop_words()) < MANY_STOP_WORDS, named(path)


def test_no_table_lists_months_or_stop_words() -> None:
    months = frozenset(printed_months())
    for path in TABLES:
        for words in tabled(yaml.safe_load(path.read_text("utf-8"))):
            assert len(words & months) < MANY_MONTHS, (named(path), sorted(words & months))
            both = words & stop_words()
            few = len(both) < MANY_STOP_WORDS or 5 * len(both) < 4 * len(words)
            assert few, (named(path), sorted(both))


@pytest.mark.parametrize(
    "second",
    [
        '_HANGUL = re.compile("[\uac00-\ud7a3]")',
        '_HANGUL = re.compile(r"[\\uac00-\\ud7a3]")',
        'unicodedata.normalize("NFKC", text)',
        "tldextract.TLDExtract()",
        'MONTHS = ("janvier", "mars", "avril", "juin", "juillet")',
        'MONTH = re.compile("jan|feb|apr|jun|jul")',
    ],
)
def test_a_second_definition_is_seen(second: str, tmp_path: Path) -> None:
    path = tmp_path / "second.py"
    path.write_text(second, "utf-8")
    months = frozenset(printed_months())
    assert (
        any(EAST_ASIAN_RANGE.search(text) for text in strings(path))
        or calls(path) & {"unicodedata.normalize", "tldextract.TLDExtract"}
        or any(len(words & months) >= MANY_MONTHS for words in listed(path))
        or any(len(months & set(WORD.findall(text))) >= MANY_MONTHS for text in strings(path))
    )
