"""The project's own labelled messages: reading, and requests made from them."""  # noqa: INP001 - a folder of scripts

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pellucid_decision.text.conversation import Ask, Role, Turn

_FOLDER = Path(__file__).resolve().parent
MESSAGES = tuple(sorted((_FOLDER / "messages").glob("*.jsonl")))
"""What is trained on: a file for each language, named by its code."""
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
CUTOFF = datetime(2025, 1, 1, tzinfo=UTC)
_ROLES = (Role.USER, Role.ASSISTANT)


@dataclass(frozen=True, slots=True)
class Labelled:
    """One labelled message.

    Attributes:
        text: The message.
        language: ISO 639-1 code.
        kind: What sort of message it is.
        needs_search: The label.
        history: Person's and assistant's turns before it, in alternation.
        arguable: A second person labelled it otherwise, or would not call it clear.
    """

    text: str
    language: str
    kind: str
    needs_search: bool
    history: tuple[str, ...] = ()
    arguable: bool = False

    def ask(self) -> Ask:
        """Return it as a request."""
        turns = tuple(Turn(_ROLES[number % 2], text) for number, text in enumerate(self.history))
        return Ask(self.text, NOW, CUTOFF, turns)


def labelled(*paths: Path) -> Iterator[Labelled]:
    """Yield the messages of the files, of all that are trained on when none is named."""
    for path in paths or MESSAGES:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                row = {"language": path.stem} | json.loads(line)
                yield Labelled(**(row | {"history": tuple(row.get("history", ()))}))
