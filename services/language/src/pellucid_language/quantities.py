"""The amounts of a text in a form in which they can be compared, whatever language they are in.

"1,320 metres", "1.32 km" and 1.32公里 are one amount, so are "eleven weeks" and "11 weeks"; euros
are no dollars, and weeks no months. An amount that is said to be rounded is one with what it was
rounded from. Dates are not read here.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pellucid_language import digits, quantity_words
from pellucid_language.folding import fold
from pellucid_language.quantity_words import TEN, Table
from pellucid_language.terms import has_unspaced_script, terms
from pellucid_language.text_memory import remembered

_PER_CENT = 100
_YEARS = range(1000, 2200)
_NEIGHBOURS = 2
_MIN_NEIGHBOUR = 4
_SMALL = 100
# Numbers in words are rounded to tens, as those in digits are, but ten itself seldom is.
_TEN = 10
ORDINAL = "ordinal"
MOST_ROUNDED = 0.1
"""What somebody rounds stays within this of what it was."""
# Freezing point and degree, to be compared in degrees Celsius.
_FAHRENHEIT = (32.0, 5 / 9)
_UNIT_SIGNS = frozenset("%€$£¥₩°")
# What begins a name such as K2; scripts without spaces put their words there.
_LETTER = re.compile(r"[A-Za-zÀ-ÿ]")
# "Fast die Hälfte": what is between hedge and part.
_ARTICLE = re.compile(r"\b(?:the|a|die|der|das|la|le|el|una?|une)\s$")
_LONGEST_ARTICLE = 5
_BEFORE_UNIT = re.compile(r"\s(?:an?|une?)(?=\s)")
# Half a kilogram, a quarter hour; "a third day" is none.
_UNIT_PARTS = frozenset({25, 50, 75})
_END = re.compile(r"[.;:!?]\s")
_LONGEST_HEDGE = 18
NUMBER = re.compile(
    r"(?<![\d.,])[-−]?\d+(?:[.,’' \u00a0\u202f]\d{3}(?!\d))*(?:[.,]\d+)?|(?<=\.)\d+"
)
_SHORT_SCALE = re.compile(r"[mk](?![^\W_])")
_SHORT_SCALES = {"m": 1e6, "k": 1e3}
# "58.2 to 41.7 million", "14 to 18 months": what follows the second number belongs to both.
_RANGE_TAIL = re.compile(
    r"\s?(?:to|and|or|bis|auf|und|oder|a|y|et|ou|o|-|–|~|から|에서|到|至)\s?\d[\d.,]*"
)
# Half of a percentage point.
_OF_A_POINT = re.compile(
    r"\s(?:of a |de )?(?:percentage[ -]point|prozentpunkt|point de pourcentage|punto porcentual)"
)


@dataclass(frozen=True, slots=True)
class Figure:
    """An amount in a text.

    Attributes:
        values: What it may mean, in the first unit of its measure; notations differ by country.
        around: Words and units beside it.
        start: Offset of its first character.
        end: Offset one past its last digit or word, without its unit.
        measure: What kind of thing is counted; empty where the text does not tell.
        worth: How many of the first unit of its measure one of its own unit is.
        grain: One unit of its last digit, as far as rounding may go.
        hedge: "about", "above" or "below" where the text says so; "part" of a bare fraction.
    """

    values: frozenset[float]
    around: frozenset[str]
    start: int = 0
    end: int = 0
    measure: str = ""
    worth: float = 1.0
    grain: float = 0.0
    hedge: str = ""

    @property
    def counted(self) -> frozenset[str]:
        """Words behind it, of which the first is mostly what it counts."""
        return frozenset(word for word in self.around if word.startswith(">"))

    @property
    def is_small(self) -> bool:
        """Whether it is a count so low that another one may easily be the same."""
        return all(value / self.worth < _SMALL for value in self.values)

    @property
    def is_year(self) -> bool:
        """Whether it may be a year."""
        return self.measure in {"", "months"} and all(value in _YEARS for value in self.values)


def figures(text: str) -> Iterator[Figure]:
    """Amounts written in digits, in order.

    >>> [sorted(f.values) for f in figures("It is 1.32 km long")]
    [[1320.0]]
    """
    return iter(_figures(text))


@remembered
def _figures(text: str) -> tuple[Figure, ...]:
    plain = digits.joined(text) if has_unspaced_script(text) else text
    # "1年半" is a phrase, of which its digit is no amount.
    phrases = quantity_words.table().phrases_with_digits
    plain = phrases.sub(lambda match: " " * len(match.group()), plain)
    low = _lowered(plain)
    return tuple(
        _figure(low, match.start(), match.end(), digits.readings(match.group()))
        for match in NUMBER.finditer(plain)
    )


def amounts(text: str) -> list[Figure]:
    """Figures of a text without those that belong to a name, as in K2."""
    return [f for f in figures(text) if not _LETTER.match(text[max(0, f.start - 1) : f.start])]


def spelled_figures(text: str) -> Iterator[Figure]:
    """Amounts written in words, in order for each kind.

    >>> [sorted(f.values) for f in spelled_figures("eleven of twenty-two weeks")]
    [[13305600.0], [11.0]]
    """
    return iter(_spelled_figures(text))


@remembered
def _spelled_figures(text: str) -> tuple[Figure, ...]:
    folded = fold(text)
    taken: set[int] = set()
    found = []
    for kind, pattern in quantity_words.table().spelled:
        for match in pattern.finditer(folded):
            if taken.isdisjoint(range(match.start(), match.end())):
                taken.update(range(match.start(), match.end()))
                found.append(_spelled(kind, match, folded))
    return tuple(found) if len(folded) == len(text) else tuple(_put_back(found, text))


def _put_back(found: Sequence[Figure], text: str) -> Iterator[Figure]:
    """Figures with places of the text as written: folding makes two letters of some ("ß")."""
    places = [place for place, letter in enumerate(text) for _ in fold(letter)] + [len(text)]
    for figure in found:
        if figure.end < len(places):
            yield replace(figure, start=places[figure.start], end=places[figure.end])


def _figure(low: str, start: int, end: int, readings: Mapping[float, float]) -> Figure:
    """Read scale, measure and hedge around a number; the text keeps every code point in place."""
    table = quantity_words.table()
    scale, tail = table.scale.match(low, end), _RANGE_TAIL.match(low, end)
    if not scale and tail:
        scale = table.scale.match(low, tail.end())
    factor = table.scales[" ".join(scale.group(1).split())] if scale else 1.0
    after = scale.end() if scale else end
    if scale and low[after : after + 1] == ".":
        after += 1
    if not scale and (short := _SHORT_SCALE.match(low, end)) and _is_money(low, start, short):
        factor, after = _SHORT_SCALES[short.group()], short.end()
    told = [value * factor for value in readings]
    measure, worth = _measure(low, start, after, told)
    if not measure and tail and not scale:
        measure, worth = _measure(low, start, tail.end(), told)
    zero, degree = _FAHRENHEIT if measure == "fahrenheit" else (0.0, 1.0)
    values = {
        (value * factor - zero) * degree * worth: grain * factor * degree * worth
        for value, grain in readings.items()
    }
    return Figure(
        values=frozenset(values),
        around=_around(low, start, end, after),
        start=start,
        end=end,
        measure="celsius" if measure == "fahrenheit" else measure,
        worth=worth,
        grain=min(values.values(), default=0.0),
        hedge=_hedge(low, start, after),
    )


def _is_money(low: str, start: int, scale: re.Match[str]) -> bool:
    """A thousand and a million are written so of money; else they are other units."""
    table = quantity_words.table()
    behind = table.measure.match(low, scale.end())
    return bool(table.sign_before.search(low, max(0, start - 4), start)) or bool(
        behind and behind.group(1) in {"€", "$", "euro", "euros", "dollars", "eur", "usd"}
    )


def _measure(low: str, start: int, after: int, values: Iterable[float]) -> tuple[str, float]:
    table = quantity_words.table()
    found = table.measure.match(low, after) or table.sign_before.search(
        low, max(0, start - 4), start
    )
    if not found:
        return "", 1.0
    measure, worth = table.measures[" ".join(found.group(1).split())]
    is_date = measure == "months" and any(value in _YEARS for value in values)
    return ("", 1.0) if is_date else (measure, worth)


def _hedge(low: str, start: int, after: int) -> str:
    table = quantity_words.table()
    before = low[max(0, start - _LONGEST_HEDGE) : start]
    if table.above.search(before):
        return "above"
    if table.below.search(before) or table.below_after.match(low[after : after + _LONGEST_HEDGE]):
        return "below"
    behind = low[after : after + _LONGEST_HEDGE]
    is_rough = table.about.search(before) or table.about_after.match(behind)
    return "about" if is_rough else ""


def _spelled(kind: str, match: re.Match[str], folded: str) -> Figure:
    table, word = quantity_words.table(), match.group()
    start, end = match.span()
    if kind == "phrases":
        measure, value = table.phrases[word]
        hedge = "part" if measure == "percent" else _hedge(folded, start, end)
        return Figure(frozenset({value}), frozenset(), start, end, measure, 1.0, 1.0, hedge)
    if kind == "parts":
        return _part(table.parts[word], match, folded)
    if kind == "multiples":
        return Figure(
            frozenset({table.multiples[word]}), frozenset(), start, end, "times", grain=1.0
        )
    if kind == "ordinals":
        around = _around(folded, start, end)
        return Figure(frozenset({table.ordinals[word]}), around, start, end, ORDINAL)
    value = _value_of(kind, word, table)
    written = f"{value:g}"
    return _figure(folded, start, end, {value: digits.grain(written) if value > _TEN else 1.0})


def _part(percent: float, match: re.Match[str], folded: str) -> Figure:
    if percent in _UNIT_PARTS and (unit := _unit_behind(folded, match.end())):
        measure, worth = unit
        value = percent / _PER_CENT * worth
        hedge = _hedge(folded, match.start(), match.end())
        around = frozenset[str]()
        return Figure(
            frozenset({value}), around, *match.span(), measure, worth, MOST_ROUNDED * value, hedge
        )
    point = _OF_A_POINT.match(folded, match.end())
    values = {percent / _PER_CENT} if point else {percent, percent / _PER_CENT}
    start, end = match.span()
    article = _ARTICLE.search(folded, max(0, start - _LONGEST_ARTICLE), start)
    hedge = _hedge(folded, article.start() if article else start, end)
    # "Nearly half" is 45 percent, and so is "about half".
    grain = MOST_ROUNDED * percent if hedge else 1.0
    hedge = hedge or "part"
    return Figure(frozenset(values), frozenset(), start, end, "percent", 1.0, grain, hedge)


def _unit_behind(folded: str, end: int) -> tuple[str, float] | None:
    """The unit of which something is a part, as in "half a kilogram"."""
    article = _BEFORE_UNIT.match(folded, end)
    table = quantity_words.table()
    found = table.measure.match(folded, article.end() if article else end)
    measure, worth = table.measures[found.group(1)] if found else ("", 1.0)
    return (measure, worth) if measure not in {"", "percent", "times", ORDINAL} else None


def _value_of(kind: str, word: str, table: Table) -> float:
    if kind == "half":
        return 1.5
    if kind == "words":
        return float(sum(table.words[part] for part in re.split(r"-| y | et ", word)))
    if kind == "hundreds":
        return 100 * table.words[word.split(maxsplit=1)[0]]
    if kind == "korean":
        return float(table.korean[word])
    return _value_of_characters(word, table.digits)


def _value_of_characters(number: str, digits: Mapping[str, int]) -> float:
    """Value of one to three characters such as 十二 or 四十."""
    tens, ten, units = number.partition(TEN)
    if not ten:
        return float(digits[number])
    return float(10 * digits.get(tens, 1) + digits.get(units, 0))


def _lowered(text: str) -> str:
    """Small letters without accents, every code point in its place."""
    if text.isascii():
        return text.lower()
    return "".join(low if len(low := fold(char)) == 1 else char for char in text)


def _around(text: str, start: int, end: int, after: int = 0) -> frozenset[str]:
    """Words and units near a number, or near its scale, which ends later.

    None where a script has no spaces between words.
    """
    unit = text[end : end + 2].strip()[:1]
    if unit and has_unspaced_script(unit):
        return frozenset({f">{unit}"})
    if has_unspaced_script(text[max(0, start - 8) : end + 8]):
        return frozenset()
    before = _END.split(text[:start])[-1].split()[-_NEIGHBOURS:]
    behind = _END.split(text[max(end, after) :])[0].split()[:_NEIGHBOURS]
    units = frozenset(c for c in text[max(0, start - 2) : end + 2] if c in _UNIT_SIGNS)
    return units | _marked("<", before) | _marked(">", behind)


def _marked(side: str, words: list[str]) -> frozenset[str]:
    """Telling words with their side: after a figure stands its unit, before it its name."""
    telling = (w for w in terms(" ".join(words)) if len(w) >= _MIN_NEIGHBOUR and not w.isdigit())
    return frozenset(f"{side}{word}" for word in telling)
