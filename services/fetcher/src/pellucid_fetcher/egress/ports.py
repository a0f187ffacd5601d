"""What the egress gate needs from outside."""

from typing import Protocol


class Resolver(Protocol):
    """Turns names into addresses."""

    async def resolve(self, host: str) -> tuple[str, ...]:
        """Return the addresses of an absolute name, best first; empty when there are none."""
        ...


class DecisionLog(Protocol):
    """Is told what the egress gate decided; never told of whom."""

    def __call__(self, *, allowed: bool, reason: str) -> None:
        """Record one decision with its stable reason word."""
        ...
