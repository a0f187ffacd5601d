"""What a person is shown beside a source: whose it is, in which language, and whether it is new."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.notices import Wording

RECENT_DAYS = 7


def labelled(sources: Iterable[Source], wording: Wording, now: datetime) -> tuple[Source, ...]:
    """Sources with their labels in the person's language."""
    return tuple(
        replace(source, attribution=_attribution(source, wording), recent=_is_recent(source, now))
        for source in sources
    )


def _attribution(source: Source, wording: Wording) -> str:
    """Whose it is: "출처: Reuters (외국어 자료)"."""
    text = f"{wording.answer('source_label')}: {source.publisher or source.domain}"
    is_foreign = bool(source.language) and source.language != wording.language
    return f"{text} ({wording.answer('foreign_page')})" if is_foreign else text


def _is_recent(source: Source, now: datetime) -> bool:
    """Whether it is of the last days, counted as whole days."""
    published = source.published
    return published is not None and 0 <= (now.date() - published.time.date()).days <= RECENT_DAYS
