"""What of a model's window goes to what: the answer, the sources, the pages that a person named.

Windows are counted with a margin, since tokens are estimated by script.
"""

import math
from collections.abc import Sequence

from pellucid_gateway.answering.rules import SOURCE_RULES
from pellucid_gateway.domain.answer_model import Prompt
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.question.tokens import SAFETY, tokens_of
from pellucid_gateway.turn_context.plans import DepthPlan

# Tokens that chat templates put around a message, generously.
PER_MESSAGE_TOKENS = 16
# A small window must leave most of itself to the prompt.
LARGEST_ANSWER_SHARE = 4
# An answer that no sources bound may be a script or a letter: the limit only stops a runaway.
LONGEST_ANSWER_TOKENS = 4_000
# Share of the window that pages which the person named may take, all together.
NAMED_SHARE = 0.6


def source_cap(sources: Sequence[Source], plan: DepthPlan) -> int:
    """Tokens that a depth allows the sources: its own less the rules that come with them.

    Pages that the person named are the subject of the turn and come on top.
    """
    own = sum(tokens_of(source.facts) for source in sources if source.user_supplied)
    return plan.added_tokens - tokens_of(SOURCE_RULES) + own


def estimated(tokens: int) -> int:
    """Tokens as `tokens_of` estimates them that so many of a window hold for certain."""
    return int(tokens / SAFETY)


def bound_tokens(prompt: Prompt) -> int:
    """What the prompt and its answer are counted with, the margin included."""
    each = (tokens_of(message.content) + PER_MESSAGE_TOKENS for message in prompt.messages)
    return math.ceil(sum(each) * SAFETY) + (prompt.max_tokens or 0)
