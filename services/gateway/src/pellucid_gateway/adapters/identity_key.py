"""The key of callers' names: one for all replicas, whichever of them and the store starts first.

It comes from a secret of the operator, or the first gateway makes it and the store keeps it. Until
the store can be asked, names are made with a key of this process's own and marked, so that nothing
is kept under them; the store is used for nothing else before it has told the key. It is looked at
again and again: a store that was wiped gets the key back, and replicas that made different ones
agree on the one that stands there.
"""

import asyncio
from typing import Final

import structlog

from pellucid_gateway.access.callers import CallerNames
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.store import Store

KEY_BYTES: Final = 32
_NAME: Final = "hmac-key"
_PERIOD_S: Final = 15.0

log = structlog.get_logger(__name__)


class SharedIdentityKey:
    """Keeps names and store at one key.

    Args:
        store: Where the replicas meet.
        names: Told the key.
    """

    def __init__(self, store: Store, names: CallerNames) -> None:
        self._store = store
        self._names = names

    async def settle(self) -> None:
        """Take the key that is kept, or keep ours.

        Raises:
            DependencyDownError: The store cannot be asked, or has none and takes none.
        """
        own = self._names.key
        kept = await self._kept()
        if kept is None:
            await self._store.set_if_absent(_NAME, own)
            kept = await self._kept() or own
        if kept != own:
            log.info("identity_key_taken")
        self._names.settle(kept)

    async def _kept(self) -> bytes | None:
        """The key that is kept; what cannot be one is removed."""
        kept = await self._store.get(_NAME)
        if kept is None or len(kept) == KEY_BYTES:
            return kept
        await self._store.delete(_NAME)
        return None

    async def watch(self) -> None:
        """Settle it again and again; for ever."""
        while True:
            await asyncio.sleep(_PERIOD_S)
            try:
                await self.settle()
            except DependencyDownError:
                log.warning("identity_key_not_kept")
