"""Repeats an answer's ranking and citation checks from the evidence, and compares.

Nothing is searched, fetched or asked of a model: only the scorer rates again what is kept. What
rests on a page that a person named cannot be done again, because its content is never kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pellucid_gateway.domain.answer import Verdict
from pellucid_gateway.domain.events import TurnEvent
from pellucid_gateway.domain.findings import Hit, PublishedDate, Source
from pellucid_gateway.domain.notices import wording_for
from pellucid_gateway.domain.ports import ScoreCall, ScorerPort
from pellucid_gateway.domain.request import CitationStyle, ScoringOptions, SubjectContext
from pellucid_gateway.turn_context.budgets import StageBudgets, TurnBudget
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_gateway.verification.judge import SupportJudge
from pellucid_gateway.verification.stream import CitationVerifier
from pellucid_runtime.clock import Clock
from pellucid_runtime.errors import DependencyDownError

# Scores are kept as they were; the same texts on another CPU differ by less than this.
_SCORE_TOLERANCE = 0.005
_TIME_S = 10.0

Record = Mapping[str, Any]


async def replay(record: Record, scorer: ScorerPort, clock: Clock) -> dict[str, Any]:
    """Compare a record with what it gives today.

    Args:
        record: Evidence as kept.
        scorer: Rates and judges.
        clock: Bounds the time.

    Returns:
        `ranking` and `citations`, each with `status` (same, different, content_not_kept, none) and
        details.

    Raises:
        DependencyDownError: The scorer is down.
    """
    basis = record.get("basis")
    if not basis:
        nothing = {"status": "none", "reason": "the record keeps no basis"}
        return {"id": record.get("id", ""), "ranking": nothing, "citations": nothing}
    return {
        "id": record["id"],
        "ranking": await _ranking(basis, scorer),
        "citations": await _citations(record, basis, scorer, clock),
    }


async def _ranking(basis: Record, scorer: ScorerPort) -> dict[str, Any]:
    if basis["rated_by"] is None:
        return {"status": "none", "reason": "nothing was rated"}
    rated = await scorer.score(_score_call(basis["rated_by"]))
    then = [_place(kept) for kept in basis["scored"]]
    now = [(item.hit.url, item.included, item.exclusion, item.relevance or 0.0) for item in rated]
    order_same = [place[:3] for place in then] == [place[:3] for place in now]
    largest = (
        max((abs(a[3] - b[3]) for a, b in zip(then, now, strict=False)), default=0.0)
        if order_same
        else None
    )
    same = order_same and largest is not None and largest <= _SCORE_TOLERANCE
    with_then = basis["scored"][0].get("rated_with", "") if basis["scored"] else ""
    with_now = rated[0].rated_with if rated else ""
    if not same and with_then and with_then != with_now:
        reason = f"rated with {with_then} then, with {with_now} now"
        return {"status": "none", "reason": reason}
    return {
        "status": "same" if same else "different",
        "results": len(then),
        "largest_score_difference": largest,
        "then": [place[0] for place in then if place[1]],
        "now": [place[0] for place in now if place[1]],
    }


def _place(kept: Record) -> tuple[str, bool, str, float]:
    return kept["url"], kept["included"], kept["exclusion"], kept["relevance"] or 0.0


def _score_call(kept: Record) -> ScoreCall:
    """The request to the scorer as it was, with the time of the turn."""
    scoring, subject = kept["scoring"], kept["subject"]
    weights = scoring["weights"]
    return ScoreCall(
        question=kept["question"],
        hits=tuple(map(_hit, kept["hits"])),
        now=datetime.fromisoformat(kept["now"]),
        max_results=kept["max_results"],
        max_per_domain=kept["max_per_domain"],
        scoring=ScoringOptions(
            profile=scoring["profile"],
            weights=tuple(weights) if weights else None,
            threshold=scoring["threshold"],
        ),
        subject=_subject(subject) if subject else None,
        time_sensitive=kept["time_sensitive"],
        real_time=kept["real_time"],
        # Records of the release before have none.
        further_questions=tuple(kept.get("further_questions", ())),
    )


def _hit(kept: Record) -> Hit:
    lists = ("alternate_urls", "providers", "warnings")
    plain = {**kept, **{name: tuple(kept[name]) for name in lists}}
    return Hit(**{**plain, "published": _published(kept["published"])})


def _published(kept: Record | None) -> PublishedDate | None:
    if kept is None:
        return None
    return PublishedDate(datetime.fromisoformat(kept["time"]), kept["source"], kept["confidence"])


def _subject(kept: Record) -> SubjectContext:
    at = kept["published_at"]
    lists = {name: tuple(kept[name]) for name in ("speakers", "organizations")}
    published = datetime.fromisoformat(at) if at else None
    return SubjectContext(**{**kept, **lists, "published_at": published})


async def _citations(
    record: Record, basis: Record, scorer: ScorerPort, clock: Clock
) -> dict[str, Any]:
    kept = record["citations"]
    if not kept:
        return {"status": "none", "reason": "the answer cites nothing"}
    sources = [_source(source, kept) for source in record["sources"]]
    own = [source.n for source in sources if source.user_supplied]
    context = _context(clock)
    if basis["said"]:
        same = await _verified_again(record, basis, sources, scorer, context)
        details = [_told(citation, "same" if same else "different") for citation in kept]
    else:
        details = await _judged_again(record, basis, sources, scorer, context)
    if context.ledger.lost("scorer"):
        raise DependencyDownError("scorer")
    statuses = {detail["status"] for detail in details}
    different = "different" in statuses
    return {
        "status": "different"
        if different
        else "same"
        if "same" in statuses
        else "content_not_kept",
        "checked": len(details),
        "content_not_kept": own,
        "citations": details,
    }


async def _verified_again(
    record: Record,
    basis: Record,
    sources: Sequence[Source],
    scorer: ScorerPort,
    context: TurnContext,
) -> bool:
    """Put the model's text through the verifier again: answer, spans and sources must agree."""
    shown = [source for source in sources if source.n in basis["shown"]]
    verifier = CitationVerifier(
        shown,
        judge=_judge(shown, record, basis, scorer, context),
        style=CitationStyle(basis["style"]),
        question=record["question"],
        # The person's messages are not kept; what left then may leave.
        own=[record["answer"]],
        checks=bool(shown) or basis["searched"],
    )
    async for _ in verifier.feed(basis["said"]):
        pass
    async for _ in verifier.finish():
        pass
    now = [(c.start, c.end, c.source, c.cited_text) for c in verifier.citations]
    then = [(c["start"], c["end"], c["source"], c["cited_text"]) for c in record["citations"]]
    return now == then and record["answer"].startswith(verifier.answer)


async def _judged_again(
    record: Record,
    basis: Record,
    sources: Sequence[Source],
    scorer: ScorerPort,
    context: TurnContext,
) -> list[dict[str, Any]]:
    """Judge each claim against its source again; claims on a person's page cannot be."""
    judge = _judge(sources, record, basis, scorer, context)
    own = {source.n for source in sources if source.user_supplied}
    details = []
    for citation in record["citations"]:
        if citation["source"] in own:
            details.append(_told(citation, "content_not_kept"))
            continue
        claim = record["answer"][citation["start"] : citation["end"]]
        (judged,) = await judge.judge([claim])
        holds = any(j.source == citation["source"] and j.supported for j in judged)
        details.append(_told(citation, "same" if holds else "different"))
    return details


def _told(citation: Record, status: str) -> dict[str, Any]:
    return {"source": citation["source"], "start": citation["start"], "status": status}


def _judge(
    sources: Sequence[Source],
    record: Record,
    basis: Record,
    scorer: ScorerPort,
    context: TurnContext,
) -> SupportJudge:
    return SupportJudge(
        sources,
        scorer=scorer,
        context=context,
        question=record["question"],
        language=basis["language"],
        verdicts=_verdicts(basis),
    )


def _verdicts(basis: Record) -> tuple[Verdict, ...]:
    """What a small model said then; records of the release before have none."""
    return tuple(
        Verdict(kept["claim"], tuple(kept["sources"]), kept["supported"])
        for kept in basis.get("verdicts", ())
    )


def _source(kept: Record, citations: Sequence[Record]) -> Source:
    """A kept source; without a model, what was quoted of it joins its facts."""
    quoted = [c["cited_text"] for c in citations if c["source"] == kept["n"]]
    missing = [text for text in dict.fromkeys(quoted) if text not in kept["facts"]]
    source = Source(
        n=kept["n"],
        url=kept["url"],
        title=kept["title"],
        domain=kept["domain"],
        facts="\n".join((kept["facts"], *missing)).strip(),
        published=_published(kept["published"]),
        language=kept["language"],
        publisher=kept["publisher"],
    )
    return replace(source, user_supplied=kept["user_supplied"])


def _context(clock: Clock) -> TurnContext:
    async def ignore(event: TurnEvent) -> None:
        del event

    return TurnContext(
        clock=clock,
        budgets=StageBudgets(),
        budget=TurnBudget(clock, _TIME_S),
        ledger=TurnLedger(clock, wording_for("en")),
        send=ignore,
    )
