"""What the gateway adds to a stream of the model: `python bench/gateway_bench.py`.

One run, side by side: callers against the model server itself, through the gateway's OpenAI face
(a whole local installation, the messages settled by their form), through the bare proxy of
`gateway_peer.py`, and through LiteLLM's proxy where `--litellm` names its program. Then many
streams at once, some of them answers with verified citations. Prints tables and writes them to
`bench/results/gateway.json`. The exit status says whether what is to be reached was reached.

One caller asks different messages, none of which anything was trained on (`form_settled.py`). Most
are shown to the model server while they are decided on, others wait for that: both are told by
themselves too. The many callers ask one, small talk. The bar of CPU
was set on a machine whose bare proxy is known: it is told as it stands, and as a share of the bare
proxy of the same run, which is what counts.
"""

import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import uvloop
from form_settled import begins_early, form_settled
from gateway_cost import LENGTHS, Cost, beside, cpu_s
from gateway_load import (
    KEY,
    SMALL_TALK,
    WITHIN_S,
    Heard,
    callers,
    leave,
    one_by_one,
    percentile,
    request_bytes,
)

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from rig.installation import Installation, start_installation  # noqa: E402 - needs the path above

RESULTS = HERE / "results" / "gateway.json"
QUESTION = "When did the Ondry Bridge open?"
# One caller waits for most of its time, so its streams are short.
ALONE = {"first_s": 0.05, "gap_s": 0.02, "tokens": 5}
PACED = {"first_s": 0.3, "gap_s": 0.02}
SLOW = {"first_s": 0.3, "gap_s": 0.1, "tokens": 100}
# CPU seconds for 1,000 streams, and what a bare proxy of Starlette, granian and aiohttp took where
# the bar was set.
CPU_BAR_S, BARE_AT_BAR_S = 3.0, 1.6
REACH = {
    "added_p50_ms": 3.0,
    "added_p95_ms": 20.0,
    "cpu_beside_bare": CPU_BAR_S / BARE_AT_BAR_S,
    "rss_mb": 400.0,
    "leaving_ms": 500.0,
}
ENDLESS = {"first_s": 0.05, "gap_s": 0.02, "tokens": 3000}
LEAVERS = 5
READY_WITHIN_S = 120.0


@dataclass(frozen=True, slots=True)
class Target:
    """Where streams are asked for, and the processes that this costs."""

    name: str
    url: str
    pids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One target. Times in milliseconds until the first text, CPU in seconds per 1,000 streams.

    Attributes:
        alone_p50_ms: One caller, messages of all sorts.
        early_p50_ms: Of these, those that begin while they are decided on.
        waiting_p50_ms: Of these, the others.
        early, waiting: How many these are.
        costs: CPU of each process by the length of the streams.
    """

    name: str
    alone_p50_ms: float
    early_p50_ms: float
    waiting_p50_ms: float
    early: int
    waiting: int
    crowd_p50_ms: float
    crowd_p95_ms: float
    costs: tuple[Cost, ...]
    failed: int

    @property
    def cpu_s_per_1000(self) -> tuple[float, ...]:
        """CPU of each process for the streams of the bar."""
        return tuple(cost.by_tokens[max(LENGTHS)] for cost in self.costs)


def memory_mb(pid: int, field: str) -> float:
    """A memory figure of a process: VmRSS now, VmHWM at most so far."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    line = next(line for line in status.splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


@contextmanager
def process(command: list[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program for as long as it is needed."""
    running = subprocess.Popen(command, start_new_session=True, **options)
    try:
        yield running
    finally:
        running.send_signal(signal.SIGTERM)
        try:
            running.wait(10)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def wait_until_open(url: str) -> None:
    """Wait until something answers there."""
    end = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < end:
        try:
            urllib.request.urlopen(url, timeout=2).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise TimeoutError(f"{url} does not answer")


def open_litellm(program: str, model_url: str, port: int, stack: ExitStack) -> Target | str:
    """LiteLLM's proxy, or why there is none."""
    if not program or not Path(program).exists():
        return "not run: not installed"
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    params = {"model": "openai/bench", "api_base": model_url, "api_key": "bench"}
    config = {"model_list": [{"model_name": "bench", "litellm_params": params}]}
    (folder / "config.yaml").write_text(json.dumps(config), "utf-8")
    command = [program, "--config", str(folder / "config.yaml"), "--host", "127.0.0.1"]
    options = {
        "cwd": folder,
        "env": {**os.environ, "LITELLM_MASTER_KEY": KEY},
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
    }
    running = stack.enter_context(process([*command, "--port", str(port)], **options))
    try:
        wait_until_open(f"http://127.0.0.1:{port}/health/liveliness")
    except TimeoutError:
        return f"not run: LiteLLM did not answer within {READY_WITHIN_S:.0f} s"
    return Target("LiteLLM proxy", f"http://127.0.0.1:{port}/v1", (running.pid,))


def measure(target: Target, messages: Sequence[str], *, count: int, each: int) -> Row:
    """One caller, then many with streams of several lengths; the last ones are those of the bar."""
    alone = _alone(target, messages)
    early = [one for one, message in zip(alone, messages, strict=True) if begins_early(message)]
    waiting = [one for one in alone if one not in early]
    spent: list[dict[int, float]] = [{} for _ in target.pids]
    heard = [*alone]
    crowd: list[Heard] = []
    for tokens in LENGTHS if target.pids else LENGTHS[-1:]:
        before = [cpu_s(pid) for pid in target.pids]
        crowd = _crowd(target, tokens, count=count, each=each)
        for by_tokens, pid, earlier in zip(spent, target.pids, before, strict=True):
            by_tokens[tokens] = (cpu_s(pid) - earlier) / len(crowd) * 1000
        heard += crowd
    firsts = [one.first_s * 1000 for one in crowd if not one.failed]
    return Row(
        name=target.name,
        alone_p50_ms=_median_ms(alone),
        early_p50_ms=_median_ms(early),
        waiting_p50_ms=_median_ms(waiting),
        early=len(early),
        waiting=len(waiting),
        crowd_p50_ms=percentile(firsts, 0.5),
        crowd_p95_ms=percentile(firsts, 0.95),
        costs=tuple(map(Cost, spent)),
        failed=sum(bool(one.failed) for one in heard),
    )


def _alone(target: Target, messages: Sequence[str]) -> list[Heard]:
    requests = [request_bytes(target.url, message, ALONE) for message in messages]
    return uvloop.run(one_by_one(target.url, requests))


def _median_ms(heard: Sequence[Heard]) -> float:
    return statistics.median(one.first_s for one in heard) * 1000 if heard else float("nan")


def _crowd(target: Target, tokens: int, *, count: int, each: int) -> list[Heard]:
    """Callers who begin evenly over the length of a stream."""
    request = request_bytes(target.url, SMALL_TALK, {**PACED, "tokens": tokens})
    stream_s = PACED["first_s"] + PACED["gap_s"] * tokens
    return uvloop.run(callers(target.url, request, count=count, each=each, over_s=stream_s))


def _small_talk(target: Target, pace: dict[str, Any]) -> bytes:
    return request_bytes(target.url, SMALL_TALK, pace)


@dataclass(frozen=True, slots=True)
class Crowd:
    """Many streams at once. Gaps in milliseconds between arrivals; the model's own is 100."""

    streams: int
    answers: int
    cited: int
    failed: int
    gap_p50_ms: float
    gap_p99_ms: float
    rss_mb: float
    rss_peak_mb: float


async def _both(url: str, streams: int, answers: int) -> tuple[list[Heard], list[Heard]]:
    plain = request_bytes(url, SMALL_TALK, SLOW)
    asking = request_bytes(url, QUESTION, SLOW, pellucid={"citation_style": "numeric"})
    return await asyncio.gather(
        callers(url, plain, count=streams, each=1), callers(url, asking, count=answers, each=1)
    )


def measure_crowd(target: Target, *, streams: int, answers: int) -> Crowd:
    """Pass-through streams at 10 tokens/s beside answers with verified citations."""
    plain, answered = uvloop.run(_both(target.url, streams, answers))
    gaps = [gap * 1000 for heard in plain for gap in heard.gaps_s]
    return Crowd(
        streams=len(plain),
        answers=len(answered),
        cited=sum(heard.citations > 0 for heard in answered),
        failed=sum(bool(heard.failed) for heard in (*plain, *answered)),
        gap_p50_ms=percentile(gaps, 0.5),
        gap_p99_ms=percentile(gaps, 0.99),
        rss_mb=memory_mb(target.pids[0], "VmRSS"),
        rss_peak_mb=memory_mb(target.pids[0], "VmHWM"),
    )


def measure_leaving(target: Target, model_url: str) -> float:
    """Milliseconds from a caller's leaving until the model server is hung up on; median of some."""
    times = []
    for _ in range(LEAVERS):
        begun = uvloop.run(leave(target.url, _small_talk(target, ENDLESS)))
        end = time.monotonic() + WITHIN_S
        while time.monotonic() < end:
            with urllib.request.urlopen(f"{model_url}/models", timeout=2) as reply:
                left = json.load(reply)["left"]
            if left and left[0] > begun:
                times.append((left[0] - begun) * 1000)
                break
            time.sleep(0.02)
    return statistics.median(times) if len(times) == LEAVERS else float("inf")


def open_targets(stack: ExitStack, offset: int, litellm: str) -> tuple[list[Target], str]:
    """Start everything; returns the targets and why one is missing."""
    model, peer, lite = 8070 + offset, 8071 + offset, 8072 + offset
    stack.enter_context(process([sys.executable, str(HERE / "gateway_model.py"), str(model)]))
    model_url = f"http://127.0.0.1:{model}/v1"
    wait_until_open(f"{model_url}/models")
    command = [sys.executable, str(HERE / "gateway_peer.py"), model_url, str(peer)]
    bare = stack.enter_context(process(command))
    ours = open_installation(stack, offset, model_url)
    wait_until_open(f"http://127.0.0.1:{peer}/")
    targets = [
        Target("model server itself", model_url),
        Target("bare proxy", f"http://127.0.0.1:{peer}/v1", (bare.pid,)),
        Target("gateway", f"{ours.url}/v1", (ours.pid_of("gateway"), ours.pid_of("decision"))),
    ]
    other = open_litellm(litellm, model_url, lite, stack)
    return ([*targets, other], "") if isinstance(other, Target) else (targets, other)


def open_installation(stack: ExitStack, offset: int, model_url: str) -> Installation:
    """The five services, stopped with the stack."""
    data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    environment = {
        "OPENAI_BASE_URL": model_url,
        "LLM_PROBE": "false",
        "OPENAI_API_KEY": "bench",
        "LLM_MODEL": "bench",
        "LOG_LEVEL": "warning",
    }
    ours = start_installation(data, offset, environment)
    stack.callback(ours.stop)
    ours.wait_for_line("ready after", READY_WITHIN_S)
    return ours


def report(rows: list[Row], crowd: Crowd, leaving_ms: float, missing: str) -> bool:
    """Print what was measured beside what is to be reached; returns whether it was."""
    direct = rows[0]
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; first text in ms, CPU in s")
    print(f"{'':22}{'1 caller':>10}{'added':>8}{'50 callers p95':>16}{'added':>8}  CPU/1,000")
    for row in rows:
        spent = " + ".join(f"{used:.1f}" for used in row.cpu_s_per_1000)
        added = (row.alone_p50_ms - direct.alone_p50_ms, row.crowd_p95_ms - direct.crowd_p95_ms)
        print(
            f"{row.name:22}{row.alone_p50_ms:10.1f}{added[0]:8.1f}{row.crowd_p95_ms:16.1f}"
            f"{added[1]:8.1f}  {spent}{'  FAILED ' + str(row.failed) if row.failed else ''}"
        )
    print(*([f"LiteLLM: {missing}"] if missing else []), sep="\n")
    ours, bare = (
        next(row for row in rows if row.name == name) for name in ("gateway", "bare proxy")
    )
    early = ours.early_p50_ms - direct.early_p50_ms
    waited = ours.waiting_p50_ms - direct.waiting_p50_ms
    print(f"1 caller, {ours.early} of {ours.early + ours.waiting} messages begin early: ", end="")
    print(f"{early:.1f} ms added to these, {waited:.1f} ms to those that wait for the decision")
    print(*beside(bare.costs[0], ours.costs), sep="\n")
    print(
        f"{crowd.streams} pass-through streams at 10 tokens/s beside {crowd.answers} answers "
        f"({crowd.cited} cited): {crowd.failed} failed, gap p50 {crowd.gap_p50_ms:.0f} ms, "
        f"p99 {crowd.gap_p99_ms:.0f} ms, RSS {crowd.rss_mb:.0f} MB, at most {crowd.rss_peak_mb:.0f}"
    )
    got = {
        "added_p50_ms": ours.alone_p50_ms - direct.alone_p50_ms,
        "added_p95_ms": ours.crowd_p95_ms - direct.crowd_p95_ms,
        "cpu_beside_bare": sum(ours.cpu_s_per_1000) / bare.cpu_s_per_1000[0],
        "rss_mb": crowd.rss_peak_mb,
        "leaving_ms": leaving_ms,
    }
    for name, most in REACH.items():
        verdict = "ok" if got[name] <= most else "MISSED"
        print(f"{name}: {got[name]:.2f}, at most {most:g}: {verdict}")
    print(*in_absolute_terms(ours, bare), sep="\n")
    failed = crowd.failed + ours.failed
    return not failed and all(got[name] <= most for name, most in REACH.items())


def in_absolute_terms(ours: Row, bare: Row) -> Iterator[str]:
    """What the bar of CPU says without regard to the machine: told, and no part of the status."""
    alone, together = ours.cpu_s_per_1000[0], sum(ours.cpu_s_per_1000)
    for name, spent in (("gateway", alone), ("gateway and decision", together)):
        verdict = "within it" if spent <= CPU_BAR_S else "above it"
        beside_bare = f"the bare proxy {bare.cpu_s_per_1000[0]:.1f} here, {BARE_AT_BAR_S} there"
        yield f"CPU s per 1,000, {name}: {spent:.1f}; bar {CPU_BAR_S:g}, {verdict} ({beside_bare})"


def main() -> int:
    """Measure and report; 0 when everything was reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--litellm", default="", help="program of LiteLLM's proxy")
    parser.add_argument("--offset", type=int, default=13000, help="added to every port")
    parser.add_argument("--alone", type=int, default=60, help="messages of the single caller")
    parser.add_argument("--each", type=int, default=6, help="streams of each of the 50 callers")
    options = parser.parse_args()
    with ExitStack() as stack:
        targets, missing = open_targets(stack, options.offset, options.litellm)
        messages = form_settled(options.alone)
        for target in targets:
            measure(target, messages[:3], count=5, each=1)
        rows = [measure(t, messages, count=50, each=options.each) for t in targets]
        gateway = next(target for target in targets if target.name == "gateway")
        crowd = measure_crowd(gateway, streams=200, answers=40)
        leaving_ms = measure_leaving(gateway, targets[0].url)
    reached = report(rows, crowd, leaving_ms, missing)
    RESULTS.parent.mkdir(exist_ok=True)
    found = {
        "rows": [asdict(row) for row in rows],
        "crowd": asdict(crowd),
        "leaving_ms": leaving_ms,
        "litellm": missing,
    }
    RESULTS.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
