"""Collects what the prompt of one turn depends on."""

from pellucid_gateway.answering.setting import Setting
from pellucid_gateway.conflicts.notes import note_of
from pellucid_gateway.domain.attachment import is_attachment
from pellucid_gateway.domain.decision import Decision
from pellucid_gateway.domain.events import UrlFetched
from pellucid_gateway.domain.notices import SEARCH_LOST
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.turn.dependencies import Dependencies
from pellucid_gateway.turn.result import Findings
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_gateway.turn_context.plans import plan_for


def setting_of(
    request: TurnRequest,
    decision: Decision,
    found: Findings,
    ledger: TurnLedger,
    *,
    dependencies: Dependencies,
    searched: bool,
) -> Setting:
    """The setting of a turn's prompt.

    Args:
        request: The turn.
        decision: The decision on it.
        found: Sources, pages and notes to answer from.
        ledger: Has the notice that says why the web could not be searched, if so.
        dependencies: Model, clock, plans.
        searched: The web was asked, with or without success.
    """
    model = dependencies.model
    return Setting(
        question=decision.standalone_question,
        language=request.language or decision.language,
        now=dependencies.clock.now(),
        knowledge_cutoff=dependencies.knowledge_cutoff,
        window_tokens=model.window_tokens if model else 0,
        marker=dependencies.new_marker(),
        plan=plan_for(request, dependencies.plans),
        searched=searched or bool(decision.urls or found.sources),
        notes=(*found.notes, *map(note_of, found.conflicts)),
        unread=tuple(_called(page) for page in found.url_contents if not page.success),
        lost=next((n.text for n in ledger.notices if n.code in SEARCH_LOST), ""),
        private=dependencies.hidden(request),
        is_small_talk=decision.is_small_talk,
    )


def _called(page: UrlFetched) -> str:
    """The name of an unread page for the model; an attachment has no address that people know."""
    return page.error.rstrip(".") if is_attachment(page.url) else page.url
