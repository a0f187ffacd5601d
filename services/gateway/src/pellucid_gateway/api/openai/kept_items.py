"""Output items of responses, kept for clients that refer to them by their ids.

Some clients send `item_reference` in place of what was said and called before, as the vendor keeps
it. A client that sets `store` to false sends the items themselves, and nothing is kept for it.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pellucid_gateway.api.compatible.wire import Json, objects, text_of
from pellucid_gateway.api.http.problems import Problem, ProblemError
from pellucid_gateway.domain.ports import EvidenceStore
from pellucid_runtime.errors import NotFoundError, ServiceError

_REFERENCE: Final = "item_reference"
_SAVE_S: Final = 0.5  # then the end of the answer goes out unkept
# What a model has to know of; thoughts and searches it can do without.
_NEEDED: Final = ("msg", "fc", "ctc")


class KeptItems:
    """Keeps items and puts them where a client refers to them.

    Args:
        store: Where; None when nothing is kept.
    """

    def __init__(self, store: EvidenceStore | None) -> None:
        self._store = store

    async def keep(self, seed: str, owner: str, output: Sequence[Json]) -> None:
        """Keep the items of a response; a store that is down or slow costs only that."""
        if self._store is None:
            return
        try:
            async with asyncio.timeout(_SAVE_S):
                await self._store.save(_name(seed), owner, {"items": list(output)})
        except (ServiceError, TimeoutError):
            return

    async def filled(self, body: Mapping[str, Any], owner: str) -> Mapping[str, Any]:
        """The request with the items that it refers to.

        Raises:
            ProblemError: One is not known, or is another person's.
        """
        items = [await self._found(item, owner) for _, item in objects(body["input"], "input")]
        return {**body, "input": [item for item in items if item is not None]}

    async def _found(self, item: Mapping[str, Any], owner: str) -> Mapping[str, Any] | None:
        if item.get("type") != _REFERENCE:
            return item
        named = text_of(item.get("id"))
        prefix, _, rest = named.partition("_")
        kept = await self._load(rest.partition("_")[0], owner)
        found = next((each for each in kept if each["id"] == named), None)
        if found is None and prefix in _NEEDED:
            told = f"Item {named!r} is not kept here; set `store` to false to send items whole."
            raise ProblemError(Problem(code="NOT_FOUND", detail=told))
        return found

    async def _load(self, seed: str, owner: str) -> Sequence[Json]:
        if self._store is None:
            return ()
        try:
            record = await self._store.load(_name(seed), owner)
        except NotFoundError:
            return ()
        return record.get("items") or ()


def refers(body: Mapping[str, Any]) -> bool:
    """Tell whether a request refers to items by their ids."""
    asked = body.get("input")
    return isinstance(asked, list) and any(
        isinstance(item, dict) and item.get("type") == _REFERENCE for item in asked
    )


def _name(seed: str) -> str:
    return f"items-{seed}"
