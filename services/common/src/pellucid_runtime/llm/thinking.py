"""Keeps a model's thinking apart from its answer where a server sends both as one text.

Known forms: tags around it at the beginning of the answer; the end tag alone, where the template of
the prompt already wrote the first; the channels of gpt-oss. Later in an answer such a tag is text.
"""

from dataclasses import dataclass

# Opening and closing tag, as DeepSeek, Qwen, EXAONE, Kimi, Magistral, Seed and Command A write.
_TAGS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("◁think▷", "◁/think▷"),
    ("[THINK]", "[/THINK]"),
    ("<seed:think>", "</seed:think>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
)
_CLOSING = tuple(closing for _, closing in _TAGS)
_CHANNEL = "<|channel|>"
_MESSAGE = "<|message|>"
_FINAL = "final"
_OPENINGS = (*(opening for opening, _ in _TAGS), "<|start|>", _CHANNEL)
# What ends a message between channels, or the answer; neither is text.
_MARKS = ("<|end|>", "<|return|>", "<|start|>assistant")
# An answer of unknown form that is longer than this is one without thinking.
_MOST_HELD_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Split:
    """A piece of the answer and a piece of the thinking; either may be empty."""

    text: str = ""
    thought: str = ""


class ThoughtSplitter:
    """Splits one answer as it comes.

    Args:
        opens_in_thought: The template begins the thinking: everything is it until an end tag.
        is_known: This model was heard before; else its answer is held back until it is seen
            whether an end tag comes without a first one.
    """

    def __init__(self, *, opens_in_thought: bool = False, is_known: bool = True) -> None:
        self._opens_in_thought = opens_in_thought
        self._holds_all = not (is_known or opens_in_thought)
        self._held = ""
        self._closing: str | None = None
        self._channel: str | None = None
        self._is_decided = False
        self._thought_so_far = ""
        self.found_end_alone = False
        self.found = False

    def knows(self) -> None:
        """The thinking comes by itself: nothing of the text is any."""
        self._holds_all = self._opens_in_thought = False

    def feed(self, piece: str) -> Split:
        """Take the next piece."""
        if self._is_decided and self._closing is None and self._channel is None:
            return Split(text=piece)
        self._held += piece
        if not self._is_decided and not self._decide():
            return Split()
        return self._go_on()

    def finish(self) -> Split:
        """What is still held back."""
        if not self._is_decided:
            self._is_decided = True
            return self._end_of_unknown()
        held, self._held = self._held, ""
        if self._channel is not None:
            return self._of_channel(_without_marks(held))
        if self._closing is not None and self._opens_in_thought and not self.found:
            # No thinking came this time: all of it was the answer.
            return Split(text=self._thought_so_far + held)
        return Split(thought=held) if self._closing is not None else Split(text=held)

    def _decide(self) -> bool:
        """Settle what form the answer has; False while that cannot be told."""
        start = self._held.lstrip()
        if self.found:
            self._held = start  # white space after the thinking belongs to neither
        for opening, closing in _TAGS:
            if start.startswith(opening):
                self._held = start.removeprefix(opening)
                self._closing, self.found = closing, True
                self._is_decided = True
                return True
        if start.startswith((_CHANNEL, "<|start|>")):
            self._held, self._channel, self.found = start, "", True
            self._is_decided = True
            return True
        if not start or any(opening.startswith(start) for opening in _OPENINGS):
            return False
        if self._opens_in_thought:
            self._is_decided, self._closing = True, ""
            return True
        if self._holds_all:
            return self._decide_held()
        self._is_decided = True
        return True

    def _decide_held(self) -> bool:
        if _first_closing(self._held)[0] >= 0:
            self._is_decided, self._closing = True, ""
            self.found_end_alone = True
        elif len(self._held) > _MOST_HELD_CHARS:
            self._is_decided = True
        return self._is_decided

    def _end_of_unknown(self) -> Split:
        held, self._held = self._held, ""
        return Split(text=held)

    def _go_on(self) -> Split:
        if self._channel is not None:
            return self._channels()
        if self._closing is None:
            held, self._held = self._held, ""
            return Split(text=held)
        return self._until_closing()

    def _until_closing(self) -> Split:
        """Thinking up to the end tag, then text. An empty closing stands for any of them."""
        at, tag = (
            (self._held.find(self._closing), self._closing)
            if self._closing
            else _first_closing(self._held)
        )
        if at >= 0:
            thought, text = self._held[:at], self._held[at + len(tag) :].lstrip()
            self._held, self._closing, self.found = "", None, True
            self._is_decided = bool(text)
            self._opens_in_thought = self._holds_all = False
            return Split(text, thought)
        keep = _tail(self._held, (self._closing,) if self._closing else _CLOSING)
        cut = len(self._held) - keep
        thought, self._held = self._held[:cut], self._held[cut:]
        if self._opens_in_thought:
            self._thought_so_far += thought
        return Split(thought=thought)

    def _channels(self) -> Split:
        """The messages of all channels; only `final` is text."""
        done = Split()
        while True:
            at = self._held.find("<|")
            until = at if at >= 0 else len(self._held) - _tail(self._held, ("<|",))
            done = _joined(done, self._of_channel(self._held[:until]))
            self._held = self._held[until:]
            if at < 0 or (mark := self._mark()) is None:
                return done
            if not mark:
                done = _joined(done, self._of_channel("<|"))
                self._held = self._held.removeprefix("<|")

    def _mark(self) -> str | None:
        """Take the mark at the beginning of what is held; None: not whole yet; empty: none."""
        if self._held.startswith(_CHANNEL):
            head, found, rest = self._held.removeprefix(_CHANNEL).partition(_MESSAGE)
            if not found:
                return None
            self._channel, self._held = head.strip().partition(" ")[0], rest
            return _CHANNEL
        if any(mark.startswith(self._held) for mark in (_CHANNEL, *_MARKS)):
            return None
        for mark in _MARKS:
            if self._held.startswith(mark):
                self._held = self._held.removeprefix(mark)
                return mark
        return ""

    def _of_channel(self, text: str) -> Split:
        is_final = self._channel == _FINAL
        return Split(text=text) if is_final else Split(thought=text)


def _joined(one: Split, other: Split) -> Split:
    return Split(one.text + other.text, one.thought + other.thought)


def _first_closing(text: str) -> tuple[int, str]:
    found = [(at, tag) for tag in _CLOSING if (at := text.find(tag)) >= 0]
    return min(found) if found else (-1, "")


def _tail(text: str, tags: tuple[str, ...]) -> int:
    """Characters at the end that may be the beginning of a tag."""
    longest = max(map(len, tags)) - 1
    return next(
        (
            size
            for size in range(min(longest, len(text)), 0, -1)
            if any(tag.startswith(text[-size:]) for tag in tags)
        ),
        0,
    )


def _without_marks(text: str) -> str:
    for mark in _MARKS:
        text = text.replace(mark, "")
    return text
