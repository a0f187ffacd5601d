"""What a turn lost, told, sent out and used."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Degradation:
    """A part that was lost while the rest is good; detail is for operators, without user text."""

    component: str
    detail: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A localised sentence with a stable code; `retry`: asking the same again may help."""

    code: str
    text: str
    retry: bool = False


@dataclass(frozen=True, slots=True)
class OutboundText:
    """One string that left; kind is "query", "url", "prompt" or "embedding"."""

    to: str
    kind: str
    text: str
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """What one model used in a turn; cost in millionths of a US dollar, 0 without a price."""

    model: str
    calls: int = 1
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_micro_usd: int = 0

    def plus(self, other: "ModelUse") -> "ModelUse":
        """The sum of two uses of the same model."""
        return ModelUse(
            model=self.model,
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost_micro_usd=self.cost_micro_usd + other.cost_micro_usd,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What the turn used; context_tokens are those of sources among the prompt's.

    Attributes:
        cost_micro_usd: Providers and models together.
        models: One entry for each model that answered.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    context_tokens: int = 0
    searches: int = 0
    cost_micro_usd: int = 0
    models: tuple[ModelUse, ...] = ()

    @property
    def cost_usd(self) -> float:
        """Cost at list prices in US dollars."""
        return self.cost_micro_usd / 1_000_000
