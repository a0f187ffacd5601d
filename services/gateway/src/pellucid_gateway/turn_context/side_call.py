"""A short question to a language model beside the answer: about a page, about a claim."""

from contextlib import aclosing

from pellucid_gateway.domain.answer_model import AnswerModel, ModelEnd, ModelPiece, Prompt
from pellucid_gateway.domain.outgoing import sent_prompt
from pellucid_gateway.turn_context.budgets import limited
from pellucid_gateway.turn_context.context import TurnContext


async def reply_to(
    prompt: Prompt, model: AnswerModel, context: TurnContext, *, most_s: float, most_chars: int
) -> str:
    """The model's reply; empty when it is longer than asked for.

    Args:
        prompt: What is asked.
        model: Who is asked.
        context: The turn's time and account.
        most_s: How long it is waited for, in seconds, as far as the turn has them.
        most_chars: Longest reply.

    Raises:
        ServiceError: The model failed.
        TimeoutError: It was late.
    """
    if model.receiver:
        context.ledger.sent_out((sent_prompt(model.receiver, prompt.text),))
    reply = ""
    pieces = model.stream(prompt)
    async with limited(context.budget.answer_s(most_s)), aclosing(pieces):  # type: ignore[type-var]
        async for piece in pieces:
            if isinstance(piece, ModelPiece):
                reply += piece.text
            elif isinstance(piece, ModelEnd):
                context.ledger.use_model(piece.used)
            if len(reply) > most_chars:
                return ""
    return reply
