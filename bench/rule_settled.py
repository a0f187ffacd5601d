"""Messages that a rule answers without a search, from labelled ones of our own in seven languages.

Nothing was trained on them: neither the decision service nor what the gateway shows to the model
server while they are decided on.
"""

import asyncio
import sys
from pathlib import Path
from random import Random

TRAINING = Path(__file__).parents[1] / "services" / "decision" / "training"
sys.path.insert(0, str(TRAINING))

from messages import labelled  # noqa: E402 - path first

from pellucid_decision.adapters.rules_folder import RulesFolder  # noqa: E402 - path first
from pellucid_decision.decision import Action, Stage  # noqa: E402 - path first
from pellucid_decision.stages.cascade import Cascade  # noqa: E402 - path first
from pellucid_decision.stages.classifier import Classifier  # noqa: E402 - path first
from pellucid_decision.stages.weights import load_weights  # noqa: E402 - path first
from pellucid_gateway.question.plain_messages import is_plain  # noqa: E402 - path first
from pellucid_gateway.question.plain_words import is_likely_plain  # noqa: E402 - path first


def rule_settled(count: int) -> list[str]:
    """Return so many of them, always the same, in no order."""
    return asyncio.run(_rule_settled(count))


def begins_early(message: str) -> bool:
    """Tell whether the gateway shows it to the model server while it is decided on."""
    return is_plain(message) or is_likely_plain(message)


async def _rule_settled(count: int) -> list[str]:
    cascade = Cascade(RulesFolder(), Classifier(load_weights()))
    found = []
    for item in labelled(TRAINING / "unseen.jsonl"):
        decided = await cascade.decide(item.ask())
        is_by_rule = decided.verdict.stage is Stage.RULE
        if is_by_rule and decided.action is Action.ANSWER and not item.history:
            found.append(item.text)
    return Random(0).sample(found, min(count, len(found)))
