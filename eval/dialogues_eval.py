"""Measures follow-ups about a page: read again where it is meant, searched where it was left.

    EVAL_DATA=<folder> python eval/dialogues_eval.py

The folder holds ``page_dialogues*.jsonl`` and the pages as `reading_eval.py` wants them. The
decision is that of the real cascade, with the scorer at SCORER_TARGET or one that is started for
the while; the conversation is the client's messages. Without the folder nothing is measured.
"""

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from decision_eval import deciding
from reading_eval import page_of

from pellucid_decision import convert
from pellucid_decision import decision as made
from pellucid_decision.text.conversation import Ask, Turn
from pellucid_decision.text.conversation import Role as AskRole
from pellucid_gateway.adapters import responses
from pellucid_gateway.domain.decision import Decision
from pellucid_gateway.domain.request import ChatMessage, Role, TurnRequest
from pellucid_gateway.question.page_leaving import Leaving, leaving
from pellucid_gateway.question.page_topic import topic_of
from rig.scorer_process import scorer_at

Decider = Callable[[Ask], made.Decision]
CUTOFF = datetime(2025, 1, 1, tzinfo=UTC)


def main() -> int:
    """Measure on the folder, if there is one."""
    folder = os.environ.get("EVAL_DATA")
    if not folder:
        print("EVAL_DATA is not set: nothing to measure")
        return 0
    with scorer_at(os.environ.get("SCORER_TARGET", "")) as target, deciding(target) as decide:
        measure(Path(folder), decide)
    return 0


def measure(folder: Path, decide: Decider) -> None:
    """Print the share of turns that went where they were meant to."""
    right: Counter[str] = Counter()
    turns: Counter[str] = Counter()
    for conversation in conversations(folder):
        for expected, went, message in gone(folder, conversation, decide):
            turns[expected] += 1
            right[expected] += went == expected
            if went != expected:
                print(f"{expected} expected, went to {went}: {message}")
    for expected, count in turns.items():
        print(f"{expected:<8}{count:>5}{right[expected] / count:>8.3f}")


def conversations(folder: Path) -> Iterator[dict[str, Any]]:
    """All conversations."""
    for path in sorted(folder.glob("page_dialogues*.jsonl")):
        yield from map(json.loads, path.read_text("utf-8").splitlines())


def gone(
    folder: Path, conversation: dict[str, Any], decide: Decider
) -> Iterator[tuple[str, str, str]]:
    """Where each follow-up was meant to go and went: to the page, or to a search."""
    page = page_of(folder, conversation["page_id"], conversation["url"])
    said: list[ChatMessage] = []
    for turn in conversation["turns"]:
        said.append(ChatMessage(Role.USER, turn["message"]))
        if turn["expect"] != "fetch_page":
            request = TurnRequest(messages=tuple(said))
            topic = topic_of(request)
            decision = decided(decide, said, conversation["today"])
            text = f"{page.title} {page.text}"
            stands = leaving(topic.since, decision, [text]) if topic else Leaving.LEAVES
            left = stands is Leaving.LEAVES
            away = "search" if decision.needs_search else "knowledge"
            expected = "page" if turn["expect"] == "answer" else "search"
            # Where both is done, what is meant is among it.
            both = stands is Leaving.PERHAPS
            yield expected, expected if both else away if left else "page", turn["message"]
        said.append(ChatMessage(Role.ASSISTANT, "Here is what the page says."))


def decided(decide: Decider, said: Sequence[ChatMessage], today: str) -> Decision:
    """What is decided on the last message, as the gateway reads it."""
    ask = Ask(
        message=said[-1].content,
        history=tuple(Turn(AskRole(m.role.value), m.content) for m in said[:-1][-5:]),
        now=datetime.fromisoformat(today).replace(tzinfo=UTC),
        cutoff=CUTOFF,
    )
    return responses.decide_answer(convert.decide_response(decide(ask))).decision


if __name__ == "__main__":
    sys.exit(main())
