"""Forms of one English verb have one key."""

import pytest

from pellucid_language.english_words import word_class
from pellucid_language.verbs import is_bare_verb, is_known_verb, is_past, verb_key


@pytest.mark.parametrize(
    "forms",
    [
        ("sell", "sells", "sold", "selling"),
        ("plan", "plans", "planned", "planning"),
        ("close", "closes", "closed", "closing"),
        ("apply", "applies", "applied", "applying"),
        ("withdraw", "withdrew", "withdrawn"),
        ("rebuild", "rebuilt", "rebuilding"),
    ],
)
def test_forms_share_a_key(forms: tuple[str, ...]) -> None:
    assert len({verb_key(form) for form in forms}) == 1


def test_forms_are_told_apart() -> None:
    assert is_past("sold")
    assert is_past("closed")
    assert not is_past("sells")
    assert is_known_verb("sells")
    assert not is_known_verb("mill")
    assert is_bare_verb("sell")
    assert not is_bare_verb("sold")


def test_unknown_classes_are_refused() -> None:
    with pytest.raises(KeyError, match="adverbs"):
        word_class("adverbs")
