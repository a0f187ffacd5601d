"""Contradictions between sources: found by form, confirmed by a model if there is one."""

from collections.abc import Callable, Sequence

from pellucid_gateway.conflicts.detection import find_conflicts
from pellucid_gateway.conflicts.notes import Conflict, told
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_gateway.verification.judgement import Doubt
from pellucid_gateway.verification.model_judge import ModelOpinion, Stance


async def disagreements(
    sources: Sequence[Source],
    question: str,
    opinion: Callable[[], ModelOpinion | None],
    context: TurnContext,
) -> tuple[Conflict, ...]:
    """Return the contradictions on a question, and notify the person of the first.

    Args:
        sources: Sources of the answer.
        question: The standalone question.
        opinion: Returns the judge; called only if there is something to judge.
        context: The turn's budget and ledger.
    """
    conflicts = find_conflicts(sources, question)
    if conflicts and (judge := opinion()):
        conflicts = await _upheld(conflicts, judge, context.budgets.opinion_s)
    for conflict in conflicts[:1]:
        code, values = told(conflict, context.ledger.wording)
        context.ledger.notify(code, **values)
    return conflicts


async def _upheld(
    conflicts: tuple[Conflict, ...], opinion: ModelOpinion, most_s: float
) -> tuple[Conflict, ...]:
    """Those that the model confirms; all of them if it does not answer in time."""
    doubts = [Doubt(one.first.sentence, one.second.sentence) for one in conflicts]
    stances = await opinion.stances(doubts, most_s)
    if stances is None:
        return conflicts
    pairs = zip(conflicts, stances, strict=True)
    return tuple(conflict for conflict, stance in pairs if stance is Stance.DENIES)
