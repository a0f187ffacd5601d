"""Questions, search results and pages about companies that do not exist, made from their names.

Every company is asked about once, so that no cache stands in for what a test wants to reach, and
what a page says beyond its snippet is known, so that a citation can be checked against it.
"""

import random
import re
from collections.abc import Iterator
from typing import Any

SITES = ("harbourpost", "ledgerdaily", "saltandsignal")
# Only pages say this: no citation may claim it of a source that is known by its snippet alone.
PAGE_ONLY = "The board met in Quay Hall before the appointment"

_COMPANY = re.compile(r"\b([a-z]+) cells\b", re.IGNORECASE)
_FIRST = ("Bro", "Ca", "Dal", "Fen", "Gar", "Hol", "Kel", "Lun", "Mar", "Nor", "Pel", "Ros", "Vel")
_NEXT = ("bi", "da", "go", "ka", "le", "mo", "ni", "pa", "ra", "se", "ti", "vo", "zu")
_LAST = ("berg", "dan", "fell", "holm", "lund", "mark", "rik", "stad", "vik", "wick")


def companies(seed: int) -> Iterator[str]:
    """Names without end, none twice."""
    drawn = random.Random(seed)
    used: set[str] = set()
    while True:
        parts = (drawn.choice(_FIRST), *(drawn.choice(_NEXT) for _ in range(3)))
        name = "".join((*parts, drawn.choice(_LAST)))
        if name not in used:
            used.add(name)
            yield name


def question(company: str) -> str:
    """What a person asks about it."""
    return f"Who is the current CEO of {company} Cells?"


def company_in(text: str) -> str:
    """The company that a query or a prompt is about; empty when it names none."""
    found = _COMPANY.search(text)
    return found.group(1).capitalize() if found else ""


def results(query: str, pages_port: int) -> list[dict[str, Any]]:
    """What is found: one page of each site, with title, address and snippet."""
    company = company_in(query)
    if not company:
        return []
    return [
        {
            "url": f"http://{site}.localhost:{pages_port}/{company.lower()}-{i}",
            "title": _title(company, i),
            "description": _snippet(company, i),
        }
        for i, site in enumerate(SITES)
    ]


def _title(company: str, i: int) -> str:
    titles = ("{} Cells names a CEO", "Who leads {} Cells now", "Change at the top of {} Cells")
    return titles[i % len(SITES)].format(company)


def _snippet(company: str, i: int) -> str:
    """Three tellings of one fact, different enough not to be copies of each other."""
    return (
        f"Ines Halvorsen has been the CEO of {company} Cells since 3 November 2026.",
        f"{company} Cells, the maker of ferry batteries, is led by CEO Ines Halvorsen.",
        f"After six years Tomas Berk left; the new CEO of {company} Cells is Ines Halvorsen.",
    )[i % len(SITES)]


def page(path: str) -> str:
    """The page at an address of the sites."""
    slug, _, number = path.strip("/").rpartition("-")
    company = slug.capitalize() or "Nobody"
    i = int(number) if number.isdigit() else 0
    return (
        f"<html lang='en'><head><title>{_title(company, i)}</title></head><body>"
        f"<article><h1>{_title(company, i)}</h1><p>{_snippet(company, i)}</p>"
        f"<p>{PAGE_ONLY}, and {company} Cells told its {140 + i} employees on the same day. "
        "The company makes batteries for ferries and harbour cranes, and sells them in nine "
        "countries around the northern sea.</p></article></body></html>"
    )
