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


class Unfencing:
    """Takes out of a streamed answer what a model copied of the fences around its sources.

    Args:
        marker: Random word of this request.
    """

    def __init__(self, marker: str) -> None:
        self._marks = (f"<<<DATA {marker}\n", f"{marker} END>>>\n")
        written = "|".join(f"{re.escape(mark[:-1])}{mark[-1]}?" for mark in self._marks)
        self._written = re.compile(written)
        self._held = ""

    def feed(self, text: str) -> str:
        """The text that may go on; the beginning of what may be a fence waits for more."""
        whole = self._held + text
        longest = max(map(len, self._marks))
        cut = next(
            (
                i
                for i in range(max(0, len(whole) - longest), len(whole))
                if any(mark.startswith(whole[i:]) for mark in self._marks)
            ),
            len(whole),
        )
        self._held = whole[cut:]
        return self._written.sub("", whole[:cut])

    def finish(self) -> str:
        """What was held."""
        rest, self._held = self._held, ""
        return self._written.sub("", rest)
