"""Builds the result and the evidence of a turn."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from pellucid_gateway.conflicts.notes import Conflict
from pellucid_gateway.conversation.evidence import Basis, evidence_record
from pellucid_gateway.domain.answer import Answer
from pellucid_gateway.domain.attachment import is_attachment
from pellucid_gateway.domain.decision import Decision
from pellucid_gateway.domain.events import AnswerKind, TurnResult, UrlFetched
from pellucid_gateway.domain.findings import PageContent, Source
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.retrieval.gathered import Gathered
from pellucid_gateway.turn_context.ledger import TurnLedger

# Placeholder until the ledger is added.
_NOT_FINISHED = datetime.min.replace(tzinfo=UTC)
_STAGES = ("decision", "search", "score", "fetch", "first_token", "generate", "total")


@dataclass(slots=True)
class Findings:
    """The sources, pages and notes that a turn answers from.

    Attributes:
        sketches: Fingerprints of the pages that the person named and that could be read, by
            address; empty for one behind a paywall.
        notes: Notes to the model on these pages.
        web_lost: No web provider answered; the results come from the local index.
    """

    sources: tuple[Source, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    gathered: Gathered = field(default_factory=Gathered)
    user_pages: list[PageContent] = field(default_factory=list)
    url_contents: list[UrlFetched] = field(default_factory=list)
    sketches: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    web_lost: bool = False


def build_result(
    turn_id: str, decision: Decision, found: Findings, answer: Answer, request: TurnRequest
) -> TurnResult:
    """The result without the ledger's data, which `with_ledger` adds at the very end."""
    cited = {citation.source for citation in answer.citations}
    return TurnResult(
        id=turn_id,
        conversation_id=request.conversation_id,
        answer=answer.text,
        answer_kind=answer.kind,
        model_label=_label(found, answer, request),
        decision=decision,
        finished_at=_NOT_FINISHED,
        sources=tuple(replace(source, cited=source.n in cited) for source in found.sources),
        citations=answer.citations,
        citation_report=answer.report,
        unsupported=answer.unsupported,
        url_contents=tuple(found.url_contents),
        sketches=dict(found.sketches),
        reads=found.gathered.reads,
        iterations=found.gathered.rounds,
        partial=answer.partial,
        finish_reason=answer.finish_reason,
        tool_calls=answer.tool_calls,
    )


def evidence_of(
    result: TurnResult, found: Findings, answer: Answer, request: TurnRequest, *, searched: bool
) -> Mapping[str, Any]:
    """The evidence of an answer, with the input of a replay.

    Args:
        result: The turn.
        found: Its sources, pages and notes.
        answer: As it was sent.
        request: The message, with its history and options.
        searched: The web was searched.
    """
    decision, gathered = result.decision, found.gathered
    basis = Basis(
        rated_by=gathered.rated_by,
        scored=gathered.scored,
        said=answer.said,
        shown=answer.shown,
        verdicts=answer.verdicts,
        style=request.citation_style,
        language=request.language or decision.language,
        searched=searched or bool(decision.urls or found.sources),
    )
    left_out = [hit for hit in gathered.scored if not hit.included]
    return evidence_record(
        result,
        question=decision.standalone_question,
        excluded=[*left_out, *gathered.avoided.values()],
        user_pages=found.user_pages,
        basis=basis,
    )


def with_ledger(
    result: TurnResult, ledger: TurnLedger, *, now: datetime, elapsed_s: float
) -> TurnResult:
    """The result with everything that the ledger noted up to now."""
    spent = ledger.timings_ms | {"total": round(elapsed_s * 1000)}
    return replace(
        result,
        finished_at=now,
        providers=ledger.providers,
        degraded=ledger.degraded,
        notices=ledger.notices,
        timings_ms={stage: spent.get(stage, 0) for stage in (*_STAGES, *spent)},
        usage=ledger.usage,
        speculation=ledger.speculation,
        outbound=ledger.outbound,
        searched=ledger.searched,
        entities=ledger.entities_in(result.sources),
    )


def _label(found: Findings, answer: Answer, request: TurnRequest) -> str:
    """For people, for example "Web + Memory + some-model"."""
    parts = [where] if (where := _where(found)) else []
    parts += ["Memory"] if request.memories and answer.model else []
    if answer.model:
        parts.append(answer.model)
    elif answer.kind is AnswerKind.EXTRACTIVE:
        parts.append("extractive")
    return " + ".join(parts)


def _where(found: Findings) -> str:
    """Where the sources are from; empty if the web failed and the local index had none."""
    if not found.web_lost:
        read = any(not is_attachment(source.url) for source in found.sources)
        return "Web" if read or found.gathered.rounds else ""
    if found.user_pages:
        return "Web"
    return "Local" if found.sources else ""
