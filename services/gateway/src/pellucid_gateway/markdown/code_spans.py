"""Code spans of Markdown, found in one pass over the runs of backticks."""

import re
from collections.abc import Iterator, Sequence

from markdown_it.token import Token

_RUN = re.compile(r"`+")
# Spans that are looked for once more among runs of backticks; what is beyond stays in the text.
_MOST_STEPS = 20_000


def code_spans(text: str) -> Iterator[tuple[int, int]]:
    r"""Where a run of backticks is closed by one of the same length; an escaped one opens nothing.

    >>> list(code_spans(r"a `b` \`c` ``d ` e``"))
    [(2, 5), (11, 20)]
    """
    runs = [match.span() for match in _RUN.finditer(text)]
    closing: dict[int, list[int]] = {}
    for place in range(len(runs) - 1, -1, -1):
        closing.setdefault(runs[place][1] - runs[place][0], []).append(place)
    place = 0
    while place < len(runs):
        start, end = runs[place]
        later = closing[end - start]
        while later and later[-1] <= place:
            later.pop()
        place += 1
        if later and text[start - 1 : start] != "\\":
            place = later.pop()
            yield start, runs[place][1]
            place += 1


def without_spans(text: str, spans: Sequence[Token]) -> str:
    """The text without the code spans that a parser found in it, in their order."""
    runs = [match.span() for match in _RUN.finditer(text)]
    parts: list[str] = []
    last = place = steps = 0
    for span in spans:
        content = span.content.split()
        for first in range(place, len(runs)):
            steps += 1
            if steps > _MOST_STEPS:
                return "".join((*parts, text[last:]))
            ends = _end(text, runs, first, len(span.markup), content)
            if ends:
                parts += [text[last : runs[first][0]], " "]
                last = runs[ends][1]
                place = ends + 1
                break
    return "".join((*parts, text[last:]))


def _end(
    text: str, runs: Sequence[tuple[int, int]], first: int, length: int, content: Sequence[str]
) -> int:
    """The run that closes the one given around this content; 0 where there is none."""
    start, end = runs[first]
    if end - start != length:
        return 0
    wanted = sum(map(len, content))
    for after in range(first + 1, len(runs)):
        if runs[after][1] - runs[after][0] == length:
            return after if text[end : runs[after][0]].split() == content else 0
        if runs[after][0] - end > 2 * wanted + len(content) * 80:
            break
    return 0
