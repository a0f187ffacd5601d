"""The outside things that decisions use."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pellucid_decision.decision import Freshness
from pellucid_decision.text.conversation import Turn
from pellucid_decision.understanding.words import Piece


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent to a language model.

    Attributes:
        system: Our instructions.
        user: Untrusted text to judge.
        temperature: 0 to 2.
        max_tokens: Longest reply in tokens.
        timeout_s: Longest wait in seconds.
        json_schema: Shape of the reply; None for plain text.
        reasoning: Ask the reasoning model instead of the fast one.
    """

    system: str
    user: str
    temperature: float
    max_tokens: int
    timeout_s: float
    json_schema: dict[str, object] | None = None
    reasoning: bool = False


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """Reply of a language model.

    Attributes:
        text: What it said.
        host: Host that answered; empty when unknown.
    """

    text: str
    host: str = ""


@dataclass(frozen=True, slots=True)
class Understanding:
    """What the trained model reads in a message.

    Attributes:
        search: Calibrated probability that the web is needed, 0 to 1.
        leans: Calibrated probability that the message needs its history, 0 to 1.
        freshness: Window that fits most probably.
        kind: Most probable kind of message, for example "weather".
        pieces: Parts of words with the probability that they stand in each query.
    """

    search: float
    leans: float
    freshness: Freshness
    kind: str
    pieces: tuple[Piece, ...]


class Understander(Protocol):
    """Reads a message and its conversation with the trained model."""

    async def understand(self, message: str, turns: Sequence[Turn]) -> Understanding:
        """Return what the model reads; pieces count the turns from 1.

        Raises:
            UnavailableError: The model cannot answer in time.
        """


class LanguageModel(Protocol):
    """Answers a short prompt."""

    @property
    def receiver(self) -> str:
        """Host that prompts go to first, for the list of outbound texts."""

    @property
    def internal(self) -> bool:
        """True when the operator marked it as part of the installation."""

    async def ask(self, prompt: Prompt) -> ModelAnswer:
        """Return the reply and who gave it.

        Raises:
            UnavailableError: No usable reply within the prompt's time.
        """
