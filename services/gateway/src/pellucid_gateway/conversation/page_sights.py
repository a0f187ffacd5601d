"""Whether a page is still what it was when it was last read in a conversation.

Of the page only its sketch is kept, of 16 bytes, under hashes of the conversation and the address;
of one behind a wall the id of the evidence that tells so. A conversation that the client keeps is
known by its first message.
"""

import hashlib
from collections.abc import Mapping

from pellucid_gateway.domain.events import TurnResult
from pellucid_gateway.domain.request import Role, TurnRequest
from pellucid_gateway.domain.shelf import Shelf
from pellucid_gateway.domain.state_ports import Records
from pellucid_gateway.question.named_addresses import named_addresses

# Conversations of one person of which sketches are kept, and pages of one conversation.
_MOST_CONVERSATIONS = 200
_MOST_PAGES = 12
_KIND = "page_sights"
_WALL = "wall:"


class PageSights:
    """Keeps sketches of pages for the persons who named them.

    Args:
        records: Where they are kept. Everything here raises DependencyDownError when it is down.
        ttl_s: How long after the page was last read.
    """

    def __init__(self, records: Records, ttl_s: float) -> None:
        self._shelf = Shelf(records, _KIND, ttl_s, _MOST_CONVERSATIONS, frozenset({"pages"}))

    async def recall(self, request: TurnRequest) -> Mapping[str, str]:
        """Sketches by hash of the address, of this conversation; see `has_changed` and `wall_of`.

        Where no page was named before nothing is looked up.
        """
        said = [m.content for m in request.messages[:-1] if m.role is Role.USER]
        if not any(map(named_addresses, said)):
            return {}
        name = request.conversation_id or request.messages[0].content
        return await self._kept(request.caller, _hashed(name))

    async def keep(self, request: TurnRequest, result: TurnResult) -> None:
        """Keep the sketches of the pages that were read in a turn.

        A new conversation may be gone on with by its id or by its messages, so it has both names.
        """
        if not result.sketches:
            return
        names = [request.conversation_id or request.messages[0].content]
        if request.keeps_conversation and not request.conversation_id:
            names.append(result.conversation_id)
        wall = f"{_WALL}{result.evidence_id}"
        read = {_hashed(url): one or wall for url, one in result.sketches.items()}
        for conversation in map(_hashed, names):
            await self._add(request.caller, conversation, read)

    async def _add(self, owner: str, conversation: str, read: Mapping[str, str]) -> None:
        before = await self._kept(owner, conversation)
        # The newest last, so that the oldest go first.
        pages = {**{url: one for url, one in before.items() if url not in read}, **read}
        newest = dict(list(pages.items())[-_MOST_PAGES:])
        await self._shelf.put(owner, conversation, {"pages": newest})

    async def forget(self, owner: str, conversation_id: str) -> None:
        """Forget those of a conversation."""
        await self._shelf.records.delete(owner, _KIND, _hashed(conversation_id))

    async def _kept(self, owner: str, conversation: str) -> Mapping[str, str]:
        record = await self._shelf.get(owner, conversation)
        return record["pages"] if record else {}


def has_changed(known: Mapping[str, str], url: str, sketch: str) -> bool:
    """Whether a page is another than when its sketch was kept."""
    before = known.get(_hashed(url), sketch)
    return before != sketch and not before.startswith(_WALL)


def wall_of(known: Mapping[str, str], url: str) -> str | None:
    """The id of the evidence of a turn in which a page was behind a wall, None for no wall."""
    before = known.get(_hashed(url), "")
    return before.removeprefix(_WALL) if before.startswith(_WALL) else None


def _hashed(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:32]
