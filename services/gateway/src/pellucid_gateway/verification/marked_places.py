"""Whether what looks like a mark stands where a citation does.

A citation ends a clause, with a space before it or right behind its last word, and no operator or
index is near. Where form leaves it open ("(1)", "[1, 2, 3]", a mark in the middle of a clause), the
sources decide: a mark after words on something else stays in the text.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from enum import Enum

from pellucid_language.citation_marks import numbers_of, shape_of
from pellucid_language.folding import fold
from pellucid_language.quantities import spelled_figures
from pellucid_language.terms import has_unspaced_script

# Shapes that nothing else is written in.
_CITING = frozenset({"dagger", "corner", "cite", "private", "named"})
_OPEN = frozenset({"round", "raised", "sup", "dotted"})
_RAISED = frozenset({"raised", "sup"})
_OPERATOR = re.compile(r"[=\[{<]$|(?:^|\s)[+*/&|^~>-]$")
_AFTER_OPERATOR = re.compile(r"\s*(?:[=+*/<>\[({]|-\s?\w|\.\w|[-+]=)")
_QUOTES = "\"'“”‘’`"
_CLOSERS = "*_\"'”’»"
_CLAUSE_END = re.compile(r"\s*(?:$|[\n.,;:!?…。，、；：！？|)）\]]|[—–])")
_ENUMERATES = re.compile(r"\d\s*(?:[^\W\d_]+|[,;、，&])\s*\d")
_LEAD = re.compile(r"^\s*(?:[-*+•>]\s+|\d{1,3}[.)]\s+|#+\s+|\|\s*)*$")
_LAST_WORD = re.compile(r"[^\W_]+$")
# Articles, prepositions, conjunctions and forms of "to be", folded: no clause ends with one.
_LEADING_WORDS = """
    a an the of in at to for with by from as than and or is are was were be equals like into
    der die das den dem ein eine einen von im am zu mit aus als und oder ist sind war waren wie
    le la les un une des du de en dans par pour avec et ou est sont etait comme que
    el los las una del con por para y o es son era fue como
"""
_LEADING = frozenset(_LEADING_WORDS.split())
# "m²" and "cm³": a unit rather than a word with a mark.
_LONGEST_UNIT = 3
_NEAR_CHARS = 24


class Standing(Enum):
    """What a mark is by its place."""

    CITATION = "citation"
    OPEN = "open"
    TEXT = "text"


def standing(
    run: Sequence[re.Match[str]], sentence: str, usual: AbstractSet[str] = frozenset()
) -> Standing:
    """Tell what marks in a row are.

    Args:
        run: Marks with nothing between them.
        sentence: Where they stand.
        usual: Shapes of other marks of the sentence that are citations: one in the middle of a
            clause ("one says 140 [1], another 141 [2] and a third 142 [3]") is one as well.
    """
    shapes = {shape_of(mark) for mark in run}
    if shapes <= _CITING:
        return Standing.CITATION
    before, after = sentence[: run[0].start()], sentence[run[-1].end() :]
    ends = bool(_CLAUSE_END.match(after.lstrip(_CLOSERS)))
    is_list = any(_ENUMERATES.search(mark.group()) for mark in run)
    is_index = _is_attached(before) and any(0 in numbers_of(mark) for mark in run)
    if is_index or _is_text(shapes, before, after, ends=ends, is_list=is_list):
        return Standing.TEXT
    is_alone = bool(_LEAD.match(before))
    if is_alone and not after.strip() and not is_list:
        return Standing.CITATION
    is_open = shapes & _OPEN or is_list or is_alone or not (ends or shapes <= usual)
    return (
        Standing.OPEN
        if is_open or _is_attached(before) or _leads_on(before)
        else (Standing.CITATION)
    )


def _is_text(shapes: set[str], before: str, after: str, *, ends: bool, is_list: bool) -> bool:
    """Whether form alone shows that it is no citation."""
    bare = before.rstrip()
    last = bare[-1:]
    if (_OPERATOR.search(bare) and not _LEAD.match(before)) or (
        last == "(" and (is_list or after[:1] != ")")
    ):
        return True
    if last and last in _QUOTES and after[:1] in _QUOTES and after[:1]:
        return True
    if before[-1:] == "]" or _AFTER_OPERATOR.match(after):
        return True
    if shapes & _RAISED and _is_power(before):
        return True
    if "round" in shapes and (not ends or _repeats_number(before)):
        return True
    return is_list and (last == ":" or _leads_on(before))


def _is_attached(before: str) -> bool:
    """Whether a word stands right before it, in a script that has spaces."""
    last = before[-1:]
    return (last.isalnum() or last == "_") and not has_unspaced_script(last)


def _is_power(before: str) -> bool:
    word = _LAST_WORD.search(before)
    return (
        word is not None
        and (len(word.group()) <= _LONGEST_UNIT or word.group()[-1].isdigit())
        and not has_unspaced_script(word.group())
    )


def _repeats_number(before: str) -> bool:
    """Whether a number in words stands right before it, as in "three (3)"."""
    near = before.rstrip()[-_NEAR_CHARS:]
    return any(figure.end == len(near) for figure in spelled_figures(near))


def _leads_on(before: str) -> bool:
    """Whether no clause can end there: the last word only leads to the next ("the result is")."""
    word = _LAST_WORD.search(before.rstrip())
    return word is not None and fold(word.group()) in _LEADING
