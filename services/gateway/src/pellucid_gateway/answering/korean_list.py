"""The list of sources below a Korean answer: heading, numbers, sources, recent dates marked.

Korean text is untouched; of a source in another language a short Korean summary stands there, or
its original words, marked as such.
"""

from collections.abc import Mapping, Sequence

from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.notices import Wording
from pellucid_gateway.markdown.escaping import bare, escaped, publisher
from pellucid_language.detection import is_mostly_korean

_MAX_SUMMARY_CHARS = 160


def korean_list(
    sources: Sequence[Source],
    *,
    wording: Wording,
    summaries: Mapping[int, str],
) -> str:
    """Markdown: a heading, then one numbered entry with title, source, date, summary and address.

    Args:
        sources: In the order shown; at least one.
        wording: Korean.
        summaries: Korean summaries of sources in other languages, by number.
    """
    entries = [
        _entry(source, wording=wording, summary=summaries.get(source.n, "")) for source in sources
    ]
    return "\n".join((f"### {wording.answer('sources_title')}", "", *entries))


def _entry(source: Source, *, wording: Wording, summary: str) -> str:
    notes = [f"{wording.answer('source_label')}: {publisher(source.publisher, source.domain)}"]
    if source.published:
        notes.append(wording.date(source.published.time))
    if source.recent:
        notes.append(f"**{wording.answer('recent')}**")
    lines = [
        f"{source.n}. **{escaped(source.title)}** ({', '.join(notes)})",
        f"   {_summary(source, wording, summary)}",
        f"   {bare(source.url)}",
    ]
    return "\n".join(lines)


def _summary(source: Source, wording: Wording, summary: str) -> str:
    text = " ".join((source.snippet or source.facts or source.title).split())
    short = text if len(text) <= _MAX_SUMMARY_CHARS else f"{text[:_MAX_SUMMARY_CHARS].rstrip()}…"
    if is_mostly_korean(text):
        return escaped(short)
    if summary:
        return f"{wording.answer('summary_label')}: {escaped(summary)}"
    return f"{wording.answer('foreign_excerpt')}: “{escaped(short)}”"
