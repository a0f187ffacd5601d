"""The decision for a verbatim search."""

from pellucid_gateway.domain.decision import (
    Action,
    Decision,
    Freshness,
    PlannedQuery,
    Stage,
)
from pellucid_gateway.domain.request import TurnRequest

# Longest query that the search service takes.
_MOST_CHARACTERS = 200


def literal(request: TurnRequest) -> Decision:
    """Search for the message verbatim, cut to the longest query."""
    query = request.message.strip()
    if len(query) > _MOST_CHARACTERS:
        query = query[:_MOST_CHARACTERS].rpartition(" ")[0] or query[:_MOST_CHARACTERS]
    return Decision(
        action=Action.SEARCH,
        confidence=1.0,
        stage=Stage.MODE,
        reason="The query is searched for as given.",
        reason_code="verbatim",
        standalone_question=request.message,
        queries=(PlannedQuery(query, Freshness.NONE, request.options.site),),
        language=request.language or "und",
    )
