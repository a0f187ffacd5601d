"""The outside things that decisions use."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pellucid_decision.rules.rulebook import Rulebook


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


class Encoder(Protocol):
    """Turns texts into sentence embeddings."""

    async def embed(self, text: str) -> Sequence[float]:
        """Return the unit vector of one text.

        Raises:
            UnavailableError: The encoder cannot answer in time.
        """
        ...


class LanguageModel(Protocol):
    """Answers a short prompt."""

    @property
    def receiver(self) -> str:
        """Host that prompts go to first, for the list of outbound texts."""
        ...

    @property
    def internal(self) -> bool:
        """True when the operator marked it as part of the installation."""
        ...

    async def ask(self, prompt: Prompt) -> ModelAnswer:
        """Return the reply and who gave it.

        Raises:
            UnavailableError: No usable reply within the prompt's time.
        """
        ...


class Rules(Protocol):
    """Gives the rules in force."""

    @property
    def book(self) -> Rulebook:
        """The newest rules that loaded without error."""
        ...
