"""The base of the encoders that tell a turn in the words of another product.

It takes the events apart; an encoder overrides the hooks of those that its product has words for,
and remembers enough of them to write the whole reply: stream and whole reply say the same.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pellucid_gateway.api.http.problems import Problem
from pellucid_gateway.domain import events
from pellucid_gateway.domain.citation import Citation
from pellucid_gateway.domain.decision import Decision
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.notices import SEARCH_LOST

Frames = Sequence[bytes]


class EventEncoder:
    """Tells one turn. A hook without words for its event returns no frames.

    Attributes:
        result: The turn once it is done.
    """

    result: events.TurnResult | None = None

    def tell(self, event: events.TurnEvent) -> Frames:  # noqa: C901, PLR0911 - one case an event
        """Frames of one event; the last ones at Done."""
        match event:
            case events.Decided():
                return self.on_decision(event.decision)
            case events.Progress():
                return self.on_step(event)
            case events.UrlFetched():
                return self.on_page(event)
            case events.SourcesReady() | events.ResultsReady():
                return self.on_sources(event.sources)
            case events.Noticed() if event.notice.code in SEARCH_LOST:
                return self.on_search_lost()
            case events.Thought():
                return self.on_thought(event.text)
            case events.Delta():
                return self.on_text(event.text)
            case events.ToolCallPieces():
                return self.on_tool_calls(event.pieces)
            case events.Cited():
                return self.on_citation(event.citation)
            case events.Done():
                self.result = event.result
                return self.on_end(event.result)
        return ()

    def whole(self) -> dict[str, Any]:
        """The reply of a turn that is Done."""
        if self.result is None:
            raise RuntimeError("the turn is not done")
        return self.reply_of(self.result)

    def begin(self) -> Frames:
        """Frames before the first event."""
        return ()

    def broken(self, problem: Problem) -> bytes:
        """Last frames of a stream that fails."""
        raise NotImplementedError

    def reply_of(self, result: events.TurnResult) -> dict[str, Any]:
        """The whole reply."""
        raise NotImplementedError

    def on_decision(self, _decision: Decision, /) -> Frames:
        """What the turn does was decided."""
        return ()

    def on_step(self, _step: events.Progress, /) -> Frames:
        """A step of the search begins."""
        return ()

    def on_page(self, _page: events.UrlFetched, /) -> Frames:
        """A page that the person named was read, or was not."""
        return ()

    def on_sources(self, _sources: Sequence[Source], /) -> Frames:
        """The sources of the answer, or the results of a forced search, are there."""
        return ()

    def on_search_lost(self) -> Frames:
        """There will be no sources."""
        return ()

    def on_thought(self, _text: str, /) -> Frames:
        """A piece of the model's thinking."""
        return ()

    def on_text(self, _text: str, /) -> Frames:
        """A piece of the answer."""
        return ()

    def on_tool_calls(self, _pieces: Sequence[Mapping[str, Any]], /) -> Frames:
        """Pieces of calls of the client's own tools."""
        return ()

    def on_citation(self, _citation: Citation, /) -> Frames:
        """A checked citation of text already told."""
        return ()

    def on_end(self, _result: events.TurnResult, /) -> Frames:
        """The turn is done."""
        return ()
