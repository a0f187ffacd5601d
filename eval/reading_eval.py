"""Measures what of a page reaches the model: facts of questions, key points of summaries.

    EVAL_DATA=<folder> python eval/reading_eval.py [-v]

The folder holds ``page_questions*.jsonl`` (page_id, kind, question, answers) and the pages as
``pages_dev/html/<page_id>.html.gz``. Pages are read by the fetcher's extraction and the passages
chosen as the gateway does, with the scorer's real model: once as pages that the person named, once
as the only page of a search turn at standard depth, once at quick depth. "Stood" leaves out what
the extraction did not read. Without the folder nothing is measured.
"""

import asyncio
import gzip
import json
import os
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from pellucid_fetcher.document import Document
from pellucid_fetcher.extraction.reading.dispatch import open_readers, read
from pellucid_gateway.answering.window import NAMED_SHARE
from pellucid_gateway.domain.events import TurnEvent
from pellucid_gateway.domain.findings import Hit, PageContent, ScoredHit
from pellucid_gateway.domain.notices import wording_for
from pellucid_gateway.domain.request import Depth
from pellucid_gateway.retrieval.choosing import PassageChooser, Wanted
from pellucid_gateway.turn_context.budgets import StageBudgets, TurnBudget
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_gateway.turn_context.plans import DEPTH_PLANS
from pellucid_runtime.clock import SystemClock
from rig.real_support import RealLikeness

Row = Mapping[str, Any]
STANDARD = DEPTH_PLANS[Depth.STANDARD]
# For the pages that a person named, in a window of 8,192 tokens.
NAMED_TOKENS = int(NAMED_SHARE * 8_192)


def main() -> int:
    """Print shares by way of showing, kind of question and kind of page."""
    folder = os.environ.get("EVAL_DATA")
    if not folder:
        print("EVAL_DATA is not set: nothing to measure")
        return 0
    asyncio.run(measure(Path(folder), verbose="-v" in sys.argv))
    return 0


async def measure(folder: Path, *, verbose: bool) -> None:
    """Ask every question of its page."""
    met: Counter[tuple[str, str]] = Counter()
    asked: Counter[tuple[str, str]] = Counter()
    chars: Counter[str] = Counter()
    for row in rows(folder):
        page = page_of(folder, row["page_id"], row["url"])
        stood = [stands(group, page.text) for group in row["answers"]]
        for way, text in (await shown(page, row["question"])).items():
            found = [stands(group, text) for group in row["answers"]]
            chars[way] += len(text)
            for kind in kinds(row):
                add(met, asked, (way, kind), found, whole=row["kind"] != "summary")
                known = [f for f, s in zip(found, stood, strict=True) if s]
                if row["kind"] == "summary" or all(stood):
                    key = (way, f"{kind}, stood")
                    add(met, asked, key, known, whole=row["kind"] != "summary")
            if verbose and all(stood) and not all(found):
                print(f"{way:<10}{row['id']}: {row['question']}")
    for (way, kind), count in sorted(asked.items()):
        print(f"{way:<10}{kind:<24}{count:>5}{met[way, kind] / count:>8.3f}")
    turns = sum(1 for _ in rows(folder))
    print("characters on average:", {way: round(total / turns) for way, total in chars.items()})


def kinds(row: Row) -> tuple[str, ...]:
    """Under which heads a row counts."""
    if row["kind"] == "summary":
        return ("key points",)
    return ("facts", f"facts {row['page_type']}", f"facts {row['lang']}")


def add(
    met: Counter[tuple[str, str]],
    asked: Counter[tuple[str, str]],
    key: tuple[str, str],
    found: Sequence[bool],
    *,
    whole: bool,
) -> None:
    """Count a question as met when all its groups are; a summary by its groups."""
    asked[key] += 1 if whole else len(found)
    met[key] += all(found) if whole else sum(found)


async def shown(page: PageContent, question: str) -> dict[str, str]:
    """What the model is shown of the page, by way."""
    chooser = PassageChooser(RealLikeness(), context=context())
    wanted = Wanted(question, f"{question} {page.url}")
    hit = ScoredHit(hit=Hit(url=page.url, title=page.title, snippet=page.excerpt), relevance=0.7)
    cut = {page.url: page}
    named = await chooser.of_named([page], wanted, most_tokens=NAMED_TOKENS)
    alone = await chooser.of_hits([hit], cut, wanted, STANDARD)
    quick = await PassageChooser(RealLikeness(), context=context()).of_hits(
        [hit], cut, wanted, DEPTH_PLANS[Depth.QUICK]
    )
    return {
        "named": named.get(page.url, ""),
        "searched": alone.get(page.url, ""),
        "quick": quick.get(page.url, ""),
    }


def context() -> TurnContext:
    """A turn with all the time it needs."""
    clock = SystemClock()

    async def ignore(event: TurnEvent) -> None:
        del event

    return TurnContext(
        clock=clock,
        budgets=StageBudgets(similarity_s=600.0),
        budget=TurnBudget(clock, 600.0),
        ledger=TurnLedger(clock, wording_for("en")),
        send=ignore,
    )


def rows(folder: Path) -> Iterator[Row]:
    """Questions that their page answers."""
    for path in sorted(folder.glob("page_questions*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            if row["kind"] != "absent":
                yield row


@cache
def readers() -> Any:
    """The fetcher's readers, opened once."""
    return open_readers()


@cache
def page_of(folder: Path, page_id: str, url: str) -> PageContent:
    """A page as the fetcher reads it."""
    body = gzip.decompress((folder / "pages_dev" / "html" / f"{page_id}.html.gz").read_bytes())
    extracted = read(readers(), Document(body, url, "text/html"))
    return PageContent(
        url=url,
        success=True,
        status="ok",
        title=extracted.title,
        language=extracted.language,
        text=extracted.text,
        excerpt=extracted.excerpt,
    )


def stands(group: Sequence[str], text: str) -> bool:
    """Whether one of the alternatives stands in a text, not inside a longer word or number."""
    return any(re.search(_bounded(normal(one)), normal(text)) for one in group)


def _bounded(phrase: str) -> str:
    before = r"(?<!\w)" if phrase[0].isascii() and phrase[0].isalnum() else ""
    after = r"(?!\w)" if phrase[-1].isascii() and phrase[-1].isalnum() else ""
    return f"{before}{re.escape(phrase)}{after}"


@cache
def normal(text: str) -> str:
    """Compared as the golden sets are: NFKC, lower case, single spaces, straight quotes."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return " ".join(folded.translate(str.maketrans("“”„’‘", '"""\'\'')).split())


if __name__ == "__main__":
    sys.exit(main())
