"""Whether the numbers, dates and names of a claim stand in a text: checks without a model.

They hold whatever the scorer says, and are all there is while it is down. Paraphrase and meaning
are the scorer's part.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from pellucid_gateway.notices import month_numbers
from pellucid_gateway.spelled_numbers import spelled_numbers
from pellucid_gateway.terms import fold, has_unspaced_script, rarity, terms
from pellucid_gateway.unspaced_checks import absent_name

_NUMBER = re.compile(
    r"(?<![\d.,])[-−]?\d+(?:[.,’' \u00a0\u202f]\d{3}(?!\d))*(?:[.,]\d+)?|(?<=\.)\d+"
)
_GROUPED = re.compile(r"^\d{1,3}(?:[.,’' \u00a0\u202f]\d{3})+$")
_SCALES = {
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "millions": 1e6,
    "billions": 1e9, "mio": 1e6, "mrd": 1e9, "millionen": 1e6, "milliarden": 1e9,
    "millones": 1e6, "millón": 1e6, "milliards": 1e9, "milliard": 1e9, "bn": 1e9, "m": 1e6,
    "k": 1e3, "천": 1e3, "만": 1e4, "억": 1e8, "조": 1e12, "万": 1e4, "萬": 1e4, "亿": 1e8,
    "億": 1e8, "兆": 1e12,
}  # fmt: skip
_SCALE_WORD = re.compile(rf"\s?({'|'.join(sorted(_SCALES, key=len, reverse=True))})(?![^\W\d_])")
_CJK_SCALE = re.compile(r"\s?([천만억조万萬亿億兆])")
_MYRIADS = re.compile(
    r"(\d[\d,]*(?:\.\d+)?)([천만억조万萬亿億兆])(\d{1,3}(?:,\d{3})+|\d+)(?![\d.])"
)
_DAY = re.compile(
    r"\b(?P<day_before>\d{1,2})(?:st|nd|rd|th|er|\.|º)?\s+(?:of\s+|de\s+)?(?P<month_after>[^\W\d_]{3,10})\b"
    r"|\b(?P<month_before>[^\W\d_]{3,10})\.?\s+(?P<day_after>\d{1,2})(?:st|nd|rd|th)?(?![\d.,]*\d)"
    r"|\b\d{4}-(?P<iso_month>\d{2})-(?P<iso_day>\d{2})"
    r"|(?P<cjk_month>\d{1,2})\s?[월月]\s?(?P<cjk_day>\d{1,2})\s?[일日号]"
)
# The numbers of a date are checked as a date.
_MONTHS = "|".join(map(re.escape, month_numbers()))
_DAY_NUMBERS = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th|er|\.|º)?(?=\s+(?:of\s+|de\s+)?(?:{_MONTHS})\b)"
    r"|(?<=\d)-\d{2}-\d{2}|\d{1,2}\s?[월月](?:\s?\d{1,2}\s?[일日号])?",
    re.IGNORECASE,
)
_AMBIGUOUS_MONTHS = frozenset({"may", "march", "mar", "mars", "mai"})
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_UNIT_AFTER = re.compile(
    r"\s?[%€$£¥₩°]|\s(?:million|billion|thousand|Millionen|Milliarden|millions|millones|milliards)?\s?[^\W\d_]+|[^\W\d_]{1,3}"
)
_CAPITALISED_RUN = re.compile(r"[A-ZÀ-Þ][\w’'-]+(?:[ ][A-ZÀ-Þ][\w’'-]+)+")
_YEARS = range(1000, 2200)
_NEIGHBOURS = 2
_MIN_NEIGHBOUR = 4
_UNITS = frozenset("%€$£¥₩°")
# Units of time by the first letters of their names in the spaced languages.
_TIMES = {
    "sec": "s", "sek": "s", "seg": "s", "min": "min", "hou": "h", "stu": "h", "hor": "h",
    "heu": "h", "day": "d", "tag": "d", "dia": "d", "jou": "d", "wee": "w", "woc": "w",
    "sem": "w", "mon": "mo", "mes": "mo", "moi": "mo", "yea": "y", "jah": "y", "ano": "y",
    "ann": "y",
}  # fmt: skip
_TITLE_WORDS = frozenset(
    {"i", "the", "a", "an", "mr", "mrs", "ms", "dr", "in", "on", "at", "for", "by", "but", "and"}
)
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class LexicalSupport:
    """What a text has of a claim."""

    numbers_found: bool
    names_found: bool
    dates_found: bool

    @property
    def all_found(self) -> bool:
        """Every number, date and name of the claim is there."""
        return self.numbers_found and self.names_found and self.dates_found


def lexical_support(
    claim: str,
    text: str,
    *,
    published: datetime | None = None,
    known: str = "",
    language: str = "",
) -> LexicalSupport:
    """Check a claim against a text.

    Args:
        claim: One sentence or clause.
        text: Title and facts of a source.
        published: Its date; a claim's date may be this one where the text itself dates nothing.
        known: Words that need no support, for example those of the question.
        language: Of the claim; German capitalises every noun, so only runs of capitalised words
            count as names there.
    """
    day = date_words(published) if published else ""
    undated = _DAY_NUMBERS.sub(" ", claim)
    return LexicalSupport(
        numbers_found=_numbers_found(undated, f"{text} {published.year if published else ''}"),
        names_found=_names_found(claim, f"{text} {known}", language),
        dates_found=_dates_found(claim, text) or (not _days(text) and _dates_found(claim, day)),
    )


def _dates_found(claim: str, text: str) -> bool:
    return _months(claim) <= _months(text) and _days(claim) <= _days(text)


def has_anchor(claim: str) -> bool:
    """Whether a claim has a figure or a name by which it can be checked in another script."""
    return next(figures(claim), None) is not None or next(_names(claim), None) is not None


def overlap(claim: str, text: str) -> float:
    """Share of the claim's comparable words that the text has, 0 to 1."""
    wanted, there = terms(claim), terms(text)
    return len(wanted & there) / len(wanted) if wanted else 0.0


def best_passage(claim: str, sentences: list[str]) -> str:
    """The sentence that has most of the claim; the first of equals, empty without sentences."""
    each = [terms(sentence) for sentence in sentences]
    weights = rarity(each)
    wanted = terms(claim)
    worth = [sum(weights[t] for t in wanted & own) for own in each]
    return sentences[worth.index(max(worth))] if sentences else ""


def date_words(instant: datetime) -> str:
    """A date in the forms in which claims may write it."""
    return f"{instant:%Y-%m-%d} {instant.day} {instant:%B} {instant.year}"


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a text.

    Attributes:
        values: What it may mean; notations differ by country.
        around: Words and units beside it.
        start: Offset of its first character.
    """

    values: frozenset[float]
    around: frozenset[str]
    start: int = 0

    @property
    def is_year(self) -> bool:
        """Whether it may be a year."""
        return any(value in _YEARS for value in self.values)


def _numbers_found(claim: str, text: str) -> bool:
    there = [*figures(text), *_spelled(text)]
    return all(_stands(figure, there) for figure in (*figures(claim), *_spelled(claim)))


def _spelled(text: str) -> Iterator[Figure]:
    """Numbers in words, with what stands around them in the folded text."""
    folded = fold(text)
    for found in spelled_numbers(folded):
        yield Figure(found.values, _around(folded, found.start, found.end), found.start)


def _stands(figure: Figure, there: list[Figure]) -> bool:
    """Whether the text has the figure, and not merely its digits at another quantity.

    Another quantity it is when the words around the figure stand around a different value only:
    "a toll of 5 crowns" is not in "a toll of 4 crowns on 5 lanes".
    """
    equal = [o for o in there if equal_figures(figure, o) and not _other_time(figure, o)]
    if not equal or figure.is_year:
        return bool(equal)
    fits = any(figure.around & other.around for other in equal)
    rivals = (other for other in there if not equal_figures(figure, other) and not other.is_year)
    return fits or not any(figure.around & rival.around for rival in rivals)


def _other_time(figure: Figure, other: Figure) -> bool:
    """Whether both are times in different units, as eleven weeks and eleven months are."""
    mine, theirs = _times(figure), _times(other)
    return bool(mine and theirs) and not mine & theirs


def _times(figure: Figure) -> frozenset[str]:
    starts = (word[1:4] for word in figure.around if word.startswith(">"))
    return frozenset(_TIMES[start] for start in starts if start in _TIMES)


def equal_figures(figure: Figure, other: Figure) -> bool:
    """Whether two figures have a value in common."""
    return any(abs(a - b) <= _TOLERANCE * max(1.0, a) for a in figure.values for b in other.values)


def figures(text: str) -> Iterator[Figure]:
    """Numbers of a text, in order; in Chinese, Japanese and Korean with units of myriads."""
    plain = _MYRIADS.sub(_summed, text) if has_unspaced_script(text) else text
    for match in _NUMBER.finditer(plain):
        around = _around(plain, match.start(), match.end())
        yield Figure(_values(match, plain), around, match.start())


def written_figure(text: str, figure: Figure) -> str:
    """A figure as a text has it, with the word or unit after it."""
    match = _NUMBER.match(text, figure.start) or _NUMBER.search(text, figure.start)
    if not match:
        return ""
    after = _UNIT_AFTER.match(text, match.end())
    return f"{match.group()}{after.group() if after else ''}".strip()


def _summed(match: re.Match[str]) -> str:
    """Digits for a number of several parts, as in 2万4000."""
    large, unit, small = match.groups()
    return f"{round(float(large.replace(',', '')) * _SCALES[unit]) + int(small.replace(',', ''))}"


def _values(match: re.Match[str], text: str) -> frozenset[float]:
    raw = match.group().replace("−", "-").lstrip("-")
    bare = re.sub(r"[’' \u00a0\u202f]", "", raw)
    readings = {bare.replace(",", "."), bare.replace(",", "")}
    if _GROUPED.match(raw):
        readings.add(re.sub(r"[.,]", "", bare))
    values = {float(reading) for reading in readings if reading.count(".") <= 1}
    tail = fold(text[match.end() : match.end() + 14])
    scale = _SCALE_WORD.match(tail) or _CJK_SCALE.match(tail)
    if scale:
        values = {value * _SCALES[scale.group(1)] for value in values}
    return frozenset(values)


def _around(text: str, start: int, end: int) -> frozenset[str]:
    """Words and units near a number; none where a script has no spaces between words."""
    unit = text[end : end + 2].strip()[:1]
    if unit and has_unspaced_script(unit):
        return frozenset({f">{unit}"})
    if has_unspaced_script(text[max(0, start - 8) : end + 8]):
        return frozenset()
    before = text[:start].split()[-_NEIGHBOURS:]
    after = text[end:].split()[:_NEIGHBOURS]
    units = frozenset(c for c in text[max(0, start - 2) : end + 2] if c in _UNITS)
    return units | _marked("<", before) | _marked(">", after)


def _marked(side: str, words: list[str]) -> frozenset[str]:
    """Telling words with their side: after a figure stands its unit, before it its name."""
    telling = (w for w in terms(" ".join(words)) if len(w) >= _MIN_NEIGHBOUR and not w.isdigit())
    return frozenset(f"{side}{word}" for word in telling)


def days_of(text: str) -> dict[tuple[int, int], str]:
    """Month and day of each whole date in a text, with the date as written, first come first."""
    names = month_numbers()
    found: dict[tuple[int, int], str] = {}
    for match in _DAY.finditer(text):
        word = (match["month_after"] or match["month_before"] or "").lower()
        day = match["day_before"] or match["day_after"] or match["iso_day"] or match["cjk_day"]
        month = names.get(word) or match["iso_month"] or match["cjk_month"]
        if month and day:
            found.setdefault((int(month), int(day)), match.group())
    return found


def _days(text: str) -> frozenset[tuple[int, int]]:
    """Month and day of each date that has both."""
    return frozenset(days_of(text))


def _months(text: str) -> frozenset[int]:
    """Months that are named or stand in an ISO date."""
    names = month_numbers()
    named = {
        names[word.lower()]
        for word in _WORD.findall(text)
        if word.lower() in names and (word.lower() not in _AMBIGUOUS_MONTHS or word[0].isupper())
    }
    iso = {int(month) for month in re.findall(r"\b\d{4}-(\d{2})(?:-\d{2})?\b", text)}
    cjk = {int(month) for month in re.findall(r"(\d{1,2})\s?[월月]", text)}
    return frozenset(named | iso | cjk)


def _names_found(claim: str, text: str, language: str) -> bool:
    there = set(re.findall(r"\w+", fold(text)))
    names = _german_names(claim) if language == "de" else _names(claim)
    return all(_has_name(name, there) for name in names) and not absent_name(claim, text)


def _german_names(claim: str) -> Iterator[str]:
    """The last word of each run of capitalised words: nouns seldom stand in runs, names do."""
    for match in _CAPITALISED_RUN.finditer(claim):
        last = match.group().split()[-1]
        if _may_be_name(last):
            yield last


def _has_name(name: str, there: set[str]) -> bool:
    bare = re.sub(r"['’]s?$", "", fold(name))
    return any(part in there or f"{part}s" in there for part in {bare, bare.rstrip("s")})


def _names(claim: str) -> Iterator[str]:
    """Capitalised words; the first word only when a capitalised one follows or it is all caps."""
    words = [match.group() for match in _WORD.finditer(claim)]
    for i, word in enumerate(words):
        if not _may_be_name(word):
            continue
        follows = words[i + 1] if i + 1 < len(words) else ""
        is_run = follows[:1].isupper() and _may_be_name(follows)
        if i > 0 or is_run or (len(word) > 1 and word.isupper()):
            yield word


def _may_be_name(word: str) -> bool:
    low = word.lower()
    plain = low in _TITLE_WORDS or low in month_numbers()
    return word[0].isupper() and not plain and not has_unspaced_script(word)
