"""What a stream costs processes in CPU, and how that divides into the stream and its words.

Absolute figures say as much about the machine as about the program: waking a process up and sending
a packet cost several times more in one virtual machine than in another. What travels is how they
stand beside the bare proxy's of the same run.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression

TICKS = os.sysconf("SC_CLK_TCK")
# Words of the streams that are compared; the longest is what the bar is about.
LENGTHS = (5, 20, 50)


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU of one process by the length of streams.

    Attributes:
        by_tokens: CPU seconds per 1,000 streams, which are milliseconds per stream, by words.
    """

    by_tokens: Mapping[int, float]

    @property
    def split(self) -> tuple[float, float]:
        """Milliseconds for a stream without words, and microseconds for each word."""
        slope, start = linear_regression(list(self.by_tokens), list(self.by_tokens.values()))
        return start, slope * 1000


def cpu_s(pid: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def beside(bare: Cost, ours: Sequence[Cost]) -> list[str]:
    """Lines that say how costs stand beside the bare proxy's: the gateway's, then all together."""
    longest = max(LENGTHS)
    ratios = [
        sum(cost.by_tokens[longest] for cost in ours[:count]) / bare.by_tokens[longest]
        for count in range(1, len(ours) + 1)
    ]
    together = ", with the decision service ".join(f"{ratio:.2f}x" for ratio in ratios)
    lines = [f"CPU beside the bare proxy's, {longest} words: gateway {together}"]
    for name, cost in zip(("bare proxy", "gateway", "decision"), (bare, *ours), strict=False):
        stream_ms, token_us = cost.split
        lines.append(f"  {name:11} {stream_ms:4.1f} ms a stream + {token_us:3.0f} us a word")
    return lines
