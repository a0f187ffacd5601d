"""A turn that names a scoring profile which nobody has is refused before anything begins.

The scorer refuses it as well, but it is asked only where something was found: a caller whose
misspelling shows itself in some turns and not in others looks for it in the wrong place.
"""

from collections.abc import AsyncIterator, Collection, Sequence

from pellucid_gateway.domain.decision import Decision
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.events import SearchOutcome, TurnEvent
from pellucid_gateway.domain.findings import PageContent
from pellucid_gateway.domain.request import ScoringOptions, SearchCommand, TurnRequest
from pellucid_runtime.errors import InvalidArgumentError


class KnownProfiles:
    """The engine for turns whose profile is known.

    Args:
        engine: What is guarded.
        names: Profiles of the scorer; empty: any, the scorer will tell.
    """

    def __init__(self, engine: TurnEngine, names: Collection[str]) -> None:
        self._engine = engine
        self._names = names

    def run(self, request: TurnRequest) -> AsyncIterator[TurnEvent]:
        """Pass on; refuses here and not at the first event, so that a status can still say it.

        Raises:
            InvalidArgumentError: Nobody has this profile.
        """
        self._require(request.options.scoring)
        return self._engine.run(request)

    async def decide(self, request: TurnRequest) -> Decision:
        """Pass on.

        Raises:
            InvalidArgumentError: Nobody has this profile.
        """
        self._require(request.options.scoring)
        return await self._engine.decide(request)

    async def search(self, command: SearchCommand) -> SearchOutcome:
        """Pass on.

        Raises:
            InvalidArgumentError: Nobody has this profile.
        """
        self._require(command.options.scoring)
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
        """Pass on."""
        return await self._engine.fetch(
            urls, no_external=no_external, max_chars=max_chars, offset=offset, links=links
        )

    def _require(self, scoring: ScoringOptions) -> None:
        if scoring.profile and self._names and scoring.profile not in self._names:
            raise InvalidArgumentError("scoring.profile", f"one of {', '.join(self._names)}")
