"""Which scoring profile a turn uses; one that nobody has is refused before anything begins.

The scorer refuses it as well, but it is asked only where something was found: a caller whose
misspelling shows itself in some turns and not in others looks for it in the wrong place.
"""

import hashlib
from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import dataclass, field, replace

from pellucid_gateway.domain.decision import Decision
from pellucid_gateway.domain.engine import EngineLayer, TurnEngine
from pellucid_gateway.domain.events import TurnEvent
from pellucid_gateway.domain.request import (
    ScoringOptions,
    SearchCommand,
    SearchOptions,
    TurnRequest,
)
from pellucid_gateway.domain.search_outcome import SearchOutcome
from pellucid_runtime.errors import InvalidArgumentError

# Turns that no share is for, where some are.
_REST = "default"


@dataclass(frozen=True, slots=True)
class TrafficSplit:
    """Profiles that are tried on a share of the callers.

    Attributes:
        shares: By profile; together at most 1, the rest has the default profile.
    """

    shares: Mapping[str, float] = field(default_factory=dict)

    def profile_of(self, name: str) -> str:
        """Return the profile of a caller or conversation, always the same; empty without a split.

        >>> TrafficSplit({"news": 1.0}).profile_of("ada"), TrafficSplit().profile_of("ada")
        ('news', '')
        """
        if not self.shares or not name:
            return ""
        digest = hashlib.blake2b(f"scoring:{name}".encode(), digest_size=8).digest()
        place = int.from_bytes(digest) / 2**64
        for profile, share in self.shares.items():
            if place < share:
                return profile
            place -= share
        return _REST

    def applied(self, options: SearchOptions, name: str) -> SearchOptions:
        """Return the options with the profile of a caller, unless they say how to score."""
        profile = self.profile_of(name) if options.scoring == ScoringOptions() else ""
        return replace(options, scoring=ScoringOptions(profile=profile)) if profile else options


class KnownProfiles(EngineLayer):
    """The engine for turns whose profile is known.

    Args:
        engine: What is guarded.
        names: Profiles of the scorer; empty: any, the scorer will tell.
        split: Profiles of turns that name none.
    """

    def __init__(
        self, engine: TurnEngine, names: Collection[str], split: TrafficSplit | None = None
    ) -> None:
        super().__init__(engine)
        self._names = names
        self._split = split or TrafficSplit()

    def run(self, request: TurnRequest) -> AsyncIterator[TurnEvent]:
        """Pass on; refuses here and not at the first event, so that a status can still say it.

        Raises:
            InvalidArgumentError: Nobody has this profile.
        """
        self._require(request.options.scoring)
        name = request.caller or request.conversation_id
        options = self._split.applied(request.options, name)
        return self._engine.run(replace(request, options=options))

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
        options = self._split.applied(command.options, command.caller)
        return await self._engine.search(replace(command, options=options))

    def _require(self, scoring: ScoringOptions) -> None:
        if scoring.profile and self._names and scoring.profile not in self._names:
            raise InvalidArgumentError("scoring.profile", f"one of {', '.join(self._names)}")
