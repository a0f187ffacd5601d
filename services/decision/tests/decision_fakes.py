"""A language model that replies as it is told."""

import asyncio

from pellucid_decision.ports import ModelAnswer, Prompt


class FakeModel:
    """Replies in turn; a number is a wait in seconds, an exception is raised."""

    receiver = "llm.example"

    def __init__(self, *replies: object, internal: bool = False, answers_as: str = "") -> None:
        self.answers_as = answers_as
        self.replies = list(replies)
        self.prompts: list[Prompt] = []
        self.internal = internal

    async def ask(self, prompt: Prompt) -> ModelAnswer:
        self.prompts.append(prompt)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, float):
            await asyncio.sleep(reply)
        return ModelAnswer(str(reply), self.answers_as)
