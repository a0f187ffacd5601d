"""Leaves out words that say nothing about the topic of a query."""

from collections.abc import Sequence

from pellucid_language.stop_words import stop_words


def content_terms(wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the terms that carry the topic, each once; all of them when none does.

    >>> content_terms(("what", "is", "the", "ferry", "ferry"))
    ('ferry',)
    """
    unique = tuple(dict.fromkeys(wanted))
    kept = tuple(term for term in unique if term not in stop_words())
    return kept or unique
