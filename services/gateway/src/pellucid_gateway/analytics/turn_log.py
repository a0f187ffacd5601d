"""The turns behind the numbers: what each of the last ones took, cost and lacked, and its evidence.

Nothing of what people wrote is here, nor who they are; the evidence opens for whoever asked alone.
"""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import orjson

from pellucid_gateway.domain.events import TurnResult
from pellucid_gateway.domain.state_ports import Entry, Records

_OWNER: Final = "turn-log"
_KIND: Final = "turn"
# As long as the numbers of the dashboard look back.
_TTL_S: Final = 86_400.0
MOST_KEPT: Final = 1_000
MOST_SHOWN: Final = 50

Turn = Mapping[str, Any]

# What makes a turn stand out, by the number that it explains; turns without any of it are left out.
MEASURES: Final[Mapping[str, Callable[[Turn], float]]] = {
    "slow": lambda turn: turn["total_ms"],
    "costly": lambda turn: turn["cost_usd"],
    "degraded": lambda turn: len(turn["degraded"]),
    "citations": lambda turn: turn["citations_dropped"] + turn["unsupported"],
    "irrelevant": lambda turn: 0.0 if turn["relevance"] is None else 1.0 - turn["relevance"],
}


class TurnLog:
    """Keeps the last turns of a day over all replicas. Everything here raises DependencyDownError.

    Args:
        records: Where.
    """

    def __init__(self, records: Records) -> None:
        self._records = records

    async def note(self, result: TurnResult) -> None:
        """Keep a turn that has evidence."""
        if result.evidence_id:
            entry = Entry(result.evidence_id, orjson.dumps(_line(result)))
            await self._records.put(_OWNER, _KIND, entry, ttl_s=_TTL_S, most=MOST_KEPT)

    async def most(self, measure: str) -> list[Turn]:
        """Turns that stand out by a measure of `MEASURES`, most first."""
        of = MEASURES[measure]
        kept = await self._records.newest(_OWNER, _KIND, MOST_KEPT)
        found = [turn for entry in kept if of(turn := orjson.loads(entry.value)) > 0]
        return sorted(found, key=of, reverse=True)[:MOST_SHOWN]


def _line(result: TurnResult) -> dict[str, Any]:
    rated = [source.relevance for source in result.sources if source.relevance is not None]
    return {
        "evidence_id": result.evidence_id,
        "at": result.finished_at.isoformat(timespec="seconds"),
        "searched": result.iterations > 0,
        "answer_kind": result.answer_kind.value,
        "first_token_ms": result.timings_ms.get("first_token", 0),
        "total_ms": result.timings_ms.get("total", 0),
        "cost_usd": result.usage.cost_micro_usd / 1_000_000,
        "relevance": round(sum(rated) / len(rated), 3) if rated else None,
        "citations": len(result.citations),
        "citations_dropped": result.citation_report.dropped,
        "unsupported": len(result.unsupported),
        "degraded": sorted({lost.component for lost in result.degraded}),
    }


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    r"""Rows as CSV with a head; empty where there are none. Lists are joined by spaces.

    >>> as_csv([{"day": "2026-11-21", "lost": ["scorer", "store"], "p95": None}])
    'day,lost,p95\r\n2026-11-21,scorer store,\r\n'
    """
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    for row in rows:
        joined = {name: _cell(value) for name, value in row.items()}
        writer.writerow(joined)
    return text.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, Mapping):
        return " ".join(f"{name}={count}" for name, count in value.items())
    return " ".join(value) if isinstance(value, list) else value
