"""The answer without a language model: the sentences of the sources that answer best.

Excerpts are verbatim, marked as such, attributed and cited; it claims nothing of its own.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pellucid_gateway import excerpt_worth, sentences
from pellucid_gateway.asked_for import AskedFor, asked_for, carries, names_of
from pellucid_gateway.conflicts import Conflict, Side, gives_another_amount, told
from pellucid_gateway.excerpt_worth import Candidate
from pellucid_gateway.findings import Source
from pellucid_gateway.key_facts import candidates
from pellucid_gateway.notices import Wording
from pellucid_gateway.rendering import marker_of, source_list
from pellucid_gateway.request import CitationStyle, Depth
from pellucid_gateway.terms import has_unspaced_script, terms
from pellucid_gateway.turn import Citation, CitationReport

MAX_EXCERPT_WORDS = 40
# A language without spaces says about a word in two characters.
_MAX_UNSPACED_CHARS = 2 * MAX_EXCERPT_WORDS
_CLAUSE_BORDER = re.compile(r"[,;:–—，、；：]\s*")
_MIN_CUT_SHARE = 0.4
_EXCERPTS = {Depth.QUICK: 2, Depth.STANDARD: 3, Depth.DEEP: 5}
# Two sentences that share this much say the same.
_SAME_SAYING = 0.7
_RECENT = timedelta(days=30)
# A further excerpt must be worth this share of the best one.
_MIN_WORTH_SHARE = 0.45
# The first one of a second source may be worth less.
_MIN_SECOND_SHARE = 0.15
# With so many domains quoted, a further excerpt must be on the things asked about.
_WANTED_DOMAINS = 2
# A sentence that carries a kind of thing asked for that is still open.
_NEW_KIND_BONUS = 0.3
_QUOTES = str.maketrans({"“": "'", "”": "'", "«": "'", "»": "'", "„": "'", "「": "'", "」": "'"})


Fresh = Callable[[Sequence[Candidate], Sequence[int], int], bool]


@dataclass(frozen=True, slots=True)
class Written:
    """An answer with its citations, whole."""

    text: str
    citations: tuple[Citation, ...]
    report: CitationReport


def candidates_of(sources: Sequence[Source]) -> tuple[Candidate, ...]:
    """Sentences of all sources that can stand alone."""
    found: list[Candidate] = []
    for source in sources:
        own = candidates(source.text) or candidates(source.facts) or sentences.split(source.facts)
        found.extend(Candidate(source, text, i) for i, text in enumerate(own))
    return tuple(found)


def shortlist(found: Sequence[Candidate], question: str, most: int) -> tuple[Candidate, ...]:
    """The candidates that share most words with the question, in their order."""
    found = about_the_named(found, question)
    worth = excerpt_worth.worth(found, question, None)
    best = sorted(range(len(found)), key=lambda i: (-worth[i], i))[:most]
    return tuple(found[i] for i in sorted(best))


def about_the_named(found: Sequence[Candidate], question: str) -> Sequence[Candidate]:
    """Candidates of sources that mention a name of the question; all when it has no name.

    A question about one company is not answered by a sentence about another. A page that the
    person named is what they ask about, whatever it mentions.
    """
    named = names_of(question)
    if not named:
        return found
    sources = {candidate.source.n: candidate.source for candidate in found}
    speaking = {n for n, s in sources.items() if s.user_supplied or named & _said_in(s)}
    return tuple(candidate for candidate in found if candidate.source.n in speaking)


def _said_in(source: Source) -> frozenset[str]:
    return terms(f"{source.title} {source.text or source.facts}")


def choose(
    found: Sequence[Candidate],
    question: str,
    depth: Depth,
    similarities: Sequence[float] | None = None,
) -> tuple[Candidate, ...]:
    """The best sentences, different sources and domains first.

    Args:
        found: Candidates.
        question: The standalone question.
        depth: How many.
        similarities: Cosine of question and candidate, in order; None when no scorer is there.

    Returns:
        Best first; from at least two domains when there are two with something to say.
    """
    told = excerpt_worth.told(found, question, similarities)
    speaking = excerpt_worth.speaking(found, question, similarities)
    on_topic = excerpt_worth.on_topic(found, question)
    worth = excerpt_worth.with_place(told, found)
    kinds = asked_for(question)
    chosen: list[int] = []
    for fresh in (_by_new_domain, _by_new_source, _by_anything):
        while len(chosen) < _EXCERPTS[depth]:
            least = _least(fresh, found, chosen, told)
            may = [
                i
                for i in range(len(found))
                if i not in chosen
                and told[i] >= least
                and (speaking[i] or not chosen)
                and (on_topic[i] or len(_domains(found, chosen)) < _WANTED_DOMAINS)
                and fresh(found, chosen, i)
            ]
            if not may:
                break
            open_kinds = frozenset(k for k in kinds if not _is_carried(found, chosen, k, question))
            lead = found[chosen[0]].text if chosen and AskedFor.NUMBER in kinds else ""
            gains = {i: _gain(found[i], open_kinds, question, lead) for i in may}
            further = bool(chosen)
            best = max(may, key=lambda i: (further and on_topic[i], worth[i] + gains[i], -i))
            chosen.append(best)
    one_source = len({found[i].source.n for i in chosen}) == 1
    order = sorted(chosen) if one_source else chosen
    return tuple(found[i] for i in order)


def _least(
    fresh: Fresh, found: Sequence[Candidate], chosen: Sequence[int], told: Sequence[float]
) -> float:
    """What a further sentence must say; a second domain is wanted in any case, then a source."""
    if not chosen or (fresh is _by_new_domain and len(_domains(found, chosen)) == 1):
        return 0.0
    one_source = len({found[i].source.n for i in chosen}) == 1
    is_second = fresh is _by_new_source and one_source
    return (_MIN_SECOND_SHARE if is_second else _MIN_WORTH_SHARE) * told[chosen[0]]


def _domains(found: Sequence[Candidate], chosen: Sequence[int]) -> set[str]:
    return {found[i].source.domain for i in chosen}


def _is_carried(
    found: Sequence[Candidate], chosen: Sequence[int], kind: AskedFor, question: str
) -> bool:
    return any(carries(found[i].text, frozenset({kind}), question) > 0 for i in chosen)


def _gain(candidate: Candidate, open_: frozenset[AskedFor], question: str, lead: str) -> float:
    """What a sentence adds by a kind of thing that none of the chosen has, or another amount."""
    if lead and gives_another_amount(lead, candidate.text):
        return _NEW_KIND_BONUS
    return _NEW_KIND_BONUS * carries(candidate.text, open_, question) if open_ else 0.0


def with_both_sides(
    chosen: Sequence[Candidate], every: Sequence[Candidate], conflicts: Sequence[Conflict]
) -> tuple[Candidate, ...]:
    """The chosen sentences with both sides of the first disagreement, the better side leading."""
    for conflict in conflicts[:1]:
        sides = [_candidate_of(side, every) for side in (conflict.first, conflict.second)]
        both = [candidate for candidate in sides if candidate]
        others = [c for c in chosen if c not in both]
        return (*both, *others)[: max(len(chosen), len(both))]
    return tuple(chosen)


def _candidate_of(side: Side, every: Sequence[Candidate]) -> Candidate | None:
    own = (c for c in every if c.source.n == side.source.n)
    return next((c for c in own if side.sentence in c.text or c.text in side.sentence), None)


def _by_new_domain(found: Sequence[Candidate], chosen: Sequence[int], i: int) -> bool:
    domains = {found[c].source.domain for c in chosen}
    return found[i].source.domain not in domains and _says_more(found, chosen, i)


def _by_new_source(found: Sequence[Candidate], chosen: Sequence[int], i: int) -> bool:
    used = {found[c].source.n for c in chosen}
    return found[i].source.n not in used and _says_more(found, chosen, i)


def _by_anything(found: Sequence[Candidate], chosen: Sequence[int], i: int) -> bool:
    return _says_more(found, chosen, i)


def _says_more(found: Sequence[Candidate], chosen: Sequence[int], i: int) -> bool:
    own = terms(found[i].text)
    for c in chosen:
        other = terms(found[c].text)
        if own and len(own & other) / len(own) > _SAME_SAYING:
            return False
    return True


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
    now: datetime,
    conflicts: Sequence[Conflict] = (),
    are_near_only: bool = False,
) -> Written:
    """Join excerpts into a short text in the person's language; Korean as a numbered list.

    Args:
        chosen: Best first.
        wording: Texts in the person's language.
        style: How citations show.
        now: Present instant.
        conflicts: Disagreements that are told after the excerpts.
        are_near_only: No excerpt states what was asked, and the text says so first.
    """
    listed = wording.language == "ko"
    text = f"{wording.answer('not_stated')}\n\n" if are_near_only else ""
    text += f"### {wording.answer('heading')}\n\n" if listed else ""
    citations: list[Citation] = []
    for i, candidate in enumerate(chosen):
        if i:
            text += "\n" if listed else _joint(wording.language)
        quoted = excerpt(candidate.text).translate(_QUOTES)
        line = _line(i, candidate, quoted, wording=wording, now=now, listed=listed)
        start = len(text) + line.index(quoted)
        text += line + marker_of(candidate.source, style)
        citations.append(_citation(candidate, start, start + len(quoted)))
    for conflict in conflicts:
        code, values = told(conflict, wording)
        text += ("\n\n" if listed else _joint(wording.language)) + wording.notice(code, **values)
    if style is CitationStyle.NUMERIC and chosen:
        cited = {c.source.n: c.source for c in chosen}
        listing = [cited[n] for n in sorted(cited)]
        dates = source_list(
            listing, wording.answer("sources_heading"), lambda s: date_text(s, wording)
        )
        text += f"\n\n{dates}"
    report = CitationReport(checked=len(citations), kept=len(citations))
    ordered = sorted(citations, key=lambda c: (c.start, c.source))
    return Written(text, tuple(ordered), report)


def date_text(source: Source, wording: Wording) -> str:
    """The source's day in the person's language; empty when unknown."""
    return wording.date(source.published.time) if source.published else ""


def _joint(language: str) -> str:
    return "" if language in {"zh", "ja"} else " "


def _line(
    i: int, candidate: Candidate, quoted: str, *, wording: Wording, now: datetime, listed: bool
) -> str:
    source = candidate.source
    if listed:
        return _listed_line(i, candidate, quoted, wording=wording, now=now)
    template = "next" if i else "quote"
    if source.published:
        return wording.answer(
            f"{template}_dated",
            publisher=source.publisher,
            date=wording.date(source.published.time),
            excerpt=quoted,
        )
    return wording.answer(f"{template}_undated", publisher=source.publisher, excerpt=quoted)


def _listed_line(
    i: int, candidate: Candidate, quoted: str, *, wording: Wording, now: datetime
) -> str:
    source = candidate.source
    notes = [source.publisher]
    if source.published:
        notes.append(wording.date(source.published.time))
        if timedelta(0) <= now - source.published.time <= _RECENT:
            notes.append(f"**{wording.answer('recent')}**")
    if not has_unspaced_script(candidate.text):
        notes.append(wording.answer("foreign_excerpt"))
    label = wording.answer("source_label")
    return f"{i + 1}. “{quoted}” ({label}: {', '.join(notes)})"


def _citation(candidate: Candidate, start: int, end: int) -> Citation:
    return Citation(
        start=start,
        end=end,
        source=candidate.source.n,
        url=candidate.source.url,
        title=candidate.source.title,
        cited_text=candidate.text,
        support=1.0,
    )
