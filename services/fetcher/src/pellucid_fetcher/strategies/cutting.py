"""Shortening a text: from the middle, on paragraph borders, or to a part that runs on.

The beginning says what a page is about and the end how it came out; what is lost is named. Parts
put together are the whole text.
"""

from typing import Final

MARK: Final = "[…]"
_BREAK: Final = "\n\n"
_HEAD_SHARE: Final = 0.7


def cut_middle(text: str, max_chars: int) -> tuple[str, bool]:
    r"""Shorten a text to a number of characters.

    Args:
        text: Paragraphs apart by empty lines.
        max_chars: Most characters to return; at least 1.

    Returns:
        The text and whether it was cut.

    >>> cut_middle("one\\n\\ntwo\\n\\nthree", 100)
    ('one\\n\\ntwo\\n\\nthree', False)
    """
    if len(text) <= max_chars:
        return text, False
    room = max_chars - len(MARK) - 2 * len(_BREAK)
    if room < 2:  # noqa: PLR2004 - nothing sensible fits beside the mark
        return text[:max_chars], True
    head = _head(text, int(room * _HEAD_SHARE))
    tail = _tail(text[len(head) :], room - len(head))
    return _BREAK.join(part for part in (head.rstrip(), MARK, tail.lstrip()) if part), True


def part_from(text: str, offset: int, max_chars: int) -> tuple[str, int]:
    r"""Return a part of a text and where the next one begins, 0 after the last.

    A part ends with a paragraph, or else with a word, where one ends in its second half.

    Args:
        text: The whole.
        offset: Where the part begins, in characters.
        max_chars: Most characters of it; at least 1.

    >>> part_from("one two\n\nthree four", 0, 12), part_from("one two\n\nthree four", 9, 12)
    (('one two\n\n', 9), ('three four', 0))
    """
    end = offset + max_chars
    if end >= len(text):
        return text[offset:], 0
    half = offset + max_chars // 2
    for border in (_BREAK, "\n", " "):
        found = text.rfind(border, half, end)
        if 0 <= found <= end - len(border):
            end = found + len(border)
            break
    return text[offset:end], end


def _head(text: str, room: int) -> str:
    end = text.rfind(_BREAK, 0, room + 1)
    if end > room // 2:
        return text[:end]
    return _at_space(text, room)


def _at_space(text: str, room: int) -> str:
    end = max(text.rfind(" ", 0, room + 1), text.rfind("\n", 0, room + 1))
    return text[: end if end > room // 2 else room]


def _tail(text: str, room: int) -> str:
    if room <= 0:
        return ""
    last = text[-room:]
    start = last.find(_BREAK)
    if 0 <= start < room // 2:
        return last[start:]
    space = last.find(" ")
    return last[space + 1 :] if 0 <= space < room // 2 else last
