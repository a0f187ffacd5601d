"""Checks a statement against search results: read pages, choose passages, judge sources."""

from dataclasses import replace

from pellucid_gateway.domain.fencing import neutral
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.domain.search_outcome import FactCheck
from pellucid_gateway.retrieval import sources as sourcing
from pellucid_gateway.retrieval.choosing import PassageChooser, Wanted
from pellucid_gateway.retrieval.gathered import Gathered
from pellucid_gateway.turn.dependencies import Dependencies
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_gateway.verification.fact_check import check_fact
from pellucid_gateway.verification.judge import SupportJudge
from pellucid_gateway.verification.model_judge import ModelOpinion


async def fact_check(
    gathered: Gathered, request: TurnRequest, dependencies: Dependencies, context: TurnContext
) -> FactCheck:
    """Compare a request's message with the results; sources have the numbers of the results."""
    statement, plan = request.message, dependencies.plans[request.depth]
    scorer = dependencies.services.scorer
    chooser = PassageChooser(scorer, context=context)
    wanted = Wanted(statement, statement)
    passages = await chooser.of_hits(gathered.included, gathered.pages, wanted, plan)
    found = sourcing.as_results(gathered.included, gathered.pages)
    sources: list[Source] = []
    for source in found:
        text = passages.get(source.url) or source.snippet
        sources.append(replace(source, facts=neutral(text)))
    judge = SupportJudge(
        sources, scorer=scorer, context=context, question="", language=request.language
    )
    opinion = _opinion(request, dependencies, context)
    return await check_fact(statement, sources, judge=judge, opinion=opinion)


def _opinion(
    request: TurnRequest, dependencies: Dependencies, context: TurnContext
) -> ModelOpinion | None:
    """The judge; None if the model may not see the statement."""
    model = dependencies.model_for(request)
    name = dependencies.judge_of(model) if model else ""
    if model is None or not name or dependencies.hidden(request):
        return None
    return ModelOpinion(model, name=name, context=context, marker=dependencies.new_marker())
