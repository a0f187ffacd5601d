"""Pages that are not what was asked for: bot walls, paywalls, logins, consent, soft 404s.

Decides by phrases and marks of ``walls.yaml`` together with how little text there is; a long
article that mentions a captcha is not a wall.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

import yaml

# Times the words of main text that a wall may have, for all that its page shows.
_AROUND: Final = 6
_COVERED_WORDS: Final = 40  # with as much main text an overlay in front of it is no wall


@dataclass(frozen=True, slots=True)
class Wall:
    """One kind of wall.

    Attributes:
        name: Warning word, or "bot_wall".
        max_words: A page with more main text than this is not this wall.
        phrases: In title or text.
        marks: In the raw mark-up, letter by letter.
        covers: It may also lie in front of a page that is there; then only the main text tells.
    """

    name: str
    max_words: int
    titles: re.Pattern[str] | None
    phrases: re.Pattern[str] | None
    marks: tuple[str, ...]
    covers: bool


def load_walls() -> tuple[Wall, ...]:
    """Read the shipped table."""
    table = yaml.safe_load(files(__package__).joinpath("walls.yaml").read_text("utf-8"))
    return tuple(_wall(name, entry) for name, entry in table.items())


def _wall(name: str, entry: Mapping[str, Any]) -> Wall:
    return Wall(
        name,
        entry["max_words"],
        _pattern(entry.get("titles", ())),
        _pattern(entry.get("phrases", ())),
        tuple(entry.get("marks", ())),
        entry.get("covers", False),
    )


def _pattern(phrases: Sequence[str]) -> re.Pattern[str] | None:
    joined = "|".join(phrases)
    return re.compile(joined) if joined else None


def recognise(
    walls: Sequence[Wall],
    *,
    title: str,
    text: str,
    main: str,
    shown: int,
    words: int,
    markup: str,
) -> tuple[str, ...]:
    """Return the names of the walls that a page is.

    A page that shows much besides, a shop with its menus for instance, is none.

    Args:
        walls: From ``load_walls``.
        title: Title of the page.
        text: Everything visible, not only the main text.
        main: The main text.
        shown: Number of words of that.
        words: Words of the main text.
        markup: The raw page.
    """
    likely = [
        wall for wall in walls if words <= wall.max_words and shown <= _AROUND * wall.max_words
    ]
    if not likely:
        return ()
    heading, beginning = title.lower(), text[:20_000].lower()
    told = main.lower() if words >= _COVERED_WORDS else beginning
    return tuple(
        wall.name
        for wall in likely
        if _is_wall(wall, heading, told if wall.covers else beginning, markup)
    )


def _is_wall(wall: Wall, title: str, text: str, markup: str) -> bool:
    return bool(
        (wall.titles and wall.titles.search(title))
        or (wall.phrases and wall.phrases.search(text))
        or any(mark in markup for mark in wall.marks)
    )
