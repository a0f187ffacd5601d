"""From suspicion to a challenge, and from ignored challenges to a temporary block.

A caller whose behaviour is suspicious must solve a challenge before the next turn; one that keeps
asking without solving it is blocked for a while. A solved challenge clears it for an hour. Without
a verifier nothing can be solved: the caller is blocked for a shorter time instead.
"""

import hashlib
from collections.abc import Container
from contextlib import suppress
from dataclasses import KW_ONLY, asdict, dataclass, field, replace
from typing import Protocol

from pellucid_gateway.access.caller_access import current_access
from pellucid_gateway.access.suspicion import SCALES, Sign, suspicion
from pellucid_gateway.domain.errors import BlockedError, ChallengeRequiredError
from pellucid_gateway.domain.events import Challenge
from pellucid_gateway.domain.rates import Rate, Take
from pellucid_gateway.domain.shelf import Shelf
from pellucid_gateway.domain.state_ports import Limiter, Records
from pellucid_runtime.bounded import BoundedDict
from pellucid_runtime.clock import Clock
from pellucid_runtime.errors import ServiceError

CHALLENGE_S = 600.0
CLEARED_S = 3600.0
BLOCK_S = 900.0
# Without a verifier a person who was wrongly suspected waits this long.
SHORT_BLOCK_S = 60.0
# Turns asked for without solving the challenge.
MOST_IGNORED = 10
# A standing that another replica changed is noticed after this long.
_REMEMBERED_S = 2.0
_MOST_REMEMBERED = 10_000
_KIND = "standing"
_FIELDS = ("state", "until", "ignored")


class ChallengeVerifier(Protocol):
    """Checks answers to challenges, for example of hCaptcha or Turnstile."""

    @property
    def challenge(self) -> Challenge:
        """What a page needs to show it."""
        ...

    async def verify(self, answer: str, address: str) -> bool:
        """Whether the answer is right; False when the verifier cannot be asked."""
        ...


@dataclass(frozen=True, slots=True)
class Standing:
    """What is held against a caller until an instant (seconds since 1970).

    Attributes:
        state: "", "challenged", "cleared" or "blocked".
        ignored: Turns asked for while challenged.
    """

    state: str = ""
    until: float = 0.0
    ignored: int = 0


@dataclass(slots=True, eq=False)
class AbuseGate:
    """Lets turns through or asks for a challenge.

    Attributes:
        limiter: Counts signs over all replicas.
        records: Keeps standings.
        clock: For their ends.
        verifier: None when no challenge is configured.
        threshold: Suspicion, 0 to 1, from which a challenge is asked for.
        exempt: Callers that are never suspected: this machine's own.
    """

    limiter: Limiter
    records: Records
    clock: Clock
    _: KW_ONLY
    verifier: ChallengeVerifier | None
    threshold: float
    exempt: Container[str] = ()
    _known: BoundedDict[str, tuple[float, Standing]] = field(
        init=False, default_factory=lambda: BoundedDict(_MOST_REMEMBERED)
    )

    async def check(self, caller: str, query: str) -> None:
        """Count a turn and let it through.

        Raises:
            ChallengeRequiredError: A challenge must be solved first.
            BlockedError: The caller is blocked for a while.
        """
        if not caller or caller in self.exempt:
            return
        standing = await self._standing(caller)
        if standing.state == "blocked":
            raise BlockedError(standing.until - self._now())
        if standing.state == "challenged":
            await self._insist(caller, standing)
            return
        if standing.state == "cleared":
            return
        same = hashlib.sha256(" ".join(query.casefold().split()).encode()).hexdigest()[:16]
        signs = {Sign.BURST: caller, Sign.MANY: caller, Sign.SAME: f"{caller}:{same}"}
        await self._weigh(caller, signs)

    async def note_failure(self, caller: str) -> None:
        """Count a turn that failed; enough of them are a sign by themselves."""
        if not caller or caller in self.exempt:
            return
        try:
            await self._weigh(caller, {Sign.FAILED: caller})
        except ServiceError:
            return  # the next turn hears of it

    async def _weigh(self, caller: str, signs: dict[Sign, str]) -> None:
        takes = [
            Take(Rate(f"sign-{sign}", 0, SCALES[sign].window_s), subject)
            for sign, subject in signs.items()
        ]
        said = await self.limiter.take(takes)
        if suspicion(dict(zip(signs, said.counts, strict=True))) < self.threshold:
            return
        if self.verifier is None:
            await self._set(caller, Standing("blocked", self._now() + SHORT_BLOCK_S))
            raise BlockedError(SHORT_BLOCK_S)
        await self._set(caller, Standing("challenged", self._now() + CHALLENGE_S))
        raise ChallengeRequiredError(self.verifier.challenge)

    async def _insist(self, caller: str, standing: Standing) -> None:
        """Let a solved challenge through; block whoever goes on without."""
        if self.verifier is None:
            return
        access = current_access()
        solved = access.challenge and await self.verifier.verify(access.challenge, access.address)
        if solved:
            await self._set(caller, Standing("cleared", self._now() + CLEARED_S))
            return
        if standing.ignored + 1 >= MOST_IGNORED:
            await self._set(caller, Standing("blocked", self._now() + BLOCK_S))
            raise BlockedError(BLOCK_S)
        await self._set(caller, replace(standing, ignored=standing.ignored + 1))
        raise ChallengeRequiredError(self.verifier.challenge)

    async def _standing(self, caller: str) -> Standing:
        """The standing of now; that of the last look while it is fresh or the store is down."""
        looked_at, known = self._known.get(caller, (float("-inf"), Standing()))
        if self.clock.monotonic() - looked_at >= _REMEMBERED_S:
            with suppress(ServiceError):
                kept = await self._shelf(CHALLENGE_S).get(_owner(caller), _KIND)
                known = Standing(*(kept[name] for name in _FIELDS)) if kept else Standing()
                self._remember(caller, known)
        return known if known.until > self._now() else Standing()

    async def _set(self, caller: str, standing: Standing) -> None:
        self._remember(caller, standing)
        ttl_s = max(1.0, standing.until - self._now())
        with suppress(ServiceError):  # this replica remembers it
            await self._shelf(ttl_s).put(_owner(caller), _KIND, asdict(standing))

    def _shelf(self, ttl_s: float) -> Shelf:
        return Shelf(self.records, _KIND, ttl_s, 1, frozenset(_FIELDS))

    def _remember(self, caller: str, standing: Standing) -> None:
        self._known[caller] = (self.clock.monotonic(), standing)

    def _now(self) -> float:
        return self.clock.now().timestamp()


def _owner(caller: str) -> str:
    """Apart from what belongs to the person, who may delete that but not a block."""
    return f"standing-{caller}"
