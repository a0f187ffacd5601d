"""Without a language model, questions that it would answer from memory are searched."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from pellucid_gateway.domain.decision import (
    SEARCH_DECLINED,
    Action,
    Decision,
    Stage,
    WebMode,
)
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.question.plain_messages import is_plain
from pellucid_gateway.turn.follow_ups import reused_sources
from pellucid_runtime.clock import Clock

REASON_CODE = "no_model"

# Instructions, and prompts of frontends.
_FORBIDDEN = frozenset({"dont_search", "task_prompt", "tool_result", "topicless", SEARCH_DECLINED})
# Kinds of message that no web page answers: tasks on the person's own text, and small talk.
_NOT_FOR_THE_WEB = frozenset({"code", "creative", "math", "rewrite", "smalltalk", "task"})


async def searched_instead(
    request: TurnRequest,
    decision: Decision,
    *,
    clock: Clock,
    decide: Callable[[TurnRequest], Awaitable[Decision]],
) -> Decision:
    """The decision for a turn without a model: to search, if the web may have the answer.

    Args:
        request: The turn, for which no language model can be used.
        decision: The decision on it.
        clock: The time now.
        decide: Decides again, with the web on.
    """
    if not _is_for_the_web(request, decision):
        return decision
    if reused_sources(request, decision, clock.now()):
        return decision
    searched = await decide(replace(request, web_mode=WebMode.ON))
    reason = "No language model can answer it from memory, so it is looked up."
    return replace(searched, stage=Stage.RULE, reason=reason, reason_code=REASON_CODE)


def _is_for_the_web(request: TurnRequest, decision: Decision) -> bool:
    if request.web_mode is not WebMode.AUTO or decision.action is not Action.ANSWER:
        return False
    if decision.topicless or decision.about_answer or decision.ignored_urls:
        return False
    if decision.stage is Stage.FALLBACK and is_plain(request.message):
        return False  # no model classified the message
    return decision.reason_code not in _FORBIDDEN | _NOT_FOR_THE_WEB
