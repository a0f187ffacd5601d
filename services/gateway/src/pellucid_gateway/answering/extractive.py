"""The answer without a language model, written: chosen sentences, attributed and cited.

What stands in quotation marks is verbatim; what is added stands outside them. It claims nothing of
its own.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pellucid_gateway.answering.quotable import Candidate
from pellucid_gateway.conflicts.notes import Conflict, told
from pellucid_gateway.domain.citation import Citation, CitationReport
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.notices import Wording
from pellucid_gateway.domain.request import CitationStyle
from pellucid_gateway.markdown.escaping import escaped, publisher
from pellucid_gateway.verification.rendering import marker_of, source_list
from pellucid_language.terms import has_unspaced_script

MAX_EXCERPT_WORDS = 40
# A language without spaces says about a word in two characters.
_MAX_UNSPACED_CHARS = 2 * MAX_EXCERPT_WORDS
_CLAUSE_BORDER = re.compile(r"[,;:–—，、；：]\s*")
_MIN_CUT_SHARE = 0.4
# Puts what an item of a list introduces below it.
_INDENT = "   "


@dataclass(frozen=True, slots=True)
class Written:
    """An answer with its citations, whole."""

    text: str
    citations: tuple[Citation, ...]
    report: CitationReport


def excerpt(sentence: str) -> str:
    """At most 40 words, cut at a clause border; an omission is marked.

    >>> excerpt("The bridge opened in May.")
    'The bridge opened in May.'
    """
    if has_unspaced_script(sentence):
        short = sentence[:_MAX_UNSPACED_CHARS]
    else:
        short = " ".join(sentence.split()[:MAX_EXCERPT_WORDS])
    if len(short) >= len(sentence.strip()):
        return sentence.strip()
    borders = [m.start() for m in _CLAUSE_BORDER.finditer(short)]
    good = [b for b in borders if b >= _MIN_CUT_SHARE * len(short)]
    return f"{short[: good[-1]] if good else short.rstrip(' ,;:')} …"


def write(
    chosen: Sequence[Candidate],
    *,
    wording: Wording,
    style: CitationStyle,
    conflicts: Sequence[Conflict] = (),
    are_near_only: bool = False,
    as_points: bool = False,
) -> Written:
    """Join excerpts into a short text in the person's language; Korean as a numbered list.

    Args:
        chosen: Best first.
        wording: Texts in the person's language.
        style: How citations show.
        conflicts: Disagreements that are told after the excerpts.
        are_near_only: No excerpt states what was asked, and the text says so first.
        as_points: The person wished for a list.
    """
    listed = wording.language == "ko"
    text = f"{wording.answer('not_stated')}\n\n" if are_near_only else ""
    text += f"### {wording.answer('heading')}\n\n" if listed else ""
    citations: list[Citation] = []
    for i, candidate in enumerate(chosen):
        if i:
            text += _between(chosen[i - 1], wording.language, is_list=listed or as_points)
        quoted = escaped(excerpt(candidate.text))
        last = chosen[i - 1].source.n if i else 0
        line = _line(i, candidate, quoted, wording=wording, listed=listed, last=last)
        line += f" [{escaped(candidate.heads)}]" if candidate.heads else ""
        line = f"- {line}" if as_points and not listed else line
        start = len(text) + line.index(quoted)
        text += line + marker_of(candidate.source, style)
        citations.append(_citation(candidate, start, start + len(quoted)))
        for item in candidate.listed:
            text += f"\n{_INDENT if listed or as_points else ''}- "
            shown = escaped(excerpt(item))
            citations.append(_citation(candidate, len(text), len(text) + len(shown), item))
            text += shown
    in_list = listed or bool(chosen and chosen[-1].listed)
    for conflict in conflicts:
        code, values = told(conflict, wording)
        values = {name: escaped(value) for name, value in values.items()}
        text += ("\n\n" if in_list else _joint(wording.language)) + wording.notice(code, **values)
    if style is CitationStyle.NUMERIC and chosen:
        cited = {c.source.n: c.source for c in chosen}
        listing = [cited[n] for n in sorted(cited)]
        dates = source_list(
            listing, wording.answer("sources_heading"), lambda s: date_text(s, wording)
        )
        text += f"\n\n{dates}"
    report = CitationReport(checked=len(citations), kept=len(citations), matched=len(citations))
    ordered = sorted(citations, key=lambda c: (c.start, c.source))
    return Written(text, tuple(ordered), report)


def date_text(source: Source, wording: Wording) -> str:
    """The source's day in the person's language, recent ones marked; empty when unknown."""
    date = wording.date(source.published.time) if source.published else ""
    return f"{date} ({wording.answer('recent')})" if source.recent else date


def _between(before: Candidate, language: str, *, is_list: bool) -> str:
    """What parts a quotation from the one before it."""
    if is_list:
        return "\n"
    return "\n\n" if before.listed else _joint(language)


def _joint(language: str) -> str:
    return "" if language in {"zh", "ja"} else " "


def _line(
    i: int,
    candidate: Candidate,
    quoted: str,
    *,
    wording: Wording,
    listed: bool,
    last: int,
) -> str:
    """One quotation; of a source that was `last` quoted as well, its name is not said again."""
    source = candidate.source
    if listed:
        return _listed_line(i, candidate, quoted, wording=wording)
    if source.n == last:
        return wording.answer("next_same", excerpt=quoted)
    template = "next" if i else "quote"
    name = publisher(source.publisher, source.domain)
    if source.published:
        date = wording.date(source.published.time)
        return wording.answer(f"{template}_dated", publisher=name, date=date, excerpt=quoted)
    return wording.answer(f"{template}_undated", publisher=name, excerpt=quoted)


def _listed_line(i: int, candidate: Candidate, quoted: str, *, wording: Wording) -> str:
    source = candidate.source
    notes = [publisher(source.publisher, source.domain)]
    if source.published:
        notes.append(wording.date(source.published.time))
        if source.recent:
            notes.append(f"**{wording.answer('recent')}**")
    if not has_unspaced_script(candidate.text):
        notes.append(wording.answer("foreign_excerpt"))
    label = wording.answer("source_label")
    return f"{i + 1}. “{quoted}” ({label}: {', '.join(notes)})"


def _citation(candidate: Candidate, start: int, end: int, cited: str = "") -> Citation:
    return Citation(
        start=start,
        end=end,
        source=candidate.source.n,
        url=candidate.source.url,
        title=candidate.source.title,
        cited_text=cited or candidate.text,
        support=1.0,
    )
