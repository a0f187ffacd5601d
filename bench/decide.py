"""How long a decision takes with the scorer warm, alone and while 30 results are scored.

    python bench/decide.py

The decision service and the scorer run as processes of their own. The messages are labelled ones of
our own that nothing was trained on, a third with history, each asked once; no language model.
"""

import json
import statistics
import time
from collections.abc import Sequence
from random import Random
from typing import Any

import grpc
import uvloop
from pellucid.common.v1 import common_pb2 as common
from pellucid.decision.v1 import decision_pb2 as pb
from pellucid.decision.v1.decision_pb2_grpc import DecisionServiceStub
from scorer_messages import scoring
from scorer_rig import RESULTS, ROOT, Running, Stub, machine, running

FILE = RESULTS / "decide.json"
MESSAGES = ROOT / "services" / "decision" / "training" / "unseen.jsonl"
CALLS = 120
WARM_UP = 10
_ROLES = (common.ROLE_USER, common.ROLE_ASSISTANT)


def requests(number: int) -> list[pb.DecideRequest]:
    """Return so many different requests, always the same, in no order."""
    rows = [json.loads(line) for line in MESSAGES.read_text("utf-8").splitlines()]
    return [_request(row) for row in Random(0).sample(rows, number)]


def _request(row: dict[str, Any]) -> pb.DecideRequest:
    turns = enumerate(row.get("history", ()))
    history = [common.Message(role=_ROLES[n % 2], content=text) for n, text in turns]
    return pb.DecideRequest(message=row["text"], history=history)


async def times(stub: DecisionServiceStub, calls: Sequence[pb.DecideRequest]) -> dict[str, Any]:
    """Return milliseconds of one call after the other, and which stages settled them."""
    took, stages = [], []
    for call in calls:
        started = time.perf_counter()
        reply = await stub.Decide(call)
        took.append((time.perf_counter() - started) * 1000)
        stages.append(pb.Stage.Name(reply.decision.stage))
    return {
        "p50_ms": statistics.median(took),
        "p99_ms": sorted(took)[round(len(took) * 0.99) - 1],
        "stages": {name: stages.count(name) for name in sorted(set(stages))},
    }


async def measured(scorer: Running, decision: Running) -> dict[str, Any]:
    """Return the figures."""
    calls = requests(WARM_UP + 2 * CALLS)
    async with (
        grpc.aio.insecure_channel(scorer.target) as to_scorer,
        grpc.aio.insecure_channel(decision.target) as to_decision,
    ):
        stub = DecisionServiceStub(to_decision)
        await times(stub, calls[:WARM_UP])
        alone = await times(stub, calls[WARM_UP:-CALLS])
        async with scoring(Stub(to_scorer)):
            beside = await times(stub, calls[-CALLS:])
    memory = {"decision_mb": decision.rss_mb, "scorer_mb": scorer.rss_mb}
    return {"alone": alone, "beside scoring": beside} | memory


def main() -> None:
    """Measure, print, write."""
    with (
        running() as scorer,
        running("pellucid_decision", SCORER_TARGET=scorer.target) as decision,
    ):
        found = uvloop.run(measured(scorer, decision))
    for name in ("alone", "beside scoring"):
        one = found[name]
        print(f"Decide {name}: p50 {one['p50_ms']:.1f} ms, p99 {one['p99_ms']:.1f} ms")
    print(f"memory: decision {found['decision_mb']:.0f} MB, scorer {found['scorer_mb']:.0f} MB")
    RESULTS.mkdir(exist_ok=True)
    FILE.write_text(json.dumps({"machine": machine()} | found, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
