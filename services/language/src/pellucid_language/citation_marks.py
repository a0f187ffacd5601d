"""The marks by which models cite, in every shape in which they write them.

Shape only: whether a mark is a citation in its place is for whoever reads its sentence, since
"[1]" also stands in code, in lists and in names.
"""

import re
from collections.abc import Iterator

_PRIVATE = "\ue000-\uf8ff"
_RAISED = "¹²³⁰⁴-⁹"
STARTS = re.compile(rf"[\[【［〔(（<*{_RAISED}{_PRIVATE}]")
"""First characters of marks."""

_WORD = (
    r"(?:sources?|cit(?:e|ation)s?|docs?|documents?|refs?|references?|results?|quellen?|fuentes?"
    r"|출처|来源|來源|出典)"
)
_LABEL = rf"(?:{_WORD}\s?[.:_#]?|#|\^)\s*"
_NUMBER = r"\d{1,3}(?!\d)"
_DOTTED = rf"{_NUMBER}(?:\.\d{{1,2}}){{1,2}}"
_AND = r"\s*(?:[,;、，]|–|—|-|&|and\b|und\b|y\b|et\b)\s*"
_NUMBERS = rf"{_NUMBER}(?:{_AND}{_NUMBER})*"
_LABELLED = rf"{_LABEL}(?:{_DOTTED}|{_NUMBER})(?:{_AND}(?:{_LABEL})?(?:{_DOTTED}|{_NUMBER}))*"
_DAGGER = r"\s*†[^\]】］〕\n]{0,40}"

MARK = re.compile(
    r"(?P<bold>\*\*)?(?:"
    rf"\\?\[\s*(?P<plain>{_NUMBERS})\s*\\?\](?:\s?[–—-]\s?\[(?P<until>\d{{1,3}})\])?"
    rf"|[\[［]{{1,2}}\s*(?P<labelled>{_LABELLED})(?:{_DAGGER})?\s*[\]］]{{1,2}}"
    rf"|\[(?P<dagger>{_NUMBERS}){_DAGGER}\]"
    rf"|\[\[\s*(?P<double>{_NUMBERS})\s*\]\]"
    rf"|[【〔［]\s*(?P<corner>\^?{_NUMBERS}(?::\d{{1,3}})?)(?:{_DAGGER})?\s*[】〕］]"
    rf"|\[(?P<dotted>{_DOTTED})\]"
    rf"|[(（]\s*(?P<named>{_WORD}\s?[.:#]?\s*{_NUMBERS})\s*[)）]"
    rf"|[(（]\s*(?P<round>{_NUMBERS})\s*[)）]"
    rf"|<cite>\s*\[?(?P<cite>{_NUMBERS})\]?\s*</cite>"
    rf"|<sup>\s*\[?(?P<sup>{_NUMBERS})\]?\s*</sup>"
    rf"|(?P<raised>[{_RAISED}]+(?:[,⁻ ][{_RAISED}]+)*)"
    rf"|(?P<private>[{_PRIVATE}]+\w{{0,16}}(?:[{_PRIVATE}]+\w*\d)+[{_PRIVATE}]*"
    r"|\bcite(?:turn\d+[a-z]+\d+)+)"
    r")(?(bold)\*\*)",
    re.IGNORECASE,
)
"""One mark; the group that matched tells its shape."""

BEGINNING = re.compile(
    rf"(?:\*\*)?\\?[\[【［〔]|\*{{1,2}}$|[(（]\s*(?:{_WORD}\b|\d{{1,3}}\s*(?:[^\d\s\w.]|$)|$)"
    rf"|<(?:/?(?:s(?:up?)?|c(?:ite?)?)?$|sup>|cite>)|[{_RAISED}{_PRIVATE}]|\bcite(?=turn|$)",
    re.IGNORECASE,
)
"""Where a text that is still being written may begin a mark."""

_SHAPES = frozenset(MARK.groupindex) - {"bold", "until"}
_MOST_NUMBERS = 20
_RANGE = re.compile(r"(\d+)\s*[–—-]\s*(\d+)")
_PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
# What more text may still make a mark of.
_UNFINISHED = re.compile(
    r"(?:\*\*)?\\?[\[【［〔]{1,2}[^\[\]】］〕\n]{0,63}$|\[\[[^\[\]\n]{0,60}\]$|\*{1,2}$|\*\*\[[^\]\n]{0,40}\]\*?$"
    r"|[(（]\s*[^\W\d_]{0,12}\s?[.:#]?\s*[\d\s,;&–-]{0,24}$"
    r"|</?[a-z]{0,4}(?:>[^<>\n]{0,24}(?:</?[a-z]{0,4})?)?$"
    rf"|[{_PRIVATE}][\w{_PRIVATE}]{{0,64}}$",
    re.IGNORECASE,
)
# What follows "[1]" where a range is being written: "[1]–[3]".
_RANGE_BEGUN = re.compile(r"\s?[–—-]?\s?(?:\[\d{0,3})?")
_TARGET = re.compile(r"\([^()\s]{0,2000}\)")
_LONGEST_TARGET = 128


def shape_of(mark: re.Match[str]) -> str:
    """Name of the shape of a mark.

    >>> shape_of(MARK.match("【1†harbour】"))
    'corner'
    """
    return next(shape for shape in _SHAPES if mark[shape] is not None)


def numbers_of(mark: re.Match[str]) -> tuple[int, ...]:
    """The numbers that a mark names, ranges spread, each once, at most twenty.

    >>> numbers_of(MARK.match("[2, 4-6]")), numbers_of(MARK.match("²⁻³"))
    ((2, 4, 5, 6), (2, 3))
    """
    shape = shape_of(mark)
    written = mark[shape].translate(_PLAIN_DIGITS)
    if shape == "private":
        found: Iterator[str] = iter(re.findall(r"turn\d+[a-z]+(\d+)", written))
    else:
        if mark["until"]:
            written = f"{written}-{mark['until']}"
        plain = re.sub(
            r"(\d)\.[\d.]+", r"\1", written.partition(":")[0] if shape == "corner" else written
        )
        found = iter(re.findall(r"\d+", _RANGE.sub(_spread, plain.replace("⁻", "-"))))
    return tuple(dict.fromkeys(map(int, found)))[:_MOST_NUMBERS]


def _spread(match: re.Match[str]) -> str:
    first, last = int(match.group(1)), int(match.group(2))
    if first > last or last - first >= _MOST_NUMBERS:
        return f"{first},{last}"
    return ",".join(str(n) for n in range(first, last + 1))


def trailing_end(text: str, start: int, *, final: bool) -> int | None:
    """Offset after the marks that follow the end of a sentence.

    Args:
        text: Whatever there is.
        start: One past the sentence and what closes it.
        final: Nothing will follow this text.

    Returns:
        `start` where none follows, None where text to come decides.
    """
    end = k = start
    while True:
        while k < len(text) and text[k] in " \t":
            k += 1
        if k == len(text):
            return end if final else None
        if not STARTS.match(text, k):
            return end
        mark = MARK.match(text, k)
        if not final and _may_grow(text, k, mark):
            return None
        if mark is None or not _may_trail(text, mark, is_attached=k == start):
            return end
        target = _TARGET.match(text, mark.end()) if text[k] == "[" else None
        end = k = target.end() if target else mark.end()


def _may_trail(text: str, mark: re.Match[str], *, is_attached: bool) -> bool:
    """Round and raised numbers with a space before them mostly begin what follows: "(1) First"."""
    if is_attached or shape_of(mark) not in {"round", "raised"}:
        return True
    return not text[mark.end() :].partition("\n")[0].strip()


def _may_grow(text: str, k: int, mark: re.Match[str] | None) -> bool:
    """Whether text to come may still make a mark at `k`, or a longer one."""
    if mark is None or shape_of(mark) == "private":
        return bool(_UNFINISHED.match(text, k))
    if text[mark.end() :] in {"", "*"}:
        return True
    is_plain = shape_of(mark) == "plain" and not mark["until"]
    if is_plain and _RANGE_BEGUN.fullmatch(text, mark.end()):
        return True
    is_link = text[mark.end()] == "(" and ")" not in text[mark.end() :]
    return is_link and len(text) - mark.end() < _LONGEST_TARGET
