"""The words of a source that a claim rests on."""

from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.ports import PassageSupport
from pellucid_gateway.question.tokens import GAP
from pellucid_gateway.verification.fact_matching import best_passage
from pellucid_gateway.verification.nearby import near
from pellucid_language import sentences
from pellucid_language.written_dates import date_words

# Of a source, shown to the judge on either side of the passage.
_AROUND_CHARS = 400


def shown_text(source: Source) -> str:
    """Title, date and facts, as far as claims may rest on them; the facts come last."""
    date = f" {date_words(source.published.time)}." if source.published else ""
    return f"{source.title}.{date} {source.facts}"


def surroundings(passage: str, source: Source) -> str:
    """A passage with what stands around it, below the source's title."""
    found = max(0, source.facts.find(passage))
    start = max(0, found - _AROUND_CHARS)
    around = source.facts[start : found + len(passage) + _AROUND_CHARS]
    return f"{source.title}. {around}"


def passage_of(claim: str, source: Source, support: PassageSupport | None) -> str:
    """The supporting words within the facts: the scorer's window, else the nearest sentence."""
    facts_start = len(shown_text(source)) - len(source.facts)
    if support and support.window_end > support.window_start >= facts_start:
        window = source.facts[support.window_start - facts_start : support.window_end - facts_start]
        if window.strip():
            return window.strip()
    nearest = best_passage(claim, sentences.split(near(claim, source.facts)))
    return nearest.removeprefix(GAP).strip() or source.facts
