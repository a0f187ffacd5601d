"""How much of the model's window the pages that the person named may take."""

from pellucid_gateway.answering.client_prompt import client_room
from pellucid_gateway.answering.rules import RULES
from pellucid_gateway.answering.window import LARGEST_ANSWER_SHARE, NAMED_SHARE, estimated
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.question.tokens import tokens_of
from pellucid_gateway.turn_context.plans import DepthPlan

# What stands around them in the prompt: the time, what is known of the person, heads, notes.
_AROUND_TOKENS = 400
# A page is shown so much of, or not at all: then the person is told that it does not fit.
_LEAST_TOKENS = 100


def named_room(request: TurnRequest, plan: DepthPlan, window_tokens: int) -> int:
    """Estimated tokens for all of them: 60 % of the window, less where the rest is needed."""
    if request.passthrough is not None:
        left = client_room(request.passthrough, plan, window_tokens)
    else:
        left = estimated(window_tokens - window_tokens // LARGEST_ANSWER_SHARE)
        left -= tokens_of(request.message)
    left -= tokens_of(RULES) + _AROUND_TOKENS
    return max(_LEAST_TOKENS, min(int(NAMED_SHARE * window_tokens), left))
