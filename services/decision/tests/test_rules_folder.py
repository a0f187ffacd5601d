"""Rules files: a bad one is refused with its reason and the old rules stay."""

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from pellucid_decision.adapters.rules_folder import PACKAGED_RULES, RulesFolder
from pellucid_decision.errors import RulesError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = tmp_path / "rules"
    shutil.copytree(PACKAGED_RULES, copy)
    return copy


def test_a_change_comes_into_force(folder: Path) -> None:
    rules = RulesFolder(folder)
    path = folder / "forms.yaml"
    path.write_text(path.read_text().replace('version: "2"', 'version: "changed"'))
    assert rules.refresh()
    assert rules.book.version == "changed"
    assert not rules.refresh()


FORMS = (PACKAGED_RULES / "forms.yaml").read_text("utf-8")
BAD = [
    ("forms.yaml", "signals: [", "not valid YAML"),
    ("forms.yaml", "signals: {a: {weight: 9, reason: 'x.'}}", "a.weight"),
    ("forms.yaml", "signals: {a: {reason: 'x'}}", "a.reason"),
    ("forms.yaml", FORMS.replace("phrases:", "phrases:\n  a: {en: ['(a+)+']}", 1), "repeat"),
    ("forms.yaml", FORMS.replace("phrases:", "phrases:\n  a: {en: ['(']}", 1), "compile"),
    ("forms.yaml", "a: &x [1]\nb: *x", "not valid YAML"),
    ("matrix.yaml", "categories: []", "categories"),
    ("aliases.yaml", "x: [1]", "aliases.yaml: x: Input should be a valid string"),
    ("forms.yaml", "signals: {a: {reason: 'x.', en: x}}", "a.en: Input should be a valid list"),
]


@pytest.mark.parametrize(("name", "content", "word"), BAD)
def test_a_bad_file_keeps_the_old_rules_and_says_why(
    folder: Path, name: str, content: str, word: str
) -> None:
    outcomes: list[str] = []
    rules = RulesFolder(folder, reloaded=outcomes.append)
    before = rules.book
    (folder / name).write_text(content)
    with capture_logs() as logs:
        assert not rules.refresh()
    assert rules.book is before
    assert word in logs[0]["error"]
    assert outcomes == ["error"]


def test_operators_add_categories(folder: Path, tmp_path: Path) -> None:
    extra = tmp_path / "extra.yaml"
    extra.write_text("categories: [{name: shipping, keywords: [ferry], priority: 1.0}]")
    assert RulesFolder(folder, extra).book.matrix[0].name == "shipping"


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
    (folder / "forms.yaml").write_bytes(content)
    with pytest.raises(RulesError):
        RulesFolder(folder)


def test_an_entry_that_is_asked_for_by_name_may_not_lack(folder: Path) -> None:
    rules = RulesFolder(folder)
    forms = folder / "forms.yaml"
    forms.write_text(forms.read_text().replace("  time_word:", "  time_words:"))
    with capture_logs() as logs:
        assert not rules.refresh()
    assert "fallback lacks time_word" in logs[0]["error"]


def test_a_flag_is_true_or_false(folder: Path, tmp_path: Path) -> None:
    extra = tmp_path / "extra.yaml"
    row = "{name: shipping, keywords: [ferry], priority: 1.0, real_time: no}"
    extra.write_text(f"categories: [{row}]")
    with pytest.raises(RulesError, match="real_time"):
        RulesFolder(folder, extra)
