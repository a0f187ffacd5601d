"""Reports answers to 100 messages that a reader has rated, beside what the literal message finds.

    python eval/answers_rated_eval.py [--again | --rest]

`--again` asks all of them anew (ten minutes) and writes ``answers_rated.jsonl``: an answer that is
as it was keeps its rating, any other waits for one. `--rest` asks those without an answer. 90
messages are about the sample corpus, 10 about companies that a stand-in for Brave's API and its
pages invent. Each is answered with a model, and 73 of them without one by quoted sentences.

The model is a stand-in that says the row's `reply`. The replies were written once by a language
model of the size of today's hosted ones, which saw each prompt as the gateway sends it and nothing
else. So the ratings are those of searching, reading and checking with a good model behind it. A
reply to a prompt that has changed since may cite by numbers that are others' now: its row then
waits for a new reply as well as a rating.

A rating, 1 to 5, goes to the answer as a person sees it, never to the sources below it:

5   right and complete: each fact that was asked for, current, with its source; or, where no page
    has it, says so and claims nothing
4   right, with something that was not asked for, or a part of lesser weight missing
3   the answer is there, but only with what is beside the question, or a half of it is missing; or
    says that it found none, and quotes it all the same
2   hardly helps: beside the question, or says that it found none where pages have it
1   misleads: wrong, out of date as if it were current, or something else presented as the answer
"""

import argparse
import asyncio
import json
import re
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from rig.fake_model import FakeModel, serve_model  # noqa: E402 - needs the path above
from rig.installation import start_installation  # noqa: E402 - needs the path above
from rig.invented_web import SITES  # noqa: E402 - needs the path above
from rig.ports import free_port  # noqa: E402 - needs the path above
from rig.upstreams import Pages, Provider  # noqa: E402 - needs the path above

ROWS = Path(__file__).with_name("answers_rated.jsonl")
FIRST = 3
POOR = 2
LONG_QUOTE_WORDS = 15
OFFSET = 14_200
# The times of stages are the benches' matter: a busy machine gives the same answers.
_PATIENCE = {
    "GATEWAY_BUDGETS": json.dumps(
        dict.fromkeys(
            ("decision_s", "score_s", "page_s", "similarity_s", "support_s", "opinion_s"), 30
        )
    ),
    "GATEWAY_MAX_LAG_MS": "60000",
    "GATEWAY_MIN_SEARCHES": "64",
    "DECISION_UNDERSTAND_TIMEOUT_S": "2",
}
_DEADLINE_MS = 120_000
_READY_WITHIN_S = 600.0
# Begins the last part of a prompt that asks for an answer.
_SAYS = "The person says:"

Row = dict[str, Any]


def rows() -> list[Row]:
    """All rows of the file."""
    return [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]


def report(rated: Sequence[Row]) -> None:
    """Print the ratings, the sources beside those of the literal message, and the quotations."""
    for name, some in _parts(rated):
        marks = [row["rating"] for row in some if row["rating"]]
        if marks:
            poor = sum(mark <= POOR for mark in marks) / len(marks)
            counts = sorted(Counter(marks).items())
            print(f"{name:<22}{len(marks):>4} rated  mean {statistics.mean(marks):.2f}"
                  f"  at 1-2 {poor:.2f}  {dict(counts)}")  # fmt: skip
    print(f"not rated: {sum(not row['rating'] for row in rated)}")
    each = [row for row in rated if row["model"]]
    for name, found in (("literal message", "raw"), ("our queries", "ours")):
        print(f"{name:<18}{_relevance(each, found)}")
    cited = [row["citations"] for row in each if row["searched"] and _has_pages(row)]
    print(
        f"cites a source {_share([bool(n) for n in cited])}, two {_share([n > 1 for n in cited])}"
    )
    words = [len(quote.split()) for row in rated for quote in row["quotes"]]
    long = _share([count > LONG_QUOTE_WORDS for count in words])
    print(f"quotations: {len(words)}, mean {statistics.mean(words):.1f} words, above 15: {long}")


def _parts(rated: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    conditions: Mapping[str, Callable[[Row], bool]] = {
        "all": lambda _: True,
        "quoted sentences": lambda row: not row["model"],
        "written by a model": lambda row: row["model"],
        "nothing to be found": lambda row: not _has_pages(row),
    }
    for name, holds in conditions.items():
        yield name, [row for row in rated if holds(row)]


def _has_pages(row: Row) -> bool:
    return bool(row["facts"])


def _relevance(rated: Sequence[Row], found: str) -> str:
    """How often a page with the answer is among the first three, and how many of them have it."""
    firsts = [[bears for _, bears in row[found]] for row in rated if _has_pages(row)]
    hits, share = _share([any(bears) for bears in firsts]), _share([b for f in firsts for b in f])
    return f"a right page among the first three {hits}, right of all shown {share}"


def _share(held: Sequence[bool]) -> str:
    return f"{sum(held) / max(1, len(held)):.2f}"


async def ask(*, again: bool) -> None:
    """Ask every row anew, or those without an answer; each answer is written at once.

    Those of a model and those without one need an installation of their own.
    """
    asked = rows()
    for model in (False, True):
        async with installed(model=model) as (http, stand_in):
            for n, row in enumerate(asked):
                if row["model"] is model and (again or "answer" not in row):
                    stand_in.speak = _speaker(row)
                    asked[n] = await _asked(http, row)
                    _write(asked)
                    print(".", end="", flush=True)
    print()


def _write(asked: Sequence[Row]) -> None:
    lines = [json.dumps(row, ensure_ascii=False) for row in asked]
    ROWS.write_text("\n".join([*lines, ""]), "utf-8")


@asynccontextmanager
async def installed(*, model: bool) -> AsyncIterator[tuple[httpx.AsyncClient, FakeModel]]:
    """The five services over the corpus and the invented web, a client of them, and the model."""
    pages = free_port()
    async with Provider(pages).stub(0) as brave, Pages().stub(pages):
        hosts = f"*.localhost:{8099 + OFFSET},*.localhost:{pages}"
        environment = _PATIENCE | {
            "SEARCH_PROVIDERS": "local,brave",
            "BRAVE_BASE_URL": f"http://127.0.0.1:{brave.port}",
            "BRAVE_SEARCH_API_KEY": "of-nobody",
            "SEARCH_RATES": "brave=500/1",
            "FETCHER_ALLOW_PRIVATE_HOSTS": hosts,
        }
        with serve_model(FakeModel(pieces=[])) as server:
            if model:
                environment |= {"OPENAI_BASE_URL": server.url, "LLM_MODEL": "stand-in",
                                "OPENAI_API_KEY": "none", "LLM_PROBE": "false",
                                "CITATIONS_LLM": "never"}  # fmt: skip
            with tempfile.TemporaryDirectory() as data:
                running = start_installation(Path(data), OFFSET, environment)
                try:
                    await asyncio.to_thread(running.wait_for_line, "ready after", _READY_WITHIN_S)
                    async with httpx.AsyncClient(
                        base_url=running.url, timeout=180, trust_env=False
                    ) as http:
                        yield http, server
                finally:
                    await asyncio.to_thread(running.stop)


def _speaker(row: Row) -> Callable[[str], list[str]]:
    """Says the row's reply to what the person says, and nothing of a page to summarise."""
    return lambda prompt: [row["reply"]] if _SAYS in prompt else []


async def _asked(http: httpx.AsyncClient, row: Row) -> Row:
    """The row with today's answer; its rating only where the answer is the same."""
    messages = [{"role": "user", "content": text} for text in (*row["history"], row["message"])]
    options = {"providers": [row["provider"]], "deadline_ms": _DEADLINE_MS}
    chat = await http.post("/v1/chat", json={"messages": messages, "language": "auto", **options})
    raw = await http.post("/v1/search", json={"query": row["message"], **options})
    body = chat.raise_for_status().json()
    answer = _without_port(body["answer"])
    same = answer == row.get("answer")
    spoken = sorted((one["start"], one["end"]) for one in body["citations"])
    quotes = [] if row["model"] else [body["answer"][start:end] for start, end in spoken]
    return row | {
        "searched": body["decision"]["action"] == "search",
        "queries": body["decision"]["queries"],
        "raw": _first(row, raw.json().get("results", [])),
        "ours": _first(row, body["sources"]),
        "answer": answer,
        "citations": len({one["source"] for one in body["citations"]}),
        "quotes": quotes,
        "late": [one["component"] for one in body["degraded"]],
        "rating": row.get("rating") if same else None,
        "why": row.get("why", "") if same else "",
    }


def _first(row: Row, found: Sequence[Mapping[str, Any]]) -> list[tuple[str, bool]]:
    pages = [_without_port(one["url"]).removeprefix("http://") for one in found[:FIRST]]
    return [(page, _bears(row, page)) for page in pages]


def _without_port(text: str) -> str:
    return re.sub(r"(\.localhost):\d+", r"\1", text)


def _bears(row: Row, page: str) -> bool:
    """The page has what was asked for."""
    if not row["of"]:
        return urlsplit(f"//{page}").hostname in {f"{site}.localhost" for site in SITES}
    right = {_folder(one) for one in _questions()[row["of"]].get("pages", ())}
    return _folder(page) in right


def _folder(path: str) -> str:
    """A folder and its index page are one page."""
    return path.removesuffix("index.html").removesuffix("/")


def _questions() -> Mapping[str, Mapping[str, Any]]:
    bank = yaml.safe_load((ROOT / "corpus" / "questions.yaml").read_text("utf-8"))
    return {question["id"]: question for question in bank["questions"]}


def main() -> int:
    """Report; with `--again` ask first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--again", action="store_true", help="ask all of them anew")
    parser.add_argument("--rest", action="store_true", help="ask those without an answer")
    options = parser.parse_args()
    if options.again or options.rest:
        asyncio.run(ask(again=options.again))
    report(rows())
    return 0


if __name__ == "__main__":
    sys.exit(main())
