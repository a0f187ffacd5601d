"""A whole search turn over paced upstreams: when its first word comes, what the model is asked.

Search takes 600 ms, a page 150 ms, rating 40 ms, one support call 15 ms; the model's first token
comes after 300 ms, then 50 tokens a second, 150 in all. The engine is the real one, in process; the
other services are paced stand-ins, so that the figures are the engine's own and repeatable. Prints
a table and writes it to `bench/results/turn.json`: `python bench/turn_bench.py`.
"""

import asyncio
import json
import logging
import os
import statistics
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import structlog

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from pellucid_gateway.domain.answer_model import ModelEnd, ModelPiece, Prompt
from pellucid_gateway.domain.events import Delta, Done
from pellucid_gateway.domain.findings import (
    Hit,
    Method,
    PageContent,
    ProviderReport,
    ProviderStatus,
    ScoredHit,
)
from pellucid_gateway.domain.ports import (
    FetchCall,
    Passage,
    PassageSupport,
    ScoreCall,
    SearchAnswer,
    SearchCall,
)
from pellucid_gateway.domain.request import ChatMessage, Depth, Role, TurnRequest
from rig.injected_turns import Web, engine_over

TURNS = 10
SEARCH_S, PAGE_S, SCORE_S, SUPPORT_S = 0.600, 0.150, 0.040, 0.015
FIRST_TOKEN_S, TOKENS_PER_S, TOKENS = 0.300, 50, 150
MOST_PROMPT_CHARS = 4_000
RESULTS = Path(__file__).parent / "results" / "turn.json"
QUESTION = "What is the toll for cars on the Skerry Bridge?"
FACT = "The toll for cars on the Skerry Bridge is 4.50 crowns since 3 October 2026."
FACTS = (FACT, "Cars pay a toll of 4.50 crowns on the bridge.", "The Skerry Bridge has 12 lanes.")
PLAIN = "The toll for cars on the Skerry Bridge is 4.50 crowns [1]. "
ATTRIBUTED = "According to s1.example, the toll for cars on the bridge is 4.50 crowns [1]. "


@dataclass
class PacedWeb(Web):
    """Three results; every call takes its time."""

    async def search(self, call: SearchCall) -> SearchAnswer:
        """Three results of three domains."""
        del call
        await asyncio.sleep(SEARCH_S)
        hits = tuple(
            Hit(
                url=f"https://s{n}.example/a",
                title="Toll on the Skerry Bridge",
                snippet=text,
                domain=f"s{n}.example",
            )
            for n, text in enumerate(FACTS, start=1)
        )
        report = ProviderReport(name="paced", status=ProviderStatus.OK, results=len(hits))
        return SearchAnswer(hits=hits, providers=(report,))

    async def score(self, call: ScoreCall) -> tuple[ScoredHit, ...]:
        """Include everything."""
        await asyncio.sleep(SCORE_S)
        return await super().score(call)

    async def support(
        self, claims: Sequence[str], passages: Sequence[Passage]
    ) -> tuple[tuple[PassageSupport, ...], ...]:
        """By words."""
        await asyncio.sleep(SUPPORT_S)
        return await super().support(claims, passages)

    async def fetch_many(self, call: FetchCall) -> AsyncIterator[tuple[int, PageContent]]:
        """All pages at once, each with its fact among a screen of other text."""
        await asyncio.sleep(PAGE_S)
        for index, url in enumerate(call.urls):
            text = f"{FACTS[index % len(FACTS)]}\n\n" + "Ships pass below the bridge. " * 60
            yield (
                index,
                PageContent(
                    url=url, success=True, status="ok", method=Method.HTTP, title="Toll", text=text
                ),
            )


@dataclass
class PacedModel:
    """Speaks at the rig's pace."""

    text: str
    name: str = "paced"
    receiver: str = ""
    window_tokens: int = 16_384
    prompts: list[Prompt] = field(default_factory=list)

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelPiece | ModelEnd]:
        """One word a token, over and over, until the answer is long enough."""
        self.prompts.append(prompt)
        await asyncio.sleep(FIRST_TOKEN_S)
        words = self.text.split(" ")
        begun = time.perf_counter()
        for n in range(TOKENS):
            await asyncio.sleep(max(0.0, begun + n / TOKENS_PER_S - time.perf_counter()))
            word = words[n % (len(words) - 1)] if len(words) > 1 else self.text
            yield ModelPiece(f"{word} ")
        yield ModelEnd(completion_tokens=TOKENS)


@dataclass(frozen=True, slots=True)
class Measured:
    """One turn: seconds to the first word and in all, and what the model was asked."""

    first_s: float
    total_s: float
    calls: int
    prompt_chars: int
    added_tokens: int


async def one_turn(depth: Depth, text: str) -> Measured:
    """Run and time a turn."""
    page = PageContent(url="", success=False, status="unused")
    web = PacedWeb(question=QUESTION, page=page, snippet="", title="")
    model = PacedModel(text)
    request = TurnRequest(messages=(ChatMessage(Role.USER, QUESTION),), depth=depth)
    begun = time.perf_counter()
    first = 0.0
    async for event in engine_over(web, model).run(request):
        if isinstance(event, Delta) and not first:
            first = time.perf_counter() - begun
        if isinstance(event, Done):
            added = event.result.usage.context_tokens
    chars = max(sum(len(m.content) for m in prompt.messages) for prompt in model.prompts)
    return Measured(first, time.perf_counter() - begun, len(model.prompts), chars, added)


CASES = {
    "from snippets": (Depth.QUICK, PLAIN, 1.00),
    "with pages": (Depth.STANDARD, PLAIN, 1.15),
    "with pages, attribution first": (Depth.STANDARD, ATTRIBUTED, 1.50),
}


async def measure() -> dict[str, dict[str, float]]:
    """Measure every case, the turns one after another."""
    rows = {}
    for name, (depth, text, reach) in CASES.items():
        turns = [await one_turn(depth, text) for _ in range(TURNS)]
        firsts = sorted(turn.first_s for turn in turns)
        rows[name] = {
            "first_p50_s": round(statistics.median(firsts), 3),
            "first_p95_s": round(firsts[int(0.95 * (len(firsts) - 1))], 3),
            "reach_s": reach,
            "total_p50_s": round(statistics.median(turn.total_s for turn in turns), 2),
            "model_calls": max(turn.calls for turn in turns),
            "prompt_chars": max(turn.prompt_chars for turn in turns),
            "source_tokens": max(turn.added_tokens for turn in turns),
        }
    return rows


def main() -> int:
    """Print and write the table; 1 when a figure is not reached."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    rows = asyncio.run(measure())
    load = os.getloadavg()[0]
    print(f"{TURNS} turns each, load {load:.1f} on {os.cpu_count()} cores")
    columns = list(next(iter(rows.values())))
    print(f"{'':<32}" + "".join(f"{column:>15}" for column in columns))
    for name, row in rows.items():
        print(f"{name:<32}" + "".join(f"{value:>15}" for value in row.values()))
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"load": load, "turns": TURNS, "cases": rows}, indent=1))
    missed = [
        name
        for name, row in rows.items()
        if row["first_p50_s"] > row["reach_s"] or row["prompt_chars"] > MOST_PROMPT_CHARS
    ]
    if missed:
        print(f"not reached: {', '.join(missed)}")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
