"""Measures the queries: rows fully right, words per query, queries per searching turn.

    python eval/queries_eval.py

Own messages in seven languages stand in `query_rows.jsonl`; EVAL_DATA=<folder> adds its
`query_golden*.jsonl` and `rewrite*.jsonl`. DECIDE_URL=<address of a gateway> asks through its
`/v1/decide` as a client would, otherwise the cascade is asked at standard depth, with the scorer at
SCORER_TARGET or one that is started for the while.

A row is right when every group of `must` stands in some query, the phrases of each `must_together`
in one, no word of `must_not` in any, and when there are at least `need` queries. Ends with an error
when fewer of the own rows than `FLOOR` are right.
"""

import json
import os
import re
import sys
import unicodedata
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from decision_eval import deciding, share

from pellucid_decision.decision import Decision
from pellucid_decision.text.conversation import Ask, Role, Turn, WebMode
from pellucid_decision.understanding.limits import word_count
from rig.scorer_process import scorer_at

Row = Mapping[str, Any]
Decider = Callable[[Row], list[str]]
OWN = Path(__file__).with_name("query_rows.jsonl")
# Rules that had been written on these rows had .9 of them right.
FLOOR = 0.79
CUTOFF = datetime(2025, 1, 1, tzinfo=UTC)
TODAY = "2026-11-22"
# Queries on one thing at standard depth.
STANDARD = 2
# Turns of a conversation from here on count as late.
LATE_TURN = 7
MAX_WORDS = 6
_CAPITALS = re.compile(r"[A-Z]{1,3}")


def main() -> int:
    """Print all tables."""
    if "DECIDE_URL" in os.environ:
        return measured(by_rest(os.environ["DECIDE_URL"]))
    with scorer_at(os.environ.get("SCORER_TARGET", "")) as target, deciding(target) as decide:
        return measured(by_cascade(decide))


def measured(decide: Decider) -> int:
    """Print all tables; return 1 when too few of the own rows are right."""
    right = golden(OWN, decide)
    if folder := os.environ.get("EVAL_DATA"):
        for path in sorted(Path(folder).glob("query_golden*.jsonl")):
            golden(path, decide)
        for path in sorted(Path(folder).glob("rewrite*.jsonl")):
            rewrites(path, decide)
    return 0 if right >= FLOOR else 1


def by_cascade(decide: Callable[[Ask], Decision]) -> Decider:
    """Ask the cascade itself, at standard depth."""

    def asked(row: Row) -> list[str]:
        turns = tuple(Turn(Role(turn["role"]), turn["content"]) for turn in row["history"])
        now = datetime.fromisoformat(row.get("today", TODAY)).replace(tzinfo=UTC)
        ask = Ask(row["message"], now, CUTOFF, turns, web_mode=WebMode.ON, max_queries=STANDARD)
        return [query.text for query in decide(ask).queries]

    return asked


def by_rest(address: str) -> Decider:
    """Ask a gateway; its clock should stand on the day of the rows."""

    def decide(row: Row) -> list[str]:
        messages = [*row["history"], {"role": "user", "content": row["message"]}]
        body = json.dumps({"messages": messages, "web_mode": "on"}).encode()
        request = urllib.request.Request(  # noqa: S310 - the person's own gateway
            f"{address}/v1/decide", body, {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request) as reply:  # noqa: S310 - as above
            return list(json.load(reply)["queries"])

    return decide


def rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a file, each with a history."""
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        yield {"history": [], "message": row.get("question", "")} | row


def golden(path: Path, decide: Decider) -> float:
    """Print the share of rows that are right by kind and language, and what is wrong; return it."""
    groups: dict[str, list[bool]] = defaultdict(list)
    written: list[list[str]] = []
    for row in rows(path):
        queries = decide(row)
        written.append(queries)
        faults = faults_of(row, queries)
        for name in ("all", f"language {row['lang']}", f"kind {row['kind']}"):
            groups[name].append(not faults)
        if faults:
            print(f"  {row['message'][:70]!r} -> {queries}: {'; '.join(faults)}")
    print(f"\n{path.name}, rows fully right")
    for name, values in sorted(groups.items()):
        print(f"  {name:<28} n={len(values):<4} {sum(values) / len(values):.3f}")
    _print_lengths(written)
    return sum(groups["all"]) / len(groups["all"])


def _print_lengths(written: Sequence[Sequence[str]]) -> None:
    counts = [word_count(text) for queries in written for text in queries]
    several = sum(len(queries) for queries in written) / len(written)
    print(f"  words per query {sum(counts) / len(counts):.2f}, queries per row {several:.2f}")


def faults_of(row: Row, queries: Sequence[str]) -> list[str]:
    """Return what is wrong with the queries of a row."""
    texts = [_fold(query) for query in queries]
    faults = [
        f"lacks {group[0]}"
        for group in row["must"]
        if not any(_stands(phrase, low) for phrase in group for low in texts)
    ]
    faults += [
        f"not together {phrases}"
        for phrases in row.get("must_together", ())
        if not any(all(_stands(phrase, low) for phrase in phrases) for low in texts)
    ]
    faults += [
        f"has {word}"
        for word in row.get("must_not", ())
        if any(_has_word(word, low) for low in texts)
    ]
    if row.get("need", 1) > max(1, len(queries)):
        faults.append(f"{len(queries)} of {row['need']} queries")
    return faults


def _fold(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text)
    for curly, straight in (("\u2019", "'"), ("\u2018", "'"), ("\u201c", '"'), ("\u201d", '"')):
        folded = folded.replace(curly, straight)
    return " ".join(folded.split()).lower()


def _stands(phrase: str, low: str) -> bool:
    """Whether a phrase stands in a query; one to three capital letters as a whole word."""
    if _CAPITALS.fullmatch(phrase):
        return re.search(rf"(?<!\w){re.escape(phrase.lower())}(?!\w)", low) is not None
    return _fold(phrase) in low


def _has_word(word: str, low: str) -> bool:
    folded = _fold(word)
    if not folded[:1].isascii() and not folded[:1].islower():
        return folded in low
    return re.search(rf"(?<!\w){re.escape(folded)}(?!\w)", low) is not None


def rewrites(path: Path, decide: Decider) -> None:
    """Print the recall of the terms that a rewrite adds, by source, and of late turns, pooled."""
    shares: dict[str, list[float]] = defaultdict(list)
    late: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    unlawful = 0
    for row in rows(path):
        queries = decide(row)
        unlawful += not all(2 <= word_count(text) <= MAX_WORDS for text in queries)  # noqa: PLR2004 - the shortest lawful query
        if not row["added_terms"]:
            continue
        found = share(row["added_terms"], " ".join(queries))
        shares[row["source"]].append(found)
        asked = sum(turn["role"] == "user" for turn in row["history"]) + 1
        if asked >= LATE_TURN:
            late[row["source"]][0] += found * len(row["added_terms"])
            late[row["source"]][1] += len(row["added_terms"])
    print(f"\n{path.name}, added-term recall of the union of queries")
    for source, values in sorted(shares.items()):
        print(f"  {source:<18} n={len(values):<4} {sum(values) / len(values):.3f}")
    for source, (seen, wanted) in sorted(late.items()):
        print(f"  {source:<18} from turn {LATE_TURN}, terms pooled {seen / wanted:.3f}")
    print(f"  rows with a query outside 2 to 6 words: {unlawful}")


if __name__ == "__main__":
    sys.exit(main())
