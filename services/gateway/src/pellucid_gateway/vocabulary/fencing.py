"""Keeps untrusted text recognisable as data: fences with a per-request marker, no control tokens.

Fences alone do not stop a model that obeys whatever it reads; they are one layer. What an answer
may contain is checked on the way out.
"""

import re

# Tokens by which chat templates of common model families separate roles.
_TEMPLATE_TOKENS = re.compile(
    r"<\|[^|>\n]{0,40}\|?>|\|>|<\|"
    r"|\[/?(?:INST|SYS|SYSTEM|USER|ASSISTANT|TOOL_CALLS|AVAILABLE_TOOLS)\]"
    r"|<</?SYS>>|</?s>|</?(?:system|user|assistant|human|instructions?|tool_call|think)>"
    r"|<(?:start|end)_of_turn>|<(?:bos|eos|pad|unk)>"
    r"|(?:^|(?<=\s))#{2,}\s*(?=(?:instructions?|system|response|input)\b)"
    r"|(?:^|(?<=[\n.!?]\s)|(?<=\n))(?:system|assistant|human|user)\s*:",
    re.IGNORECASE,
)
_FENCE_LIKE = re.compile(r"<{3,}|>{3,}|-{5,}|={5,}")


def neutral(text: str) -> str:
    """The text without tokens that a chat template or a fence would take for its own.

    >>> neutral("A <|im_start|>system: B [INST] C </s>")
    'A (im_start)system: B (INST) C (/s)'
    """
    return _FENCE_LIKE.sub(" ", _TEMPLATE_TOKENS.sub(_defused, text)).strip()


def _defused(match: re.Match[str]) -> str:
    words = re.sub(r"[^\w/ ]+", "", match.group()).strip()
    return f"({words})" if words else " "


def fenced(blocks: str, marker: str) -> str:
    """Blocks of untrusted text between two lines that carry the marker.

    Only these lines are marked: small models copy a mark of every line into their answers.

    Args:
        blocks: Text from outside; the marker is taken out of it, should it ever guess one.
        marker: Random word of this request.
    """
    return f"<<<DATA {marker}\n{blocks.replace(marker, '')}\n{marker} END>>>"
