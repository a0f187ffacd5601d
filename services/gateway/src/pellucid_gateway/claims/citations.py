"""Verifies the citations of an answer, sentence by sentence, while it streams.

Held back is only what could be wrong: from the first marker, link or named attribution to the end
of its sentence. Whatever way the model's text is cut into chunks, the answer, its spans and the
report are the same.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Protocol

from pellucid_gateway.claims import attributions, markup, pointing, quotes
from pellucid_gateway.claims.claims import Bound, Claim, claims_of, with_implied_markers
from pellucid_gateway.claims.judgement import Judgement
from pellucid_gateway.claims.pieces import Marker, Piece, Text
from pellucid_gateway.claims.rendering import Rendered, render, source_list
from pellucid_gateway.markdown.addresses import Addresses
from pellucid_gateway.markdown.door import Door
from pellucid_gateway.vocabulary.events import Citation, CitationReport, Cited, Delta
from pellucid_gateway.vocabulary.findings import Source
from pellucid_gateway.vocabulary.request import CitationStyle
from pellucid_language.sentences import Segmenter, SegmentKind
from pellucid_language.terms import has_unspaced_script

_MIN_SENTENCE_WORDS = 3
_MIN_SENTENCE_CHARS = 6


class Judge(Protocol):
    """Tells which sources support which claims."""

    async def judge(
        self, claims: Sequence[str], cited: Sequence[Sequence[int]] = ()
    ) -> tuple[tuple[Judgement, ...], ...]:
        """Judge each claim against each source, both in order; `cited` is what each one names."""
        ...

    def judge_together(self, claim: str, numbers: Sequence[int]) -> tuple[Judgement, ...]:
        """Judge a claim of which each of several sources may have a part."""
        ...

    def is_said(self, sentence: str) -> bool:
        """Whether some source has the figures, dates and names of an uncited sentence."""
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
        judge: Judge,
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
        self._early = ""
        self._early_chars = 0
        self._sent: list[str] = []
        self._sent_chars = 0
        self._citations: list[Citation] = []
        self._report = CitationReport()
        self._unconfirmed = 0

    @property
    def unconfirmed(self) -> int:
        """Sentences sent whose claim or figures no source was found to support."""
        return self._unconfirmed

    @property
    def answer(self) -> str:
        """What was sent so far; at the end the whole answer."""
        return "".join(self._sent)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Checked citations by start, then source."""
        return tuple(sorted(self._citations, key=lambda c: (c.start, c.source)))

    @property
    def report(self) -> CitationReport:
        """What was done so far."""
        return self._report

    async def feed(self, text: str) -> AsyncIterator[Delta | Cited]:
        """Take more of the model's text; yield what may leave."""
        for segment in self._segments.feed(text):
            async for event in self._complete(segment.kind, segment.text):
                yield event
        if delta := self._settled():
            yield delta

    async def finish(self) -> AsyncIterator[Delta | Cited]:
        """Yield the rest, and the source list where the style has one."""
        for segment in self._segments.finish():
            async for event in self._complete(segment.kind, segment.text):
                yield event

    def closing(self, heading: str, date_of: "DateText") -> Delta | None:
        """The source list of the numeric style; None in other styles or without citations."""
        cited = sorted({citation.source for citation in self._citations})
        if self._style is not CitationStyle.NUMERIC or not cited:
            return None
        lines = source_list([self._sources[n] for n in cited], heading, date_of)
        return self._delta(f"\n\n{lines}")

    def appended(self, text: str) -> Delta:
        """Text of our own after the model's, for example a list of sources."""
        return self._delta(text)

    def _settled(self) -> Delta | None:
        """Text of the unfinished sentence that nothing to come can change."""
        pending = self._segments.pending
        if self._segments.pending_is_code or self._door.is_alert or has_unspaced_script(pending):
            return None
        whole_words = pending[: max(pending.rfind(" "), pending.rfind("\t")) + 1]
        if pointing.may_point(whole_words):
            return None
        end = min(markup.settled_end(whole_words), quotes.settled_end(whole_words))
        end = pointing.settled_end(whole_words[:end])
        if self._sources:
            end = min(end, attributions.settled_end(whole_words[:end]))
        settled = whole_words[:end].rstrip()
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

    async def _complete(self, kind: SegmentKind, text: str) -> AsyncIterator[Delta | Cited]:
        early, self._early = self._early, ""
        rest_begins, begun = self._sent_chars, self._sent_chars - self._early_chars
        self._early_chars = 0
        if kind is SegmentKind.CODE or not self._checks:
            rendered = Rendered(text, ())
        else:
            rendered = await self._checked(text)
        # What left early stands; should a rule ever disagree with it, the rest is left out.
        rest = rendered.text[len(early) :] if rendered.text.startswith(early) else ""
        passed = self._door.passed(rest, is_code=kind is SegmentKind.CODE)
        if passed.text:
            yield self._sent_as(passed.text)

        def place(offset: int) -> int:
            behind = offset - len(early)
            return rest_begins + passed.place(behind) if behind > 0 else begun + offset

        for citation in rendered.citations:
            moved = replace(citation, start=place(citation.start), end=place(citation.end))
            if moved.start < moved.end <= self._sent_chars:
                self._citations.append(moved)
                yield Cited(moved)

    async def _checked(self, sentence: str) -> Rendered:
        pieces = markup.parse(sentence, self._addresses)
        if self._sources:
            pieces = with_implied_markers(pieces, tuple(self._sources.values()))
        claims = claims_of(pieces, tuple(self._sources.values()))
        judged = await self._judge.judge(
            [claim.text for claim in claims], [claim.numbers for claim in claims]
        )
        bound = tuple(self._bind(claim, j) for claim, j in zip(claims, judged, strict=True))
        if self._sources:
            pieces = self._with_right_names(pieces, bound)
        pieces = tuple(_mended(piece) for piece in pieces)
        rendered = render(pieces, claims, bound, self._sources, self._style)
        if claims and not rendered.citations and pointing.only_points(rendered.text):
            return Rendered("\n" if sentence.endswith("\n") else "", ())
        self._count_uncited(rendered, claims, bound)
        return rendered

    def _bind(self, claim: Claim, judged: Sequence[Judgement]) -> tuple[Bound, ...]:
        """Bind a claim's numbers to sources that support it: as written, else the best other."""
        by_source = {judgement.source: judgement for judgement in judged if judgement.supported}
        if not by_source.keys() & set(claim.numbers):
            together = self._judge.judge_together(claim.text, claim.numbers)
            by_source |= {judgement.source: judgement for judgement in together}
        bound: dict[int, Bound] = {}
        for n in claim.numbers:
            own = by_source.get(n)
            taken = {*bound, *claim.numbers}
            best = own or max(
                (j for j in by_source.values() if j.source not in taken),
                key=lambda j: (j.score, -j.source),
                default=None,
            )
            self._count(kept=bool(own), rebound=bool(best and not own))
            if best:
                bound[best.source] = Bound(best.source, best.score, best.passage)
        return tuple(bound.values())

    def _count(self, *, kept: bool, rebound: bool) -> None:
        self._report = replace(
            self._report,
            checked=self._report.checked + 1,
            kept=self._report.kept + kept,
            rebound=self._report.rebound + rebound,
            dropped=self._report.dropped + (not kept and not rebound),
        )

    def _count_uncited(
        self, rendered: Rendered, claims: Sequence[Claim], bound: Sequence[Sequence[Bound]]
    ) -> None:
        """Count what left without a citation, and what of that no source confirms."""
        text = rendered.text.strip()
        lost = any(not each for each in bound)
        if text.startswith("#") or not _is_sentence(text):
            return
        if not rendered.citations:
            uncited = self._report.uncited_sentences + 1
            self._report = replace(self._report, uncited_sentences=uncited)
        if lost or (self._sources and not claims and not self._judge.is_said(text)):
            self._unconfirmed += 1

    def _with_right_names(
        self, pieces: tuple[Piece, ...], bound: Sequence[Sequence[Bound]]
    ) -> tuple[Piece, ...]:
        """Pieces, as many as before, with right names only."""
        cited = [self._sources[b.source] for each in bound for b in each]
        changed: list[Piece] = []
        ended = False
        for piece in pieces:
            if isinstance(piece, Marker):
                changed.append(piece)
            elif ended:
                changed.append(Text(""))
            elif piece.literal:
                changed.append(piece)
            else:
                fixed, ended = self._rename(piece.text, cited)
                changed.append(Text(fixed))
        return tuple(changed)

    def _rename(self, text: str, cited: Sequence[Source]) -> tuple[str, bool]:
        """Text with right names only; True when the sentence had to end there."""
        for attribution in reversed(attributions.find_attributions(text)):
            if self._is_right(attribution, cited):
                continue
            if cited:
                text = attributions.renamed(text, attribution, cited[0].publisher)
            else:
                text = attributions.without(text, attribution)
                if not attribution.removable:
                    return text, True
        return text, False

    def _is_right(self, attribution: attributions.Attribution, cited: Sequence[Source]) -> bool:
        if attribution.vague:
            return False
        if any(attributions.names_publisher(attribution.name, s) for s in cited):
            return True
        everybody = self._sources.values()
        if any(attributions.names_publisher(attribution.name, s) for s in everybody):
            return False
        return attributions.is_content(attribution.name, self._known)


def _is_sentence(text: str) -> bool:
    if has_unspaced_script(text):
        return len(text) >= _MIN_SENTENCE_CHARS
    return len(text.split()) >= _MIN_SENTENCE_WORDS


def _mended(piece: Piece) -> Piece:
    """Text without long quotations and without brackets that were left empty."""
    if isinstance(piece, Marker) or piece.literal:
        return piece
    return Text(quotes.shortened(piece.text))


class DateText(Protocol):
    """Writes a source's date for people."""

    def __call__(self, source: Source) -> str:
        """The day in the person's language; empty when unknown."""
        ...
