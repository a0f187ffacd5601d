"""Answers that hit a length limit go on where they stopped, without saying anything twice."""

from dataclasses import replace

from pellucid_gateway.answering.window import LONGEST_ANSWER_TOKENS, bound_tokens
from pellucid_gateway.domain.answer_model import Prompt
from pellucid_gateway.domain.request import ChatMessage, Role

_GO_ON = (
    "Your answer was cut off. Continue exactly where it stops, in the middle of the word if need "
    "be. Repeat nothing, and keep citing sources by their numbers."
)
# Models like to begin again with the last sentence; a repetition is looked for within so much.
_LOOKED_AT_CHARS = 240
# A shorter common part is chance: many words end with the letter the next begins with.
_LEAST_REPEATED_CHARS = 10


def continuation(prompt: Prompt, said: str, window_tokens: int) -> Prompt | None:
    """The prompt for the rest of an answer; None when what was said leaves no room for it.

    An answer that went beyond its limit needs room: the rest may be longer than the beginning.
    """
    longer = replace(
        prompt,
        messages=(
            *prompt.messages,
            ChatMessage(Role.ASSISTANT, said),
            ChatMessage(Role.USER, _GO_ON),
        ),
        max_tokens=None,
    )
    left = min(LONGEST_ANSWER_TOKENS, window_tokens - bound_tokens(longer))
    fits = bool(said) and left >= (prompt.max_tokens or 0)
    return replace(longer, max_tokens=left) if fits else None


class Seam:
    """Takes the beginning of a continuation and leaves out what it repeats.

    >>> seam = Seam("It cost 3 crowns. It is also said that")
    >>> seam.feed("The fare rose."), seam.finish()
    ('', ' The fare rose.')

    Args:
        said: The answer so far, as the model wrote it.
    """

    def __init__(self, said: str) -> None:
        self._said = said[-_LOOKED_AT_CHARS:]
        self._held: str | None = ""

    def feed(self, text: str) -> str:
        """Text that may go on; held back while a repetition is still possible."""
        if self._held is None:
            return text
        self._held += text
        if len(self._held) < _LOOKED_AT_CHARS:
            return ""
        return self.finish()

    def finish(self) -> str:
        """What is still held back, without the repeated beginning."""
        held, self._held = self._held or "", None
        for length in range(min(len(held), len(self._said)), _LEAST_REPEATED_CHARS - 1, -1):
            if self._said.endswith(held[:length]):
                return held[length:]
        # Models leave the space out; a capital after a small letter begins a word.
        parted = self._said[-1:].islower() and held[:1].isupper()
        return f" {held}" if parted else held
