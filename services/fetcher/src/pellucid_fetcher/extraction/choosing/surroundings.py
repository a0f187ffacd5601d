"""The table of words that say what a part of a page is for (``surroundings.yaml``)."""

import re
from dataclasses import dataclass
from importlib.resources import files

import yaml


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Table of words that say what a part of a page is for.

    Attributes:
        names: By kind of part, in the order of the model's columns.
        tags: Elements with a column of their own, after the kinds.
        frame_text: A whole text that is frame; for text in lower case.
        frame_phrase: Found in texts that are frame; for text in lower case.
        frame_heading: Found in headings of frame.
        telling_heading: A heading of other pages or of remarks, from its beginning.
        telling_line: Found in what asks about cookies or for an address; both for text in lower
            case.
        order: Names of kinds and tags; tags stand as "<nav>".
        never_inside: Of these, what is never content at any distance.
        never_near: What is never content when it is near.
        seldom_near: What seldom is, when near, on a small page.
        outside_near: What is frame even between two sentences of the content.
    """

    names: tuple[re.Pattern[str], ...]
    tags: tuple[str, ...]
    frame_text: re.Pattern[str]
    frame_phrase: re.Pattern[str]
    frame_heading: re.Pattern[str]
    telling_heading: re.Pattern[str]
    telling_line: re.Pattern[str]
    order: tuple[str, ...]
    never_inside: tuple[str, ...]
    never_near: tuple[str, ...]
    seldom_near: tuple[str, ...]
    outside_near: tuple[str, ...]


def load_surroundings() -> Surroundings:
    """Read the shipped table."""
    table = yaml.safe_load(files(__package__).joinpath("surroundings.yaml").read_text("utf-8"))
    return Surroundings(
        names=tuple(re.compile(pattern) for pattern in table["names"].values()),
        tags=tuple(table["tags"]),
        frame_text=re.compile(table["frame_text"]),
        frame_phrase=re.compile(table["frame_phrase"]),
        frame_heading=re.compile(table["frame_heading"], re.IGNORECASE),
        telling_heading=re.compile(table["telling_heading"]),
        telling_line=re.compile(table["telling_line"]),
        order=(*table["names"], *(f"<{tag}>" for tag in table["tags"])),
        never_inside=tuple(table["never_inside"]),
        never_near=tuple(table["never_near"]),
        seldom_near=tuple(table["seldom_near"]),
        outside_near=tuple(table["outside_near"]),
    )
