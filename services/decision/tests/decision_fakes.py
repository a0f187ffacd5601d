"""A language model that replies as it is told, and a trained model that reads as it is told."""

import asyncio
import re
from collections.abc import Mapping, Sequence

from pellucid_decision.decision import Freshness
from pellucid_decision.errors import UnavailableError
from pellucid_decision.ports import ModelAnswer, Prompt, Understanding
from pellucid_decision.text.conversation import Turn
from pellucid_decision.understanding.words import Piece


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


class FakeUnderstanding:
    """Reads the same in every message: the words of `first` and `second` make up the queries."""

    def __init__(
        self,
        search: float = 0.95,
        *,
        first: str = "",
        second: str = "",
        leans: float = 0.0,
        freshness: Freshness = Freshness.NONE,
        kind: str = "",
        share: float = 0.9,
        down: bool = False,
    ) -> None:
        self.share = share
        self.told = Understanding(search, leans, freshness, kind, ())
        self.queries = (first.split(), second.split())
        self.down = down
        self.asked: list[tuple[str, Sequence[Turn]]] = []

    async def understand(self, message: str, turns: Sequence[Turn]) -> Understanding:
        self.asked.append((message, turns))
        if self.down:
            raise UnavailableError("down")
        texts = dict(enumerate((message, *(turn.content for turn in turns))))
        pieces = [
            piece
            for query, words in enumerate(self.queries)
            for word in words
            for piece in _pieces(word, texts, query, self.share)
        ]
        told = self.told
        return Understanding(told.search, told.leans, told.freshness, told.kind, tuple(pieces))


def _pieces(word: str, texts: Mapping[int, str], query: int, share: float) -> list[Piece]:
    """Return the first place of a word: in the message, else in the turns."""
    shares = tuple(share if number == query else 0.0 for number in range(3))
    for number, text in texts.items():
        match = re.search(re.escape(word), text)
        if match:
            return [Piece(number, match.start(), match.end(), shares)]
    return []
