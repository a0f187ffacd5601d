"""The judge's word on where sources disagree: form finds it, a model may see that it is none."""

from collections.abc import Sequence

from pellucid_gateway.conflicts.notes import Conflict
from pellucid_gateway.verification.judgement import Doubt
from pellucid_gateway.verification.model_judge import ModelOpinion, Stance


async def upheld(
    conflicts: Sequence[Conflict], opinion: ModelOpinion | None, *, most_s: float
) -> tuple[Conflict, ...]:
    """The disagreements in which the model sees one as well; all of them without its word.

    Args:
        conflicts: As form found them.
        opinion: The model; None where nobody is asked.
        most_s: How long it is waited for, in seconds.
    """
    doubts = [Doubt(one.first.sentence, one.second.sentence) for one in conflicts]
    stances = await opinion.stances(doubts, most_s) if opinion else None
    if stances is None:
        return tuple(conflicts)
    pairs = zip(conflicts, stances, strict=True)
    return tuple(conflict for conflict, stance in pairs if stance is Stance.DENIES)
