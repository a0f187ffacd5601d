"""Error rates of the decision service on own messages, and on other sets from EVAL_DATA.

    python eval/decision_eval.py [--pin [--lower]]

Prints precision, recall and false-positive rate per language and kind, calibration error, latency
by stage. No language model runs. The scorer is the one at SCORER_TARGET, or one that is started for
the while. Ends with an error when a rate is below its floor in `decision_floors.json`; `--pin`
writes the present rates, and refuses lower ones without `--lower`.
"""

import asyncio
import gc
import io
import json
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
from pellucid.decision.v1 import decision_pb2 as pb
from pellucid.decision.v1.decision_pb2_grpc import DecisionServiceStub

ROOT = Path(__file__).resolve().parents[1]
TRAINING = ROOT / "services" / "decision" / "training"
sys.path[:0] = [str(TRAINING), str(ROOT / "tests")]

from decision_rates import Outcome, by_group, calibration_error  # noqa: E402 - path first
from messages import CUTOFF, NOW, labelled  # noqa: E402 - path first

from pellucid_decision.adapters.rules_folder import RulesFolder  # noqa: E402 - path first
from pellucid_decision.adapters.scorer_understanding import ScorerUnderstanding  # noqa: E402 - path first
from pellucid_decision.app import build  # noqa: E402 - path first
from pellucid_decision.decision import Action, Decision  # noqa: E402 - path first
from pellucid_decision.intent.cascade import Cascade  # noqa: E402 - path first
from pellucid_decision.settings import DecisionSettings  # noqa: E402 - path first
from pellucid_decision.text.conversation import Ask, Role, Turn  # noqa: E402 - path first
from rig.scorer_process import scorer_at  # noqa: E402 - path first

OWN = Path(__file__).with_name("decision_rows.jsonl")
FLOORS = Path(__file__).with_name("decision_floors.json")
# What a rate may lose by a scorer's processor, whose figures differ in the last digits.
SLACK = 0.005
MIN_PREFIX = 4
# One in so many training messages, of all languages, is asked before anything is timed.
WARM_UP_EVERY = 100
UNDERSTAND_TIMEOUT_S = 5.0


def main(arguments: Sequence[str]) -> None:
    """Print all tables; end with an error when a rate is below its floor."""
    with scorer_at(os.environ.get("SCORER_TARGET", "")) as target:
        print("own messages that nothing was trained on")
        found = decisions(own(), target)
        print("\nthe same without a scorer")
        decisions(own(), "")
        print("\ndistinct messages over gRPC")
        over_grpc(list(unseen()), target)
        if folder := os.environ.get("EVAL_DATA"):
            other_sets(Path(folder), target)
    worse = below(json.loads(FLOORS.read_text("utf-8")), found) if FLOORS.exists() else []
    if "--pin" in arguments and (not worse or "--lower" in arguments):
        pin(found)
    elif worse:
        sys.exit(f"below the floor: {', '.join(worse)}")


def own() -> list[dict[str, Any]]:
    """Return the messages of our own that are only evaluated on."""
    return [*unseen(), *rows(OWN)]


def pin(found: Sequence[Outcome]) -> None:
    """Write the rates of all and of each language as floors."""
    table = {
        name: {
            "precision": round(group.precision, 3),
            "recall": round(group.recall, 3),
            "false_positive_rate": round(group.false_positive_rate, 3),
        }
        for name, group in by_group(found).items()
        if not name.startswith("kind ")
    }
    FLOORS.write_text(json.dumps(table, indent=1) + "\n", "utf-8")


def below(floors: Mapping[str, Mapping[str, float]], found: Sequence[Outcome]) -> list[str]:
    """Return the groups one of whose rates is below its floor, or above its ceiling."""
    groups = by_group(found)
    return [
        name
        for name, floor in floors.items()
        if groups[name].precision < floor["precision"] - SLACK
        or groups[name].recall < floor["recall"] - SLACK
        or groups[name].false_positive_rate > floor["false_positive_rate"] + SLACK
    ]


def other_sets(folder: Path, target: str) -> None:
    """Print the rates on each set of a folder."""
    for path in sorted(folder.glob("decision*.jsonl")):
        print(f"\n{path.name}, clear rows")
        clear = [row for row in rows(path) if row.get("strength", "clear") == "clear"]
        decisions(clear, target)


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a JSON lines file."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def unseen() -> Iterator[dict[str, Any]]:
    """Yield the messages kept apart from training, in the form of other sets."""
    for item in labelled(TRAINING / "unseen.jsonl"):
        turns = [
            {"role": ("user", "assistant")[number % 2], "content": text}
            for number, text in enumerate(item.history)
        ]
        yield {
            "text": item.text,
            "lang": item.language,
            "slice": item.kind,
            "needs_search": item.needs_search,
            "history": turns,
        }


def request(text: str, row: Mapping[str, Any], **fields: Any) -> Ask:
    """Return a row as a request."""
    history = tuple(Turn(Role(turn["role"]), turn["content"]) for turn in row.get("history") or ())
    now = datetime.fromisoformat(row["date"]).replace(tzinfo=UTC) if row.get("date") else NOW
    return Ask(text, now, CUTOFF, history, **fields)


def decisions(listed: Sequence[Mapping[str, Any]], target: str) -> list[Outcome]:
    """Print rates and latency over labelled rows, with the scorer at `target` if one is named.

    Returns what was decided.
    """
    with asyncio.Runner() as runner:
        outcomes, seconds = runner.run(_decided(listed, target))
    report(outcomes)
    for stage, values in sorted(seconds.items()):
        values.sort()
        p99 = values[min(len(values) - 1, int(len(values) * 0.99))]
        print(
            f"  {stage:<12} n={len(values):<4} p50 {values[len(values) // 2] * 1e3:.2f} ms  p99 {p99 * 1e3:.2f} ms"  # noqa: E501 - one pattern or table row
        )
    return outcomes


async def _decided(
    listed: Sequence[Mapping[str, Any]], target: str
) -> tuple[list[Outcome], dict[str, list[float]]]:
    outcomes, seconds = [], defaultdict(list)
    async with open_cascade(target) as cascade:
        await cascade.decide(Ask("warm up", NOW, CUTOFF))
        for row in listed:
            begun = time.perf_counter()
            decision = await cascade.decide(request(row["text"], row))
            seconds[decision.verdict.stage].append(time.perf_counter() - begun)
            outcomes.append(_outcome(row, decision))
    return outcomes, seconds


@asynccontextmanager
async def open_cascade(target: str) -> AsyncIterator[Cascade]:
    """Yield a cascade with the trained model of the scorer at `target`, without one if empty."""
    if not target:
        yield Cascade(RulesFolder())
        return
    async with grpc.aio.insecure_channel(target) as channel:
        # Rates are told here, and a busy machine is no reason for them to change.
        yield Cascade(RulesFolder(), ScorerUnderstanding(channel, UNDERSTAND_TIMEOUT_S))


@contextmanager
def deciding(target: str) -> Iterator[Callable[[Ask], Decision]]:
    """Yield a way to ask such a cascade from code that does not await."""
    with asyncio.Runner() as runner:
        opened = open_cascade(target)
        cascade = runner.run(opened.__aenter__())
        yield lambda ask: runner.run(cascade.decide(ask))
        runner.run(opened.__aexit__(None, None, None))


def over_grpc(listed: Sequence[Mapping[str, Any]], target: str) -> None:
    """Print wall and processor time of `Decide` per stage; every message is new to the service.

    Processor time is of client and server together, without the scorer's, and does not grow with
    other load on the machine.
    """
    seconds: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with asyncio.Runner() as runner, redirect_stdout(io.StringIO()):
        runner.run(_exchange(listed, seconds, target))
    for stage, pairs in sorted(seconds.items()):
        wall, busy = (sorted(column) for column in zip(*pairs, strict=True))
        middle, last = len(pairs) // 2, min(len(pairs) - 1, int(len(pairs) * 0.99))
        print(
            f"  {stage:<12} n={len(pairs):<4} wall p50 {wall[middle] * 1e3:.2f} p99 {wall[last] * 1e3:.2f} ms"  # noqa: E501 - one pattern or table row
            f"  processor p50 {busy[middle] * 1e3:.2f} p99 {busy[last] * 1e3:.2f} ms"
        )


async def _exchange(
    listed: Sequence[Mapping[str, Any]],
    seconds: dict[str, list[tuple[float, float]]],
    target: str,
) -> None:
    settings = DecisionSettings(grpc_port=0, pellucid_clock=NOW, scorer_target=target)
    async with AsyncExitStack() as stack:
        server = (await build(settings, stack)).listeners[0]
        async with server, grpc.aio.insecure_channel(server.target) as channel:
            stub = DecisionServiceStub(channel)
            for item in list(labelled())[::WARM_UP_EVERY]:
                await stub.Decide(pb.DecideRequest(message=item.text))
            gc.collect()
            gc.freeze()  # as the service does at its start
            for row in listed:
                begun, busy = time.perf_counter(), time.process_time()
                answer = await stub.Decide(pb.DecideRequest(message=row["text"]))
                spent = (time.perf_counter() - begun, time.process_time() - busy)
                stage = pb.Stage.Name(answer.decision.stage).removeprefix("STAGE_").lower()
                seconds[stage].append(spent)


def _outcome(row: Mapping[str, Any], decision: Decision) -> Outcome:
    got = decision.action is not Action.ANSWER
    verdict = decision.verdict
    return Outcome(
        row["lang"],
        row.get("slice", ""),
        row["needs_search"],
        got,
        verdict.confidence,
        verdict.stage,
    )


def report(outcomes: Sequence[Outcome]) -> None:
    """Print rates by group and the calibration error."""
    for name, group in by_group(outcomes).items():
        print(
            f"  {name:<26} n={group.count:<5} precision {group.precision:.3f}  recall {group.recall:.3f}"  # noqa: E501 - one pattern or table row
            f"  false positives {group.false_positive_rate:.3f}"
        )
    print(f"  calibration error {calibration_error(outcomes):.3f}")


def share(terms: Sequence[str], text: str) -> float:
    """Return the share of stemmed terms that stand in a text."""
    words = re.findall(r"\w+", text.lower())
    found = [
        any(
            word.startswith(term) or (len(word) >= MIN_PREFIX and term.startswith(word))
            for word in words
        )
        for term in terms
    ]
    return sum(found) / len(found)


if __name__ == "__main__":
    main(sys.argv[1:])
