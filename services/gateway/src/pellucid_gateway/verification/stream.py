"""Verifies the citations of an answer, sentence by sentence, while it streams.

Held back is only what could be wrong: from the first mark, link or named attribution to the end of
its sentence. Where marks stand in the text, what follows one waits for its verdict, shortly; else
the text flows on and its citations follow. However the model's text is cut into chunks, the answer
and, given the same verdicts, its spans and the report are the same.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from pellucid_gateway.domain.citation import Citation, CitationReport, Span
from pellucid_gateway.domain.events import Cited, Delta
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.request import CitationStyle
from pellucid_gateway.markdown.addresses import Addresses
from pellucid_gateway.markdown.door import Door
from pellucid_gateway.verification import attributions, markup, pointing, quotes
from pellucid_gateway.verification.answer_citations import (
    AnswerCitations,
    SentSentence,
    is_statement,
)
from pellucid_gateway.verification.citation_binding import bind, with_right_names
from pellucid_gateway.verification.claim_extraction import statement_end
from pellucid_gateway.verification.judgement import Bound, CheckedSentence, ClaimJudge
from pellucid_gateway.verification.pieces import Marker, Piece, Text
from pellucid_gateway.verification.rendering import Rendered, render, source_list
from pellucid_gateway.verification.sentence_checker import SentenceChecker
from pellucid_gateway.verification.source_lists import SourceLists
from pellucid_language.sentences import Segment, Segmenter, SegmentKind
from pellucid_language.terms import has_unspaced_script


class DateText(Protocol):
    """Writes a source's date for people."""

    def __call__(self, source: Source) -> str:
        """The day in the person's language; empty when unknown."""
        ...


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
        addresses = Addresses({source.n: source.url for source in sources}, own, answers)
        self._door = Door(addresses)
        self._checker = SentenceChecker(sources, addresses, judge=judge, style=style)
        self._found = AnswerCitations(self._sources)
        self._judge = judge
        self._style = style
        self._known = (question, *(f"{s.title} {s.facts}" for s in sources))
        self._segments = Segmenter()
        self._lists = SourceLists(sources)
        self._early = ""
        self._sent: list[str] = []
        self._sent_chars = 0
        self._early_chars = 0
        self._waiting: deque[CheckedSentence] = deque()
        self._left: list[SentSentence] = []
        self._has_news = asyncio.Event()
        self._before = Span(0, 0)

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
        return self._found.citations

    @property
    def unsupported(self) -> tuple[Span, ...]:
        """Statements that no source was found to say, by start."""
        return self._found.unsupported

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
        while self._waiting and self._waiting[0].may_leave:
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

    def _outstanding(self) -> list[CheckedSentence]:
        return [*self._waiting, *(left.sentence for left in self._left)]

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
        is_code = segment.kind is SegmentKind.CODE
        if is_code or not self._checks:
            prepared = self._checker.unchecked(segment.text, is_code=is_code)
        else:
            prepared = await self._checker.checked(segment.text)
        self._waiting.append(replace(prepared, early=early))
        self._has_news.set()

    def _leave(self, sentence: CheckedSentence) -> Iterator[Delta | Cited]:
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
        left = SentSentence(sentence, pieces, text, begun, rest_begins, passed.place, self._before)
        if is_statement(text) and not sentence.is_code:
            self._before = left.span
        if is_known:
            yield from self._found.cite(left, rendered.citations, bound, self._sent_chars)
        else:
            self._left.append(left)
            self._has_news.set()

    def _settle(self, left: SentSentence) -> Iterator[Cited]:
        """Cite for a sentence that left before its verdicts came."""
        bound = self._bound(left.sentence)
        rendered = self._rendered(left.sentence, left.pieces, bound)
        yield from self._found.cite(left, rendered.citations, bound, self._sent_chars)

    def _bound(self, sentence: CheckedSentence) -> list[tuple[Bound, ...]]:
        every = []
        for claim, row in zip(sentence.claims, sentence.judged, strict=True):
            bound, counts = bind(claim, row, self._judge)
            self._found.count(counts)
            every.append(bound)
        return every

    def _named_rightly(
        self, sentence: CheckedSentence, bound: Sequence[Sequence[Bound]]
    ) -> tuple[Piece, ...]:
        pieces = sentence.pieces
        if self._sources:
            cited_ones = [self._sources[b.source] for each in bound for b in each]
            everybody = tuple(self._sources.values())
            pieces = with_right_names(pieces, cited_ones, everybody, self._known)
        return tuple(_mended(piece) for piece in pieces)

    def _rendered(
        self, sentence: CheckedSentence, pieces: Sequence[Piece], bound: Sequence[Sequence[Bound]]
    ) -> Rendered:
        if not pieces:
            return Rendered(sentence.text)
        rendered = render(pieces, sentence.claims, bound, self._sources, self._style)
        may_stand = any(one.supported for row in sentence.judged for one in row)
        if sentence.claims and not may_stand and pointing.only_points(rendered.text):
            return Rendered("\n" if sentence.text.endswith("\n") else "")
        return rendered


def _mended(piece: Piece) -> Piece:
    """Text without long quotations and without brackets that were left empty."""
    if isinstance(piece, Marker) or piece.literal:
        return piece
    return Text(quotes.shortened(piece.text))
