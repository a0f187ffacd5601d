"""Which reading of a question a quotation answers, where sources know several things of one name.

Their titles tell them apart by form, as those of encyclopedias do: by a comma or a bracket behind
the name.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from pellucid_gateway.answering.quotable import Candidate
from pellucid_gateway.domain.findings import Source
from pellucid_language.terms import function_terms, terms

_TOLD_APART = re.compile(
    r"([^,(（、，]{2,60}?)\s*(?:[,、，]\s*([^,(（]{2,60})|[(（]([^)）]{2,60})[)）])"
)


def with_readings(
    chosen: tuple[Candidate, ...], sources: Sequence[Source], question: str
) -> tuple[Candidate, ...]:
    """Return quotations with the title of their page, where they do not say which thing they mean.

    Args:
        chosen: What is quoted.
        sources: All that were found.
        question: What was asked, resolved from the history.
    """
    readings = {s.n: reading for s in sources if (reading := _reading(s.title, question))}
    if len(set(readings.values())) < 2:  # noqa: PLR2004 - one reading needs no name
        return chosen
    return tuple(
        replace(one, heads=one.source.title)
        if not one.heads and readings.get(one.source.n, frozenset()) - terms(one.text)
        else one
        for one in chosen
    )


def _reading(title: str, question: str) -> frozenset[str]:
    """Return what a title adds to the name that is asked about, by comma or bracket."""
    match = _TOLD_APART.match(title)
    if match is None:
        return frozenset()
    name, *added = (terms(part or "") - function_terms() for part in match.groups())
    is_asked = bool(name) and name <= terms(question)
    return frozenset().union(*added) if is_asked else frozenset()
