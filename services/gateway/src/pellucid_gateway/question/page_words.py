"""What the words of a message tell of a page that was named before, in seven languages."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

import yaml

from pellucid_language.folding import fold, fold_expression


class Standing(StrEnum):
    """How a message stands to the page."""

    ON_IT = "on_it"
    LEFT = "left"
    UNSURE = "unsure"


def standing(message: str) -> Standing:
    """What the words of a message tell.

    >>> standing("What does it say about the ferry?").value, standing("How tall is it?").value
    ('on_it', 'unsure')
    """
    folded = fold(message)
    if ways().back.search(folded):
        return Standing.ON_IT
    if ways().left.search(folded):
        return Standing.LEFT
    return Standing.ON_IT if ways().page.search(folded) else Standing.UNSURE


@dataclass(frozen=True, slots=True)
class Ways:
    """Expressions of folded messages.

    Attributes:
        page: Goes on about a page.
        left: Leaves it.
        back: Comes back to it.
        pronoun: Points back, by language.
        front: Begins with a thing of its own, `topic`: "and the Halo 2, how …".
        asking: Words with which a question begins.
    """

    page: re.Pattern[str]
    left: re.Pattern[str]
    back: re.Pattern[str]
    pronoun: Mapping[str, re.Pattern[str]]
    front: re.Pattern[str]
    asking: frozenset[str]


@cache
def ways() -> Ways:
    """How people go on about a page and leave it, read once."""
    source = resources.files("pellucid_gateway.question").joinpath("page_topic.yaml")
    lists: Mapping[str, Any] = yaml.safe_load(source.read_text("utf-8"))
    joined = {name: re.compile(fold_expression("|".join(lists[name]))) for name in ("page", "left")}
    pronoun = {code: re.compile(fold_expression(one)) for code, one in lists["pronoun"].items()}
    return Ways(
        **joined,
        back=re.compile(fold_expression(lists["back"])),
        pronoun=pronoun,
        front=re.compile(lists["front"]),
        asking=frozenset(lists["asking"].split()),
    )
