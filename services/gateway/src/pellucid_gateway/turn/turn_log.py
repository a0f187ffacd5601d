"""One log line for each decision and each turn, without any user text.

The user is a pseudonym that changes every day.
"""

import hashlib
from collections.abc import Iterable
from datetime import datetime

import structlog

from pellucid_gateway.domain.decision import Decision
from pellucid_gateway.domain.events import Failed, TurnResult
from pellucid_gateway.domain.findings import PageContent

_NAME_HEX = 12

_log = structlog.get_logger(__name__)


def daily_pseudonym(caller: str, now: datetime) -> str:
    """The caller's pseudonym for one day; empty if the caller is unknown."""
    digest = hashlib.sha256(f"{now:%Y-%m-%d} {caller}".encode()).hexdigest()
    return digest[:_NAME_HEX] if caller else ""


def log_decision(decision: Decision, *, ms: int, user: str) -> None:
    """Log the decision, its stage and its reason."""
    _log.info(
        "decision",
        decision=decision.action.value,
        stage=decision.stage.value,
        reason=decision.reason_code,
        confidence=round(decision.confidence, 2),
        queries=len(decision.queries),
        language=decision.language,
        ms=ms,
        user=user,
    )


def log_turn(result: TurnResult, *, pages: Iterable[PageContent], user: str) -> None:
    """Log how an answered turn ended.

    Args:
        result: The turn.
        pages: Pages that the turn tried to read.
        user: See `daily_pseudonym`.
    """
    _log.info(
        "turn",
        answer=result.answer_kind.value,
        searches=result.usage.searches,
        rounds=result.iterations,
        pages=sum(page.success for page in pages),
        sources=len(result.sources),
        citations=len(result.citations),
        notices=[notice.code for notice in result.notices],
        degraded=[loss.component for loss in result.degraded],
        ms=result.timings_ms["total"],
        stages_ms={stage: ms for stage, ms in result.timings_ms.items() if stage != "total"},
        user=user,
    )


def log_failure(failed: Failed, *, ms: int, user: str) -> None:
    """Log how a failed turn ended."""
    _log.warning("turn_failed", error=failed.reason, retryable=failed.retryable, ms=ms, user=user)


def log_model_failure(model: str, error: str, *, ms: int) -> None:
    """Log why the answer model did not answer."""
    _log.warning("model_failed", model=model, error=error, ms=ms)
