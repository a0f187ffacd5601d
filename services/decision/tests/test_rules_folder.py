"""Rules files: a bad one is refused with its reason and the old rules stay."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pellucid_decision.adapters.rules_folder import PACKAGED_RULES, RulesFolder
from pellucid_decision.decision import Action
from pellucid_decision.errors import RulesError
from pellucid_decision.stages.cascade import Cascade
from pellucid_decision.text.conversation import Ask


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = tmp_path / "rules"
    shutil.copytree(PACKAGED_RULES, copy)
    return copy


def test_a_change_comes_into_force(folder: Path) -> None:
    rules = RulesFolder(folder)
    path = folder / "signals.yaml"
    path.write_text(path.read_text().replace('version: "1"', 'version: "changed"'))
    assert rules.refresh()
    assert rules.book.version == "changed"
    assert not rules.refresh()


BAD = [
    ("signals.yaml", "signals: [", "not valid YAML"),
    ("signals.yaml", "signals: {a: {weight: 9, reason: 'x.'}}", "a.weight"),
    ("languages/en.yaml", "signals: {nonsense: ['x']}", "nonsense"),
    ("languages/en.yaml", "signals: {news: ['(a+)+']}", "repeat"),
    ("languages/en.yaml", "signals: {news: ['(']}", "compile"),
    ("languages/en.yaml", "a: &x [1]\nb: *x", "not valid YAML"),
    ("matrix.yaml", "categories: []", "categories"),
    ("aliases.yaml", "x: [1]", "values must be text"),
]


@pytest.mark.parametrize(("name", "content", "word"), BAD)
def test_a_bad_file_keeps_the_old_rules_and_says_why(
    folder: Path, name: str, content: str, word: str
) -> None:
    outcomes: list[str] = []
    rules = RulesFolder(folder, reloaded=outcomes.append)
    before = rules.book
    (folder / name).write_text(content)
    assert not rules.refresh()
    assert rules.book is before
    assert word in rules.last_error
    assert outcomes == ["error"]


async def test_a_signal_takes_one_line_and_its_patterns(
    folder: Path, asking: Callable[..., Ask]
) -> None:
    catalogue = folder / "signals.yaml"
    line = '  tides: {weight: 0.9, reason: "Tides differ by place and day."}'
    catalogue.write_text(f"{catalogue.read_text().rstrip()}\n{line}\n")
    for code, pattern in (("en", "low tide"), ("de", "(?:ebbe|flut)")):
        path = folder / "languages" / f"{code}.yaml"
        path.write_text(
            path.read_text().replace("signals:\n", f"signals:\n  tides: ['{pattern}']\n")
        )
    cascade = Cascade(RulesFolder(folder))

    for message in ("When is LOW TIDE in Hull?", "Wann ist Ebbe in Husum?"):
        decision = await cascade.decide(asking(message))
        assert "tides" in {signal.name for signal in decision.signals}
        assert decision.action is Action.SEARCH
    near = await cascade.decide(asking("Warum ist eine Sintflut so schlimm?"))
    assert "tides" not in {signal.name for signal in near.signals}


def test_operators_add_categories(folder: Path, tmp_path: Path) -> None:
    extra = tmp_path / "extra.yaml"
    extra.write_text("categories: [{name: shipping, keywords: [ferry], priority: 1.0}]")
    assert RulesFolder(folder, extra).book.matrix[0].name == "shipping"


def test_patterns_that_open_words_keep_their_own_alternatives(folder: Path) -> None:
    (folder / "languages" / "any.yaml").write_text(
        r"signals: {news: ['\bquux(?:es|is)', '\bfoo|bar', '\b[|(]x']}"
    )
    pattern = RulesFolder(folder).book.languages["any"].matchers[0].pattern
    found = [text for text in ("quuxis", "a foo", "xbar", "a|x") if pattern.search(text)]
    assert found == ["quuxis", "a foo", "xbar", "a|x"]
    assert not [text for text in ("xquuxes", "xfoo", "quux", "x") if pattern.search(text)]


def test_words_of_a_category_match_whole_and_in_any_case(folder: Path, tmp_path: Path) -> None:
    extra = tmp_path / "extra.yaml"
    extra.write_text("categories: [{name: sea, keywords: [Ferry, boat, Fähre, 船], priority: 1.0}]")
    words = RulesFolder(folder, extra).book.matrix[0].keywords
    found = [text for text in ("the ferry!", "autofähren", "汽船") if words.search(text)]
    assert found == ["the ferry!", "autofähren", "汽船"]
    assert not words.search("ferryboat")


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_any_bytes_raise_only_the_typed_error(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "fuzzed"
    if not folder.exists():
        shutil.copytree(PACKAGED_RULES, folder)
    (folder / "signals.yaml").write_bytes(content)
    with pytest.raises(RulesError):
        RulesFolder(folder)
