"""Messages that their form answers without a search: labelled ones of our own, each with an order.

Nothing was trained on them.
"""

import sys
from pathlib import Path
from random import Random

TRAINING = Path(__file__).parents[1] / "services" / "decision" / "training"
sys.path.insert(0, str(TRAINING))

from messages import labelled  # noqa: E402 - path first

from pellucid_gateway.question.plain_messages import is_plain  # noqa: E402 - path first

ORDER = "Please answer without searching the web."


def form_settled(count: int) -> list[str]:
    """Return so many of them, always the same, in no order."""
    found = [
        f"{item.text}\n{ORDER}"
        for item in labelled(TRAINING / "unseen.jsonl")
        if not item.needs_search and not item.history
    ]
    return Random(0).sample(found, min(count, len(found)))


def begins_early(message: str) -> bool:
    """Tell whether the gateway shows it to the model server while it is decided on."""
    return is_plain(message)
