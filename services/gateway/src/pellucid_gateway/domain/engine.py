"""The orchestrator: one message in, a stream of events out. It knows no HTTP and no gRPC."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from pellucid_gateway.domain.decision import Decision
from pellucid_gateway.domain.events import TurnEvent
from pellucid_gateway.domain.findings import PageContent
from pellucid_gateway.domain.request import SearchCommand, TurnRequest
from pellucid_gateway.domain.search_outcome import SearchOutcome


class TurnEngine(Protocol):
    """What the APIs need of the engine; faked in their tests."""

    def run(self, request: TurnRequest) -> AsyncIterator[TurnEvent]:
        """Answer one message.

        The iterator ends after exactly one Done or Failed and never later than the turn's
        deadline. Closing it, or cancelling the task that iterates it, cancels everything
        downstream. It raises no domain error: what goes wrong is data in the events.
        """
        ...

    async def decide(self, request: TurnRequest) -> Decision:
        """Decide only; nothing is searched or fetched."""
        ...

    async def search(self, command: SearchCommand) -> SearchOutcome:
        """Search and rank without an answer.

        Raises:
            ServiceError: SEARCH_FAILED when no provider could be asked, API_KEY_INVALID for a
                provider asked for by name without a key.
        """
        ...

    async def fetch(
        self,
        urls: Sequence[str],
        *,
        no_external: bool = False,
        max_chars: int = 0,
        offset: int | None = None,
        links: bool = False,
    ) -> tuple[PageContent, ...]:
        """Read pages that a person named, in the order asked for; a bad page is an outcome.

        Args:
            urls: Addresses.
            no_external: Only hosts that the operator named as internal.
            max_chars: Most characters of each text; 0 for the usual number.
            offset: Where each text begins, in characters; then it runs on without a gap.
            links: Write links as Markdown links.
        """
        ...


class EngineLayer:
    """A layer around the engine: passes on whatever it has nothing to do with.

    Args:
        engine: What is within.
    """

    def __init__(self, engine: TurnEngine) -> None:
        self._engine = engine

    def run(self, request: TurnRequest) -> AsyncIterator[TurnEvent]:
        """See `TurnEngine`."""
        return self._engine.run(request)

    async def decide(self, request: TurnRequest) -> Decision:
        """See `TurnEngine`."""
        return await self._engine.decide(request)

    async def search(self, command: SearchCommand) -> SearchOutcome:
        """See `TurnEngine`."""
        return await self._engine.search(command)

    async def fetch(
        self,
        urls: Sequence[str],
        *,
        no_external: bool = False,
        max_chars: int = 0,
        offset: int | None = None,
        links: bool = False,
    ) -> tuple[PageContent, ...]:
        """See `TurnEngine`."""
        return await self._engine.fetch(
            urls, no_external=no_external, max_chars=max_chars, offset=offset, links=links
        )
