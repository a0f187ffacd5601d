"""What a turn may use by depth: the table of depths, and changes to it by setting."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from pellucid_gateway.domain.request import Depth, TurnRequest

_MOST_COUNT = 100_000
# Deep turns keep a quarter of their 400 tokens of a source for a model's points; the others are
# still more than the 200 of standard ones.
_POINTED_SHARE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthPlan:
    """One row of the table of depths.

    Attributes:
        queries: Most queries on one thing in the first round.
        parts: Most things asked in one message that get a query each.
        rounds: Most rounds of search; one more follows when nothing fits.
        pages: Most pages read per round, `pages_at_once` at a time.
        sources: Most sources shown to the model.
        source_tokens: Tokens of passages per source; what one does not need goes to the others.
        added_tokens: Tokens that sources and their rules may add to the prompt.
        answer_tokens: Cap of one piece of the answer.
        continuations: How often an answer that hits the length limit is continued.
        extracts: A model finds further telling sentences of each page read.
        total_s: Whole turn.
    """

    queries: int
    parts: int
    rounds: int
    pages: int
    pages_at_once: int
    sources: int
    source_tokens: int
    added_tokens: int
    answer_tokens: int
    continuations: int
    extracts: bool
    total_s: float

    @property
    def pointed_tokens(self) -> int:
        """Share of `source_tokens` kept for sentences that a model points at."""
        return self.source_tokens // _POINTED_SHARE if self.extracts else 0

    @property
    def chosen_tokens(self) -> int:
        """Share of `source_tokens` for what is chosen without a model."""
        return self.source_tokens - self.pointed_tokens


DEPTH_PLANS: Mapping[Depth, DepthPlan] = MappingProxyType(
    {
        Depth.QUICK: DepthPlan(
            queries=1,
            parts=1,
            rounds=1,
            pages=0,
            pages_at_once=1,
            sources=3,
            source_tokens=80,
            added_tokens=600,
            answer_tokens=150,
            continuations=1,
            extracts=False,
            total_s=10.0,
        ),
        Depth.STANDARD: DepthPlan(
            queries=2,
            parts=3,
            rounds=1,
            pages=3,
            pages_at_once=3,
            sources=4,
            source_tokens=200,
            added_tokens=1_600,
            answer_tokens=400,
            continuations=2,
            extracts=False,
            total_s=15.0,
        ),
        Depth.LEAN: DepthPlan(
            queries=2,
            parts=3,
            rounds=1,
            pages=3,
            pages_at_once=3,
            sources=3,
            source_tokens=60,
            added_tokens=500,
            answer_tokens=400,
            continuations=2,
            extracts=False,
            total_s=15.0,
        ),
        Depth.DEEP: DepthPlan(
            queries=3,
            parts=3,
            rounds=3,
            pages=3,
            pages_at_once=2,
            sources=8,
            source_tokens=400,
            added_tokens=4_000,
            answer_tokens=1_000,
            continuations=3,
            extracts=True,
            total_s=60.0,
        ),
    }
)


def plans_with(
    changes: Mapping[str, Mapping[str, float]], *, lean: bool = False
) -> Mapping[Depth, DepthPlan]:
    """The table of depths with changed cells; with `lean` its row stands for the standard one too.

    Raises:
        ValueError: A depth or a column does not exist, or a value is out of its range.
    """
    unknown = set(changes) - {depth.value for depth in Depth}
    if unknown:
        raise ValueError(f"no such depth: {', '.join(sorted(unknown))}")
    plans = {
        depth: replace(plan, **_cells(plan, changes.get(depth.value, {})))
        for depth, plan in DEPTH_PLANS.items()
    }
    return plans | {Depth.STANDARD: plans[Depth.LEAN]} if lean else plans


def _cells(plan: DepthPlan, changes: Mapping[str, float]) -> dict[str, Any]:
    types = {field.name: type(getattr(plan, field.name)) for field in fields(plan)}
    cells: dict[str, Any] = {}
    for name, value in changes.items():
        if name not in types or not 0 <= value <= _MOST_COUNT:
            raise ValueError(f"{name}: no such column, or not between 0 and {_MOST_COUNT}")
        cells[name] = types[name](value)
    return cells


def plan_for(request: TurnRequest, plans: Mapping[Depth, DepthPlan]) -> DepthPlan:
    """The plan of a turn; it shows no more sources than the request wants."""
    plan = plans[request.depth]
    most = request.options.max_results
    return replace(plan, sources=min(plan.sources, most)) if most else plan
