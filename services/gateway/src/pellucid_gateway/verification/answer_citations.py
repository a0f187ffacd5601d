"""Where the citations of an answer stand, and the report of what was checked."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pellucid_gateway.domain.citation import Citation, CitationReport, Span
from pellucid_gateway.domain.events import Cited
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.verification.claim_extraction import trimmed
from pellucid_gateway.verification.judgement import Bound, CheckedSentence
from pellucid_gateway.verification.pieces import Piece
from pellucid_language.terms import has_unspaced_script

_MIN_SENTENCE_WORDS = 3
_MIN_SENTENCE_CHARS = 6
_ENDING = " .!?…。！？"


@dataclass(frozen=True, slots=True)
class SentSentence:
    """A sentence that has left, and where in the answer it stands.

    Attributes:
        text: As rendered.
        begun: Where it begins.
        rest_begins: Where what had not left early begins.
        place_in_rest: Where an offset in that rest was sent to, counted from its start.
        before: Span of the statement before it.
    """

    sentence: CheckedSentence
    pieces: tuple[Piece, ...]
    text: str
    begun: int
    rest_begins: int
    place_in_rest: Callable[[int], int]
    before: Span

    def place(self, offset: int) -> int:
        """Where an offset in the rendered sentence stands in the answer."""
        behind = offset - len(self.sentence.early)
        return self.rest_begins + self.place_in_rest(behind) if behind > 0 else self.begun + offset

    @property
    def span(self) -> Span:
        """Where its statement stands, without what ends it."""
        start, end = trimmed(self.text, 0, len(self.text))
        return Span(self.place(start), self.place(len(self.text[:end].rstrip(_ENDING))))


class AnswerCitations:
    """What the verification of one answer found so far.

    Args:
        sources: By number.
    """

    def __init__(self, sources: Mapping[int, Source]) -> None:
        self._sources = sources
        self._citations: list[Citation] = []
        self._unsupported: list[Span] = []
        self.report = CitationReport()
        self.unconfirmed = 0

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Checked citations by start, then source."""
        return tuple(sorted(self._citations, key=lambda c: (c.start, c.source)))

    @property
    def unsupported(self) -> tuple[Span, ...]:
        """Statements that no source was found to say, by start."""
        ends = {citation.end for citation in self._citations}
        spans = (span for span in self._unsupported if span.end not in ends)
        return tuple(sorted(spans, key=lambda span: span.start))

    def count(self, counts: CitationReport) -> None:
        """Add what the binding of a claim counted."""
        self.report = added_up(self.report, counts)

    def cite(
        self,
        sent: SentSentence,
        citations: Sequence[Citation],
        bound: Sequence[Sequence[Bound]],
        end: int,
    ) -> Iterator[Cited]:
        """Cite for a sentence that has left.

        Args:
            sent: The sentence.
            citations: Its own, with offsets from its start.
            bound: What each of its claims is bound to.
            end: Length of the answer so far.
        """
        if sent.sentence.only_cites:
            placed = self._of_sentence_before(sent, bound)
        else:
            placed = [
                replace(c, start=sent.place(c.start), end=sent.place(c.end)) for c in citations
            ]
            self._count_uncited(sent, bound, is_cited=bool(citations))
        for citation in placed:
            if citation.start < citation.end <= end:
                self._citations.append(citation)
                yield Cited(citation)

    def _of_sentence_before(
        self, sent: SentSentence, bound: Sequence[Sequence[Bound]]
    ) -> list[Citation]:
        """Citations of a mark on its own, over the statement before it."""
        span = (sent.before.start, sent.before.end)
        known = {(c.source, c.end) for c in self._citations}
        return [
            b.citation(self._sources[b.source], span, added=False)
            for each in bound
            for b in each
            if (b.source, span[1]) not in known
        ]

    def _count_uncited(
        self, sent: SentSentence, bound: Sequence[Sequence[Bound]], *, is_cited: bool
    ) -> None:
        """Count what left without a citation, and what of that no source confirms."""
        if not is_statement(sent.text):
            return
        if not is_cited:
            self.count(CitationReport(uncited_sentences=1))
        is_lost = False
        for claim, row, each in zip(sent.sentence.claims, sent.sentence.judged, bound, strict=True):
            if each:
                continue
            is_lost = is_lost or not claim.is_added or not any(one.stands for one in row)
            if claim.is_added:
                self._unsupported.append(sent.span)
        self.unconfirmed += is_lost


def added_up(one: CitationReport, other: CitationReport) -> CitationReport:
    """Both reports as one."""
    fields = CitationReport.__dataclass_fields__
    return CitationReport(**{name: getattr(one, name) + getattr(other, name) for name in fields})


def is_statement(text: str) -> bool:
    """Whether a text is long enough to state something, and no heading."""
    bare = text.strip()
    if bare.startswith("#"):
        return False
    if has_unspaced_script(bare):
        return len(bare) >= _MIN_SENTENCE_CHARS
    words = [word for word in bare.split() if any(map(str.isalnum, word))]
    return len(words) >= _MIN_SENTENCE_WORDS
