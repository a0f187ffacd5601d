"""What is kept of a turn so that its answer can be examined later.

Content of pages that a person named is never kept, nor are excerpts of it: of those stay address,
title, hash and length. Prompts are kept as hash and length, since they repeat the rest.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pellucid_gateway.domain.account import OutboundText
from pellucid_gateway.domain.answer import Verdict
from pellucid_gateway.domain.citation import Citation
from pellucid_gateway.domain.events import AnswerKind, TurnResult
from pellucid_gateway.domain.findings import PageContent, ScoredHit, Source
from pellucid_gateway.domain.ports import ScoreCall
from pellucid_gateway.domain.request import CitationStyle
from pellucid_gateway.domain.shelf import jsonable

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What ranking and citations rest on, so that both can be done again.

    Attributes:
        rated_by: What the scorer was asked; None when it did not rate.
        scored: What came of it, best first.
        said: The model's text before its citations were checked; empty without a model.
        shown: Numbers of the sources that the model was shown.
        searched: The answer had something to cite.
        verdicts: Of a small model on open claims: nobody is asked again.
    """

    rated_by: ScoreCall | None
    scored: Sequence[ScoredHit]
    said: str
    shown: tuple[int, ...]
    style: CitationStyle
    language: str
    searched: bool
    verdicts: tuple[Verdict, ...] = ()


def evidence_record(
    result: TurnResult,
    *,
    question: str,
    excluded: Sequence[ScoredHit],
    user_pages: Sequence[PageContent],
    basis: Basis | None = None,
) -> dict[str, Any]:
    """A JSON-like record of a turn.

    Args:
        result: The turn.
        question: The standalone question.
        excluded: What was found and not used, with the reason.
        user_pages: Pages that the person named.
        basis: What a replay needs; None: it cannot be replayed.
    """
    own = {source.n for source in result.sources if source.user_supplied}
    record: dict[str, Any] = jsonable(replace(result, sketches={}))
    del record["sketches"]
    record["schema"] = SCHEMA_VERSION
    record["question"] = question
    record["sources"] = [_kept_source(source) for source in result.sources]
    record["citations"] = [_kept_citation(citation, own) for citation in result.citations]
    if own and result.answer_kind is AnswerKind.EXTRACTIVE:
        # Excerpts of a person's page are its content.
        record["answer"] = ""
    record["outbound"] = [_kept_outbound(text) for text in result.outbound]
    record["excluded"] = [_kept_hit(hit) for hit in excluded]
    record["user_pages"] = [_kept_page(page) for page in user_pages]
    record["basis"] = None if basis is None else _kept_basis(basis, own)
    return record


def _kept_basis(basis: Basis, own: set[int]) -> dict[str, Any]:
    """Hits without page text, in the order rated; what the model said unless of a person's page."""
    call = basis.rated_by
    bare = call and replace(call, hits=tuple(replace(hit, page_text="") for hit in call.hits))
    order = [_kept_order(item) for item in basis.scored]
    said = "" if own else basis.said
    verdicts = tuple(v for v in basis.verdicts if own.isdisjoint(v.sources))
    kept: dict[str, Any] = jsonable(
        replace(basis, rated_by=bare, scored=(), said=said, verdicts=verdicts)
    )
    return {**kept, "scored": order}


def _kept_order(scored: ScoredHit) -> dict[str, Any]:
    return {
        "url": scored.hit.url,
        "relevance": scored.relevance,
        "included": scored.included,
        "rated_with": scored.rated_with,
        "exclusion": scored.exclusion,
    }


def _kept_source(source: Source) -> dict[str, Any]:
    kept: dict[str, Any] = jsonable(source)
    del kept["text"]
    if source.user_supplied:
        kept.update(snippet="", facts="", content="content_not_kept")
    return kept


def _kept_citation(citation: Citation, own: set[int]) -> dict[str, Any]:
    kept: dict[str, Any] = jsonable(citation)
    if citation.source in own:
        kept["cited_text"] = ""
    return kept


def _kept_outbound(text: OutboundText) -> dict[str, Any]:
    kept: dict[str, Any] = jsonable(text)
    if text.kind in {"prompt", "embedding"}:
        kept["text"] = ""
        kept.update(_digest(text.text))
    return kept


def _kept_hit(scored: ScoredHit) -> dict[str, Any]:
    return {
        "url": scored.hit.url,
        "title": scored.hit.title,
        "relevance": scored.relevance,
        "exclusion": scored.exclusion,
        "warnings": list(scored.hit.warnings),
    }


def _kept_page(page: PageContent) -> dict[str, Any]:
    return {
        "url": page.url,
        "title": page.title,
        "status": page.status,
        "content": "content_not_kept",
        **_digest(page.text),
    }


def _digest(text: str) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(text.encode()).hexdigest(), "length": len(text)}
