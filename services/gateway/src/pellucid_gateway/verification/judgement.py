"""How sources stand to the claims of a sentence, and what a judge is asked about them."""

from asyncio import Future
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pellucid_gateway.domain.citation import Citation, CitationCheck
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.verification.pieces import Claim, Piece, Text

MIN_SUPPORT = 0.5
"""Even odds of the scorer's verifier."""
LONGEST_DOUBT_CHARS = 1_000
"""Of a claim that is asked about; its verdict is kept with the answer's evidence."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """How one source stands to one claim.

    Attributes:
        stands: The source has the figures, dates and names of the claim, or may have: no judge is
            asked about what does not stand.
        score: Likeness of the wording, 0 to 1; little is left of it where a fact is missing.
        is_alike: Form and likeness together are enough where nobody judges.
        passage: Verbatim from the source's facts; empty where nothing stands.
        verdict: What a judge said of it; None: nobody did, or not in time.
        is_rated: The scorer rated the wording; else only words were compared.
        is_near: The wording itself is alike, which a source in another language need not be to keep
            a citation, and every figure stands there; without a judge a citation is moved to a
            source, or added, only if it is.
    """

    source: int
    stands: bool
    score: float
    is_alike: bool = False
    passage: str = ""
    verdict: bool | None = None
    is_rated: bool = True
    is_near: bool = True

    @property
    def takes_over(self) -> bool:
        """Whether a citation that leads elsewhere, or nowhere, may lead here instead."""
        return self.supported and (self.is_near or bool(self.verdict))

    @property
    def supported(self) -> bool:
        """Whether the claim may cite this source."""
        return self.stands and (self.is_alike if self.verdict is None else self.verdict)

    @property
    def check(self) -> CitationCheck:
        """How it was found to be supported."""
        if self.verdict:
            return CitationCheck.SUPPORTED
        return CitationCheck.MATCHED if self.is_rated else CitationCheck.UNCHECKED


@dataclass(frozen=True, slots=True)
class Doubt:
    """A claim, and the words that may support it.

    Attributes:
        sources: Numbers of the sources that the words are from.
    """

    claim: str
    passage: str
    sources: tuple[int, ...] = ()


class SecondOpinion(Protocol):
    """Says whether passages support claims."""

    async def on(self, doubts: Sequence[Doubt]) -> tuple[bool, ...] | None:
        """Return a verdict for each pair, in order; None when there is none in time."""
        ...


@dataclass(frozen=True, slots=True)
class Bound:
    """A source that supports a claim, with the supporting passage."""

    source: int
    support: float
    passage: str
    check: CitationCheck

    @classmethod
    def by(cls, judgement: Judgement) -> "Bound":
        """What a judgement of support binds to."""
        # A judge's word counts for more than the wording.
        least = 0.5 if judgement.verdict else 0.0
        score = max(judgement.score, least)
        return cls(judgement.source, score, judgement.passage, judgement.check)

    def citation(self, source: Source, span: tuple[int, int], *, added: bool) -> Citation:
        """The citation of the source over a span of the answer."""
        return Citation(
            start=span[0],
            end=span[1],
            source=source.n,
            url=source.url,
            title=source.title,
            cited_text=self.passage,
            support=self.support,
            check=self.check,
            added=added,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSentence:
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
    verdicts: "Future[None]"
    waits: bool = False
    early: str = ""

    @property
    def only_cites(self) -> bool:
        """Whether it is a mark on its own, which belongs to the sentence before."""
        texts = (piece.text.strip() for piece in self.pieces if isinstance(piece, Text))
        return bool(self.claims) and not any(texts)

    @property
    def may_leave(self) -> bool:
        """Whether nothing that its text depends on is still to come."""
        return not self.waits or self.verdicts.done()


class ClaimJudge(Protocol):
    """Judges the claims of one answer; `judge.SupportJudge` says how."""

    async def judge(self, claims: Sequence[str]) -> tuple[tuple[Judgement, ...], ...]:
        """Judge each claim of a sentence against each source, both in order."""
        ...

    def ask(
        self,
        claims: Sequence[tuple[str, Sequence[int]]],
        judged: Sequence[Sequence[Judgement]],
        at_most_s: float | None = None,
    ) -> "Future[None]":
        """Ask a language model about claims; done when nothing more will come."""
        ...

    def decided(self, claim: str, row: Sequence[Judgement]) -> tuple[Judgement, ...]:
        """Return the judgements of a claim with the verdicts that came."""
        ...

    def decided_together(
        self, claim: str, numbers: Sequence[int], row: Sequence[Judgement]
    ) -> tuple[Judgement, ...]:
        """Judge a claim of which each of several sources may have a part."""
        ...

    def speaks_of_sources(self, claim: str) -> bool:
        """Whether a claim has at least half its words, and two, from some source."""
        ...

    def is_close(self, judgement: Judgement) -> bool:
        """Whether a citation may be added of our own accord."""
        ...
