"""Where the time of a call goes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spent:
    """Where the time of one call went, in seconds; the slowest text counts."""

    tokenize_s: float = 0.0
    queue_s: float = 0.0
    encode_s: float = 0.0
    cached_texts: int = 0

    @property
    def total_s(self) -> float:
        """All of it."""
        return self.tokenize_s + self.queue_s + self.encode_s
