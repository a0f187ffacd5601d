"""Calendar days that are written out in a line of text.

Decides which days a text names and whether it says that something was published or changed then;
which of them is the day of a page is decided by ``bylines``. Names of months come from the
language library; two numbers of which either could be the day are read as people of the page's
language and country write them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from pellucid_language.calendar import written_months

_LABEL_REACH: Final = 48  # characters before a day in which a label belongs to it
_AFTER_REACH: Final = 12  # "2024-05-01 published", "2024.05.01 입력"
_CHANGED: Final = re.compile(
    r"updat|modif|edit(?:ed|iert)|revis|review|chang|geändert|ergänzt|stand\b|mise? à jour"
    r"|aktualis|actualiz|aggiornat|atualiz|bijgewerkt|gewijzigd|aktualiz|zmodyfik|обновл|изменен|güncel|oppdater"
    r"|uppdater|opdater|päivitetty|수정|갱신|最終?更新|更新|改定",
    re.IGNORECASE,
)
# Of people, offers and what is still to come; says nothing of the page.
_BESIDE: Final = re.compile(
    r"join|since|expire|deadline|valid|gültig|accessed|abgerufen|consulté|copyright|©|\bborn\b|geboren"
    r"|termin|event|starts?\b|registered|member|effective|founded|\bdue\b|release date",
    re.IGNORECASE,
)
_PUBLISHED: Final = re.compile(
    r"publi|post(?:ed|ato|ado)|submitted|writ?ten|\bcreated|released|issued|\bdated?\b|veröffentlicht|erschienen"
    r"|erstellt|geschrieben|verfasst|eingestellt|online seit|datum|publié|paru|rédigé|créé|publicad"
    r"|fecha|pubblicat|escrito|gepubliceerd|geplaatst|opublikowan|dodano|zveřejněn|vydáno|опубликован"
    r"|дата|yayın|julkaist|publicerad|publisert|udgivet|gepost|게시|등록|입력|작성|発行|公開|掲載|投稿|发布|发表|日期|時間|时间",
    re.IGNORECASE,
)
_ORIGINAL: Final = re.compile(
    r"original|initial|\bfirst\b|ursprünglich|zuerst|erstmals|première fois|primera vez|prima volta"
    r"|pela primeira|oorspronkelijk|pierwotnie|впервые|最初|初出|初公開|首次|首发|최초",
    re.IGNORECASE,
)
_NUMBERS: Final = re.compile(
    r"(?<![\d.,/\-])(?<!\d:)(?P<y>(?:19|20)\d\d)(?P<m1>[-./])\s?(?P<m>\d{1,2})(?P=m1)\s?(?P<d>\d{1,2})(?![\d/\-]|[.,]\d)"
    r"|(?<![\d.,/\-])(?<!\d:)(?P<a>\d{1,2})(?P<m2>[-./])\s?(?P<b>\d{1,2})(?P=m2)\s?(?P<z>(?:19|20)\d\d|\d\d)(?![\d/\-%€$]|[.,:]\d)"
    r"|(?P<cy>(?:19|20)\d\d)\s*[年년]\s*(?P<cm>\d{1,2})\s*[月월]\s*(?P<cd>\d{1,2})\s*[日일]"
)
# English is written in many countries; only in some of them the month comes first.
_DAY_FIRST_HOSTS: Final = re.compile(r"\.(?:uk|au|nz|ie|in|za|eu|scot|london)$")
_DAY_ENDING: Final = r"(?:st|nd|rd|th|er|ro|\.|º|ª|ème|e|:e|-?го)?"
_NAMED: Final = re.compile(
    rf"(?<![\d.,/])(?<!\d:)(?P<d>\d{{1,2}}){_DAY_ENDING}[\s\-/]*(?:de\s+|of\s+|d['’]|di\s+)?(?P<w>[^\W\d_]{{3,14}})\.?,?[\s\-/]*"
    r"(?:de[l]?\s+|of\s+)?(?P<y>(?:19|20)\d\d)(?!\d)"
    r"|(?:(?<![^\W\d_])|(?<=[a-z])(?=[A-Z]))(?P<w2>[^\W\d_]{3,14})\.?\s*(?P<d2>\d{1,2})(?:st|nd|rd|th)?(?:,|\s|\.)\s*(?P<y2>(?:19|20)\d\d)(?!\d)"
    r"|(?<!\d)(?P<y3>(?:19|20)\d\d)[\s,.\-]+(?:m\.\s+)?(?P<w3>[^\W\d_]{3,14})\.?\s+(?P<d3>\d{1,2})(?!\d)"
)


_GLUED: Final = re.compile(r"^.*[a-z](?=[A-Z])")  # elements side by side: "HealthDecember 2, 2024"


@dataclass(frozen=True, slots=True)
class WrittenDay:
    """A day in a text.

    Attributes:
        start: Where it begins, in characters.
        is_certain: Its order of day and month is not guessed and its year has four digits.
        is_published, is_changed: What the words beside it say.
        is_beside: They say that it is of something else, such as the end of an offer.
        is_original: They say that it was published for the first time then.
        other: The day with its two numbers the other way round, where either could be the month.
    """

    day: date
    start: int
    is_certain: bool
    is_published: bool
    is_changed: bool
    is_beside: bool = False
    is_original: bool = False
    other: date | None = None


@dataclass(frozen=True, slots=True)
class Style:
    """How a page writes its days.

    Attributes:
        months: Number of each month by its lower-case name.
        month_first: "3/5/2024" is the fifth of March.
    """

    months: Mapping[str, int]
    month_first: bool = False


PLAIN: Final = Style(written_months(""))
"""Of a page that does not tell its language."""


def style_of(parser: LexborHTMLParser, url: str) -> Style:
    """Return how a page writes its days, by its language and its country."""
    root = parser.css_first("html")
    language = ((root.attributes.get("lang") or "") if root is not None else "").strip().lower()
    return Style(written_months(language[:2]), _is_month_first(language, url))


def _is_month_first(language: str, url: str) -> bool:
    if language[:2] not in ("", "en") or language.startswith(("en-gb", "en-au", "en-nz", "en-ie")):
        return False
    return not _DAY_FIRST_HOSTS.search(urlsplit(url).hostname or "")


def written_days(text: str, style: Style) -> Iterator[WrittenDay]:
    """Read the days of a text, figures before names of months.

    Args:
        text: A line or a paragraph.
        style: How its page writes days.

    >>> [found.day.isoformat() for found in written_days("Am 5. März 2024", Style({"märz": 3}))]
    ['2024-03-05']
    """
    for found in _NUMBERS.finditer(text):
        figures = _in_figures(found, month_first=style.month_first)
        if figures is not None:
            yield _labelled(text, found, figures)
    for found in _NAMED.finditer(text):
        day = _named(found, style.months)
        if day is not None:
            yield _labelled(text, found, _Figures(day))


def is_changed(text: str) -> bool:
    """Tell whether a text speaks of a change rather than of a publication."""
    return bool(_CHANGED.search(text)) and not _PUBLISHED.search(text)


@dataclass(frozen=True, slots=True)
class _Figures:
    day: date
    is_certain: bool = True
    other: date | None = None


def _labelled(text: str, found: re.Match[str], read: _Figures) -> WrittenDay:
    """Let the nearest label before a day count, or one right behind it."""
    before = text[max(0, found.start() - _LABEL_REACH) : found.start()]
    behind = text[found.end() : found.end() + _AFTER_REACH]
    labels = (_CHANGED, _PUBLISHED, _BESIDE)
    changed, published, beside = (_last(label, before) for label in labels)
    if max(changed, published, beside) < 0:
        changed = 0 if _CHANGED.search(behind) else -1
        published = 0 if _PUBLISHED.search(behind) else -1
    is_published = published >= 0 and published >= changed and published > beside
    return WrittenDay(
        read.day,
        found.start(),
        read.is_certain,
        is_published=is_published,
        is_original=is_published and bool(_ORIGINAL.search(before)),
        is_changed=changed > published and changed > beside,
        is_beside=beside >= 0 and beside >= max(changed, published),
        other=read.other,
    )


def _last(pattern: re.Pattern[str], text: str) -> int:
    return max((found.end() for found in pattern.finditer(text)), default=-1)


def _in_figures(found: re.Match[str], *, month_first: bool) -> _Figures | None:
    if found["y"] or found["cy"]:
        numbers = found.group("y", "m", "d") if found["y"] else found.group("cy", "cm", "cd")
        day = _day(*map(int, numbers))
        return _Figures(day) if day is not None else None
    first, second, year = int(found["a"]), int(found["b"]), int(found["z"])
    is_short = len(found["z"]) < 4  # noqa: PLR2004 - a year without its century
    if is_short and found["m2"] == "-":
        return None
    year += 2000 if is_short else 0
    is_open = found["m2"] != "." and first <= 12 and second <= 12 and first != second  # noqa: PLR2004 - either could be the month
    swap = second > 12 or (found["m2"] != "." and month_first and first <= 12)  # noqa: PLR2004
    number, month = (second, first) if swap else (first, second)
    day = _day(year, month, number)
    if day is None:
        return None
    return _Figures(
        day, not is_open and not is_short, _day(year, number, month) if is_open else None
    )


def _named(found: re.Match[str], months: Mapping[str, int]) -> date | None:
    for word, day, year in (("w", "d", "y"), ("w2", "d2", "y2"), ("w3", "d3", "y3")):
        if found[word]:
            month = months.get(_GLUED.sub("", found[word]).lower())
            return _day(int(found[year]), month, int(found[day])) if month else None
    return None


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
