"""Checks the sentences of an answer: what they claim, and how the sources stand to that.

Form and likeness are known at once; the verdicts of a language model come later.
"""

from collections.abc import Sequence
from dataclasses import replace

from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.request import CitationStyle
from pellucid_gateway.markdown.addresses import Addresses
from pellucid_gateway.verification import attributions, markup
from pellucid_gateway.verification.claim_extraction import (
    claims_of,
    with_added_marker,
    with_implied_markers,
)
from pellucid_gateway.verification.fact_matching import has_facts
from pellucid_gateway.verification.judgement import CheckedSentence, ClaimJudge, Judgement
from pellucid_gateway.verification.lead_ins import LeadIns
from pellucid_gateway.verification.pieces import Claim, Piece, Text

_LONGEST_WAIT_S = 0.9
"""For the verdict on a mark that stands in the text."""
_MARKED = frozenset({CitationStyle.NUMERIC, CitationStyle.MARKDOWN})


class SentenceChecker:
    """Checks the sentences of one answer, in order.

    Args:
        sources: What the model was shown.
        addresses: That the answer may hold.
        judge: Support of claims.
        style: How citations show.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        addresses: Addresses,
        *,
        judge: ClaimJudge,
        style: CitationStyle,
    ) -> None:
        self._sources = tuple(sources)
        self._addresses = addresses
        self._judge = judge
        self._style = style
        self._lead_ins = LeadIns()
        self._before_claim = ""

    def unchecked(self, text: str, *, is_code: bool) -> CheckedSentence:
        """A sentence that stays as it is."""
        return CheckedSentence(text=text, is_code=is_code, verdicts=self._judge.ask((), ()))

    async def checked(self, text: str) -> CheckedSentence:
        """Check a sentence by form and likeness, and ask the judge about it."""
        self._lead_ins.take(text)
        pieces = markup.parse(text, self._addresses)
        if self._sources:
            pieces = with_implied_markers(pieces, self._sources)
            pieces = pieces if self._lead_ins.is_head else with_added_marker(pieces)
        claims = self._claims_of(pieces)
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
        return CheckedSentence(
            text=text, pieces=pieces, claims=claims, judged=judged, verdicts=verdicts, waits=waits
        )

    def _claims_of(self, pieces: Sequence[Piece]) -> tuple[Claim, ...]:
        """The claims; marks on their own have that of the sentence before."""
        claims = claims_of(pieces, self._sources)
        if not any(claim.text for claim in claims):
            return tuple(replace(claim, text=self._before_claim) for claim in claims)
        return tuple(
            replace(claim, text=self._lead_ins.joined(claim.text)) if claim.is_added else claim
            for claim in claims
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


def _names_somebody(pieces: Sequence[Piece]) -> bool:
    return any(
        isinstance(piece, Text) and not piece.literal and attributions.find_attributions(piece.text)
        for piece in pieces
    )
