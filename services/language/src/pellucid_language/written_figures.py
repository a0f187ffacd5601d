"""Figures as people read them: the number with what belongs to it, cut out of its text."""

import re

from pellucid_language.quantities import NUMBER, Figure
from pellucid_language.scripts import HANGUL

# Words after a figure that are no unit of it.
_NO_UNIT = (
    r"(?!\s?(?:per(?! cent)|a|an|and|are|at|by|for|in|is|of|on|or|the|to|was|je|pro|und|im|am|par"
    r"|et|en|de|des|y|por(?! ciento)|del)\b)"
)
_UNIT_AFTER = re.compile(
    _NO_UNIT + r"(?:\s?[%€$£¥₩°]|\s(?:per cent|pour cent|por ciento)\b"
    r"|\s(?:million|billion|thousand|Millionen|Milliarden|millions|millones|milliards)"
    r"?\s?[^\W\d_]+|[^\W\d_]{1,3})"
)
_SIGNS_BEFORE = "€$£¥₩"
_SCALE_AFTER = re.compile(
    r"\s?(?:million|billion|thousand|Millionen|Milliarden|millions|millones|milliards|bn|k|m)\b"
)
# What Korean puts behind a counter: 19명이라고.
_PARTICLES = re.compile(
    f"(?<=[{HANGUL}])(?:이라고|이라|이고|이다|으로|[이가은는을를의에로과와도])$"
)


def written_figure(text: str, figure: Figure) -> str:
    """A figure as a text has it, with the sign of a currency or the word or unit after it.

    >>> from pellucid_language.quantities import amounts
    >>> text = "It costs $9 per month; 12 cats fit in."
    >>> [written_figure(text, figure) for figure in amounts(text)]
    ['$9', '12 cats']
    """
    is_digit = text[figure.start : figure.start + 1].isdigit()
    match = NUMBER.match(text, figure.start) if is_digit else None
    end = match.end() if match else figure.end
    start = figure.start
    if text[start - 1 : start] in _SIGNS_BEFORE and start > 0:
        after, start = _SCALE_AFTER.match(text, end), start - 1
    else:
        after = _UNIT_AFTER.match(text, end)
    written = f"{text[start:end]}{after.group() if after else ''}".strip()
    return _PARTICLES.sub("", written)
