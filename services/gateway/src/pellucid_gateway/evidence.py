"""What is kept of a turn so that its answer can be examined later.

Content of pages that a person named is never kept, nor are excerpts of it: of those stay address,
title, hash and length. Prompts are kept as hash and length, since they repeat the rest.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any

from pellucid_gateway.findings import PageContent, ScoredHit, Source
from pellucid_gateway.turn import AnswerKind, Citation, OutboundText, TurnResult

SCHEMA_VERSION = 1


def evidence_record(
    result: TurnResult,
    *,
    question: str,
    excluded: Sequence[ScoredHit],
    user_pages: Sequence[PageContent],
) -> dict[str, Any]:
    """A JSON-like record of a turn.

    Args:
        result: The turn.
        question: The standalone question.
        excluded: What was found and not used, with the reason.
        user_pages: Pages that the person named.
    """
    own = {source.n for source in result.sources if source.user_supplied}
    record: dict[str, Any] = jsonable(result)
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
    return record


def jsonable(value: object) -> Any:
    """Records as mappings, instants as ISO text; numbers, text and enums stay."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: jsonable(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [jsonable(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return value


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
    if text.kind == "prompt":
        kept["text"] = ""
        kept.update(_digest(text.text))
    return kept


def _kept_hit(scored: ScoredHit) -> dict[str, Any]:
    return {
        "url": scored.hit.url,
        "title": scored.hit.title,
        "relevance": scored.relevance,
        "exclusion": scored.exclusion,
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
