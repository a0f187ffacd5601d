"""What of one stream was heard so far, its thinking apart."""

from collections.abc import Mapping
from dataclasses import replace

from pellucid_runtime.llm.model import Chunk
from pellucid_runtime.llm.thinking import ThoughtSplitter


class ThinkingStream:
    """One stream.

    Args:
        splitter: Keeps thinking within the text apart.
        is_framed: The body tells where it ends.

    Attributes:
        length: Characters of text and thinking.
        writes: Text or calls of tools come, though they may be held back.
        has_text: Text of the answer came.
        has_tools: Calls of tools came.
        has_thought: Thinking came.
        is_complete: The server said that it ended.
        last_usage: The piece with the usage; None before it.
    """

    def __init__(self, splitter: ThoughtSplitter, *, is_framed: bool) -> None:
        self.splitter = splitter
        self._is_framed = is_framed
        self.length = 0
        self.writes = self.has_text = self.has_tools = self.has_thought = False
        self.is_complete = False
        self.last_usage: Chunk | None = None

    @property
    def is_whole(self) -> bool:
        """It ended by the server's word, or in order; without a frame a cut looks like an end."""
        return self.is_complete or (self._is_framed and self.has_said)

    @property
    def has_said(self) -> bool:
        """Anything of an answer came."""
        return self.has_text or self.has_tools or self.has_thought

    def heard(self, chunk: Chunk) -> Chunk:
        """The piece with its text and its thinking apart."""
        if chunk.reasoning and not self.has_said:
            self.splitter.knows()
        split = self.splitter.feed(chunk.text)
        text, thought = split.text, chunk.reasoning + split.thought
        self.writes = self.writes or bool(chunk.text or chunk.tool_calls)
        if chunk.finish_reason:
            rest = self.splitter.finish()
            text, thought = text + rest.text, thought + rest.thought
        self._note(text, thought)
        self.length += len(chunk.text) + len(chunk.reasoning)
        self.has_tools = self.has_tools or bool(chunk.tool_calls)
        if chunk.usage is not None:
            self.last_usage = chunk
        return replace(chunk, text=text, reasoning=thought)

    def rest(self) -> tuple[str, str]:
        """Text and thinking that were held back until the end."""
        split = self.splitter.finish()
        self._note(split.text, split.thought)
        return split.text, split.thought

    def _note(self, text: str, thought: str) -> None:
        self.has_text = self.has_text or bool(text.strip())
        self.has_thought = self.has_thought or bool(thought)


def is_framed(headers: Mapping[str, str]) -> bool:
    """The body tells where it ends."""
    return "transfer-encoding" in headers or "content-length" in headers
