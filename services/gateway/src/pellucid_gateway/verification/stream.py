"""Verifies the citations of an answer, sentence by sentence, while it streams.

Held back is only what could be wrong: from the first mark, link or named attribution to the end of
its sentence. Where marks stand in the text, what follows one waits for its verdict, shortly; else
the text flows on and its citations follow. However the model's text is cut into chunks, the answer
and, given the same verdicts, its spans and the report are the same.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from pellucid_gateway.domain.events import (
    Citation,
    CitationReport,
    Cited,
    Delta,
    Span,
)
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.request import CitationStyle
from pellucid_gateway.markdown.addresses import Addresses
from pellucid_gateway.markdown.door import Door, Passed
from pellucid_gateway.verification import attributions, markup, pointing, quotes
from pellucid_gateway.verification.citation_binding import added_up, bind, with_right_names
from pellucid_gateway.verification.claim_extraction import (
    Claim,
    claims_of,
    statement_end,
    trimmed,
    with_added_marker,
    with_implied_markers,
)
from pellucid_gateway.verification.fact_matching import has_facts
from pellucid_gateway.verification.judgement import Bound, ClaimJudge, Judgement
from pellucid_gateway.verification.pieces import Marker, Piece, Text
from pellucid_gateway.verification.rendering import Rendered, cited, render, source_list
from pellucid_gateway.verification.source_lists import SourceLists
from pellucid_language.sentences import Segment, Segmenter, SegmentKind
from pellucid_language.terms import has_unspaced_script

_MIN_SENTENCE_WORDS = 3
_MIN_SENTENCE_CHARS = 6
_LONGEST_WAIT_S = 0.9
"""For the verdict on a mark that stands in the text."""
_ENDING = " .!?…。！？"
_MARKED = frozenset({CitationStyle.NUMERIC, CitationStyle.MARKDOWN})


class DateText(Protocol):
    """Writes a source's date for people."""

    def __call__(self, source: Source) -> str:
        """The day in the person's language; empty when unknown."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """A sentence whose form and likeness are known.

    Attributes:
        text: As the model wrote it.
        is_code: It is left as it is.
        judged: Judgements of each claim.
        verdicts: Done when no further verdict will come.
        waits: Its text depends on them.
        early: What of it has left.
    """

    text: str
    is_code: bool = False
    pieces: tuple[Piece, ...] = ()
    claims: tuple[Claim, ...] = ()
    judged: tuple[tuple[Judgement, ...], ...] = ()
    verdicts: "asyncio.Future[None]"
    waits: bool = False
    early: str = ""

    @property
    def only_cites(self) -> bool:
        """Whether it is a mark on its own, which belongs to the sentence before."""
        texts = (piece.text.strip() for piece in self.pieces if isinstance(piece, Text))
        return bool(self.claims) and not any(texts)


@dataclass(frozen=True, slots=True)
class _Left:
    """A sentence that has left, and where in the answer it stands.

    Attributes:
        begun: Where it begins.
        rest_begins: Where what had not left early begins.
        passed: That rest.
        before: Span of the statement before it.
    """

    sentence: _Sentence
    pieces: tuple[Piece, ...]
    begun: int
    rest_begins: int
    passed: Passed
    before: Span

    def place(self, offset: int) -> int:
        """Where an offset in the rendered sentence stands in the answer."""
        behind = offset - len(self.sentence.early)
        return self.rest_begins + self.passed.place(behind) if behind > 0 else self.begun + offset

    def span(self, text: str) -> Span:
        """Where the statement of the rendered sentence stands, without what ends it."""
        start, end = trimmed(text, 0, len(text))
        return Span(self.place(start), self.place(len(text[:end].rstrip(_ENDING))))


@dataclass(slots=True)
class _Findings:
    """What the verification of the answer found so far."""

    citations: list[Citation] = field(default_factory=list)
    unsupported: list[Span] = field(default_factory=list)
    report: CitationReport = field(default_factory=CitationReport)
    unconfirmed: int = 0


class CitationVerifier:
    """Turns a model's text into the answer.

    Args:
        sources: What the model was shown; without any, no marker can be right.
        judge: Support of claims.
        style: How citations show.
        question: Words of it are not taken for invented publishers.
        own: Texts of the client; the answer may repeat their addresses and images.
        answers: Earlier answers; it may repeat their addresses, but no images.
        checks: False leaves markers alone: the answer to a message that never touched the web has
            nothing to cite, and "[1, 3]" in it is mathematics. It passes the door all the same.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        judge: ClaimJudge,
        style: CitationStyle,
        question: str = "",
        own: Sequence[str] = (),
        answers: Sequence[str] = (),
        checks: bool = True,
    ) -> None:
        self._checks = checks
        self._sources = {source.n: source for source in sources}
        self._addresses = Addresses({source.n: source.url for source in sources}, own, answers)
        self._door = Door(self._addresses)
        self._judge = judge
        self._style = style
        self._known = (question, *(f"{s.title} {s.facts}" for s in sources))
        self._segments = Segmenter()
        self._lists = SourceLists(sources)
        self._early = ""
        self._sent: list[str] = []
        self._sent_chars = 0
        self._early_chars = 0
        self._waiting: deque[_Sentence] = deque()
        self._left: list[_Left] = []
        self._has_news = asyncio.Event()
        self._before = Span(0, 0)
        self._before_claim = ""
        self._found = _Findings()

    @property
    def unconfirmed(self) -> int:
        """Sentences sent whose citation fell, or whose figures and names no source has."""
        return self._found.unconfirmed

    @property
    def answer(self) -> str:
        """What was sent so far; at the end the whole answer."""
        return "".join(self._sent)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Checked citations by start, then source."""
        return tuple(sorted(self._found.citations, key=lambda c: (c.start, c.source)))

    @property
    def unsupported(self) -> tuple[Span, ...]:
        """Statements that no source was found to say, by start."""
        ends = {citation.end for citation in self._found.citations}
        spans = (span for span in self._found.unsupported if span.end not in ends)
        return tuple(sorted(spans, key=lambda span: span.start))

    @property
    def report(self) -> CitationReport:
        """What was done so far."""
        return self._found.report

    async def feed(self, text: str) -> AsyncIterator[Delta | Cited]:
        """Take more of the model's text; yield what may leave."""
        for segment in self._segments.feed(text):
            await self._take(segment)
            for event in self.released():
                yield event
        for segment in self._lists.freed_by(self._segments.pending):
            await self._prepare(segment)
            for event in self.released():
                yield event
        if delta := self._settled():
            yield delta

    async def finish(self) -> AsyncIterator[Delta | Cited]:
        """Yield the rest, once every verdict is there or late."""
        for segment in self._segments.finish():
            await self._take(segment)
        for segment in self._lists.rest():
            await self._prepare(segment)
        for event in self.released():
            yield event
        while self._waiting or self._left:
            await self.news()
            for event in self.released():
                yield event

    async def news(self) -> None:
        """Wait until a verdict has come for something, or is late."""
        while not (pending := [s.verdicts for s in self._outstanding()]):
            self._has_news.clear()
            await self._has_news.wait()
        await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)

    def released(self) -> Iterator[Delta | Cited]:
        """What may leave by the verdicts that have come."""
        settled = [left for left in self._left if left.sentence.verdicts.done()]
        self._left = [left for left in self._left if left not in settled]
        for left in settled:
            yield from self._settle(left)
        while self._waiting and self._may_leave(self._waiting[0]):
            yield from self._leave(self._waiting.popleft())

    def closing(self, heading: str, date_of: DateText) -> Delta | None:
        """The source list of the numeric style; None in other styles or without citations."""
        numbers = sorted({citation.source for citation in self._found.citations})
        if self._style is not CitationStyle.NUMERIC or not numbers:
            return None
        lines = source_list([self._sources[n] for n in numbers], heading, date_of)
        return self._delta(f"\n\n{lines}")

    def appended(self, text: str) -> Delta:
        """Text of our own after the model's, for example a list of sources."""
        return self._delta(text)

    def _outstanding(self) -> list[_Sentence]:
        return [*self._waiting, *(left.sentence for left in self._left)]

    @staticmethod
    def _may_leave(sentence: _Sentence) -> bool:
        return not sentence.waits or sentence.verdicts.done()

    def _settled(self) -> Delta | None:
        """Text of the unfinished sentence that nothing to come can change."""
        pending = self._segments.pending
        if self._waiting or self._lists.holds:
            return None
        if self._segments.pending_is_code or self._door.is_alert or has_unspaced_script(pending):
            return None
        whole_words = pending[: max(pending.rfind(" "), pending.rfind("\t")) + 1]
        if pointing.may_point(whole_words):
            return None
        end = min(markup.settled_end(whole_words), quotes.settled_end(whole_words))
        end = pointing.settled_end(whole_words[:end])
        if self._sources:
            end = min(end, attributions.settled_end(whole_words[:end]))
        # A marker that we add may come to stand before what looks like the end by now.
        settled = whole_words[: min(end, statement_end(whole_words[:end]))].rstrip()
        if len(settled) <= len(self._early):
            return None
        delta = self._delta(settled[len(self._early) :])
        self._early = settled
        self._early_chars += len(delta.text)
        return delta

    def _delta(self, text: str) -> Delta:
        return self._sent_as(self._door.passed(text).text)

    def _sent_as(self, text: str) -> Delta:
        self._sent.append(text)
        self._sent_chars += len(text)
        return Delta(text)

    async def _take(self, segment: Segment) -> None:
        if not self._checks:
            await self._prepare(segment)
            return
        for free in self._lists.take(segment, has_begun=bool(self._early)):
            await self._prepare(free)

    async def _prepare(self, segment: Segment) -> None:
        """Check a sentence by form and likeness, and ask the judge about it."""
        early, self._early = self._early, ""
        if segment.kind is SegmentKind.CODE or not self._checks:
            done = self._judge.ask((), ())
            is_code = segment.kind is SegmentKind.CODE
            prepared = _Sentence(text=segment.text, is_code=is_code, verdicts=done, early=early)
        else:
            prepared = replace(await self._checked(segment.text), early=early)
        self._waiting.append(prepared)
        self._has_news.set()

    async def _checked(self, sentence: str) -> _Sentence:
        pieces = markup.parse(sentence, self._addresses)
        if self._sources:
            pieces = with_implied_markers(pieces, tuple(self._sources.values()))
            pieces = with_added_marker(pieces)
        claims = claims_of(pieces, tuple(self._sources.values()))
        if claims and not any(claim.text for claim in claims):
            claims = tuple(replace(claim, text=self._before_claim) for claim in claims)
        judged = await self._judge.judge([claim.text for claim in claims])
        pieces, claims, judged = self._without_what_is_none(pieces, claims, judged)
        waits = bool(claims) and (self._style in _MARKED or _names_somebody(pieces))
        verdicts = self._judge.ask(
            [(claim.text, claim.numbers) for claim in claims],
            judged,
            _LONGEST_WAIT_S if waits else None,
        )
        if claims:
            self._before_claim = claims[-1].text
        return _Sentence(
            text=sentence,
            pieces=pieces,
            claims=claims,
            judged=judged,
            verdicts=verdicts,
            waits=waits,
        )

    def _without_what_is_none(
        self,
        pieces: tuple[Piece, ...],
        claims: tuple[Claim, ...],
        judged: tuple[tuple[Judgement, ...], ...],
    ) -> tuple[tuple[Piece, ...], tuple[Claim, ...], tuple[tuple[Judgement, ...], ...]]:
        """Without brackets that are no citations, and without statements that are none."""
        kept = list(pieces)
        pairs = []
        for claim, row in zip(claims, judged, strict=True):
            if self._is_citation(claim, row):
                pairs.append((claim, row))
            else:
                kept[claim.marker] = Text(claim.written, literal=True)
        return tuple(kept), tuple(c for c, _ in pairs), tuple(row for _, row in pairs)

    def _is_citation(self, claim: Claim, row: Sequence[Judgement]) -> bool:
        """Whether an open mark is one, or an uncited sentence states something that is checked."""
        if claim.is_added:
            is_rated = any(one.is_rated and one.stands for one in row) or has_facts(claim.text)
            return is_rated and (has_facts(claim.text) or self._is_on_sources(claim, row))
        return not claim.written or self._is_on_sources(claim, row)

    def _is_on_sources(self, claim: Claim, row: Sequence[Judgement]) -> bool:
        return any(map(self._judge.is_close, row)) or self._judge.speaks_of_sources(claim.text)

    def _leave(self, sentence: _Sentence) -> Iterator[Delta | Cited]:
        """Send what is left of a sentence; its citations with it where they are known."""
        rest_begins, begun = self._sent_chars, self._sent_chars - self._early_chars
        self._early_chars = 0
        is_known = sentence.verdicts.done()
        bound = self._bound(sentence) if is_known else [()] * len(sentence.claims)
        pieces = self._named_rightly(sentence, bound)
        rendered = self._rendered(sentence, pieces, bound)
        # What left early stands; should a rule ever disagree with it, the rest is left out.
        text, early = rendered.text, sentence.early
        rest = text[len(early) :] if text.startswith(early) else ""
        passed = self._door.passed(rest, is_code=sentence.is_code)
        if passed.text:
            yield self._sent_as(passed.text)
        left = _Left(sentence, pieces, begun, rest_begins, passed, self._before)
        if _is_statement(text) and not sentence.is_code:
            self._before = left.span(text)
        if is_known:
            yield from self._cite(left, rendered, bound)
        else:
            self._left.append(left)
            self._has_news.set()

    def _settle(self, left: _Left) -> Iterator[Cited]:
        """Cite for a sentence that left before its verdicts came."""
        bound = self._bound(left.sentence)
        rendered = self._rendered(left.sentence, left.pieces, bound)
        yield from self._cite(left, rendered, bound)

    def _bound(self, sentence: _Sentence) -> list[tuple[Bound, ...]]:
        every = []
        for claim, row in zip(sentence.claims, sentence.judged, strict=True):
            bound, counts = bind(claim, row, self._judge)
            self._found.report = added_up(self._found.report, counts)
            every.append(bound)
        return every

    def _named_rightly(
        self, sentence: _Sentence, bound: Sequence[Sequence[Bound]]
    ) -> tuple[Piece, ...]:
        pieces = sentence.pieces
        if self._sources:
            cited_ones = [self._sources[b.source] for each in bound for b in each]
            everybody = tuple(self._sources.values())
            pieces = with_right_names(pieces, cited_ones, everybody, self._known)
        return tuple(_mended(piece) for piece in pieces)

    def _rendered(
        self, sentence: _Sentence, pieces: Sequence[Piece], bound: Sequence[Sequence[Bound]]
    ) -> Rendered:
        if not pieces:
            return Rendered(sentence.text)
        rendered = render(pieces, sentence.claims, bound, self._sources, self._style)
        may_stand = any(one.supported for row in sentence.judged for one in row)
        if sentence.claims and not may_stand and pointing.only_points(rendered.text):
            return Rendered("\n" if sentence.text.endswith("\n") else "")
        return rendered

    def _cite(
        self, left: _Left, rendered: Rendered, bound: Sequence[Sequence[Bound]]
    ) -> Iterator[Cited]:
        found = self._found
        if left.sentence.only_cites:
            citations = self._of_sentence_before(left, bound)
        else:
            citations = [
                replace(c, start=left.place(c.start), end=left.place(c.end))
                for c in rendered.citations
            ]
            self._count_uncited(left, rendered, bound)
        for citation in citations:
            if citation.start < citation.end <= self._sent_chars:
                found.citations.append(citation)
                yield Cited(citation)

    def _of_sentence_before(self, left: _Left, bound: Sequence[Sequence[Bound]]) -> list[Citation]:
        """Citations of a mark on its own, over the statement before it."""
        span = (left.before.start, left.before.end)
        known = {(c.source, c.end) for c in self._found.citations}
        return [
            cited(self._sources[b.source], b, span, added=False)
            for each in bound
            for b in each
            if (b.source, span[1]) not in known
        ]

    def _count_uncited(
        self, left: _Left, rendered: Rendered, bound: Sequence[Sequence[Bound]]
    ) -> None:
        """Count what left without a citation, and what of that no source confirms."""
        found, text = self._found, rendered.text
        if not _is_statement(text):
            return
        if not rendered.citations:
            found.report = replace(
                found.report, uncited_sentences=found.report.uncited_sentences + 1
            )
        is_lost = False
        for claim, row, each in zip(left.sentence.claims, left.sentence.judged, bound, strict=True):
            if each:
                continue
            is_lost = is_lost or not claim.is_added or not any(one.stands for one in row)
            if claim.is_added:
                found.unsupported.append(left.span(text))
        found.unconfirmed += is_lost


def _is_statement(text: str) -> bool:
    bare = text.strip()
    if bare.startswith("#"):
        return False
    if has_unspaced_script(bare):
        return len(bare) >= _MIN_SENTENCE_CHARS
    return len(bare.split()) >= _MIN_SENTENCE_WORDS


def _names_somebody(pieces: Sequence[Piece]) -> bool:
    return any(
        isinstance(piece, Text) and not piece.literal and attributions.find_attributions(piece.text)
        for piece in pieces
    )


def _mended(piece: Piece) -> Piece:
    """Text without long quotations and without brackets that were left empty."""
    if isinstance(piece, Marker) or piece.literal:
        return piece
    return Text(quotes.shortened(piece.text))
