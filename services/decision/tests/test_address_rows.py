"""Share of own messages whose addresses are found exactly, as a client writes them out."""

import json
from pathlib import Path

from pellucid_decision.text.links import find_links

ROWS = Path(__file__).with_name("address_rows.jsonl")
FLOOR = 0.97


def test_addresses_of_messages_are_found_whole_and_nothing_else() -> None:
    rows = [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]
    wrong = [
        row["text"] for row in rows if [link.url for link in find_links(row["text"])] != row["urls"]
    ]
    assert len(wrong) <= (1 - FLOOR) * len(rows), wrong
