"""Which sources say that a statement is true, and which that it is not.

A language model that reads the statement beside each source's passage says so; the verdict follows
from what it said. Without one, form and likeness tell which sources state it, and no verdict is
given: that nothing was found to state it refutes nothing.
"""

from collections.abc import Mapping, Sequence

from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.search_outcome import FactCheck, FactEvidence, FactVerdict
from pellucid_gateway.verification.judge import SupportJudge
from pellucid_gateway.verification.judgement import Doubt
from pellucid_gateway.verification.model_judge import ModelOpinion, Stance
from pellucid_gateway.verification.passages import passage_of, surroundings

_VERDICTS: Mapping[tuple[bool, bool], FactVerdict] = {
    (True, True): FactVerdict.MIXED,
    (True, False): FactVerdict.SUPPORTED,
    (False, True): FactVerdict.REFUTED,
    (False, False): FactVerdict.NOT_ENOUGH,
}


async def check_fact(
    statement: str,
    sources: Sequence[Source],
    *,
    judge: SupportJudge,
    opinion: ModelOpinion | None,
) -> FactCheck:
    """Hold a statement against sources.

    Args:
        statement: One sentence.
        sources: What was found, with the passages that bear on it as facts.
        judge: Form and likeness.
        opinion: A language model; None: nobody judges.
    """
    passages = {source.n: passage_of(statement, source, None) for source in sources}
    if opinion is not None:
        doubts = [Doubt(statement, surroundings(passages[s.n], s), (s.n,)) for s in sources]
        stances = await opinion.stances(doubts)
        if stances is not None:
            return _judged(sources, stances, passages)
    (row,) = await judge.judge([statement])
    stated = [one for one in row if one.supported]
    return FactCheck(
        supporting=tuple(FactEvidence(one.source, one.passage) for one in stated),
        judged=False,
    )


def _judged(
    sources: Sequence[Source], stances: Sequence[Stance], passages: Mapping[int, str]
) -> FactCheck:
    def of(stance: Stance) -> tuple[FactEvidence, ...]:
        taking = (s for s, taken in zip(sources, stances, strict=True) if taken is stance)
        return tuple(FactEvidence(source.n, passages[source.n]) for source in taking)

    supporting, refuting = of(Stance.STATES), of(Stance.DENIES)
    return FactCheck(
        verdict=_VERDICTS[bool(supporting), bool(refuting)],
        supporting=supporting,
        refuting=refuting,
        judged=True,
    )
