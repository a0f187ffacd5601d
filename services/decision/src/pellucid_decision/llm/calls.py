"""What every question to the language model shares: the fence, the reply's form, what left.

A reply is untrusted: only the fields that are expected count.
"""

import json
import math
from typing import Any

from pellucid_decision.decision import Outbound
from pellucid_decision.errors import ModelReplyError
from pellucid_decision.ports import LanguageModel, Prompt
from pellucid_decision.text.normal import one_line
from pellucid_decision.understanding.context import MESSAGE_CHARACTERS, Context
from pellucid_language.pii.gate import masked

TURN_CHARACTERS = 400
MEMORY_CHARACTERS = 400
MAX_REPLY_CHARACTERS = 8000


def fenced_body(context: Context) -> str:
    """Return turns, subject and message between the marks that they cannot contain.

    What an assistant said of a page that the person named stays out.
    """
    ask, private = context.ask, context.private
    turns = [
        f"{turn.role}: {one_line(masked(turn.content, private), TURN_CHARACTERS)}"
        for number, turn in enumerate(context.turns, start=1)
        if number not in context.pages
    ]
    subject = f"about: {', '.join(ask.subject.elements())}" if ask.subject else ""
    memories = one_line(masked("; ".join(ask.memories), private), MEMORY_CHARACTERS)
    known = f"known of the person: {memories}" if memories else ""
    message = f"message: {masked(ask.message, private)[:MESSAGE_CHARACTERS]}"
    body = "\n".join(filter(None, (*turns, subject, known, message)))
    fenced = body.replace("<<<", "").replace(">>>", "")
    return f"<<<\n{fenced}\n>>>"


def sent_to(model: LanguageModel, prompt: Prompt, answered_by: str = "") -> tuple[Outbound, ...]:
    """Return what left for a model: to the first endpoint, and to another one that answered."""
    if model.internal:
        return ()
    hosts = dict.fromkeys(filter(None, (model.receiver, answered_by)))
    return tuple(Outbound(host, f"{prompt.system}\n{prompt.user}") for host in hosts)


def json_object(text: str) -> dict[str, Any]:
    """Return the JSON object in a reply, prose and code fences around it dropped.

    Raises:
        ModelReplyError: There is none.
    """
    body = text[:MAX_REPLY_CHARACTERS]
    start, end = body.find("{"), body.rfind("}")
    try:
        value = json.loads(body[start : end + 1]) if start >= 0 else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ModelReplyError("no JSON object in it")
    return value


def share(value: object) -> float:
    """Return a number clamped to 0..1, one half for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.5
    return min(1.0, max(0.0, float(value)))
