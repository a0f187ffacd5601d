"""What is kept of a conversation: its turns, what each found, and for how long.

Each turn is a record of its own, so turns that end at the same time on different replicas are all
kept. Content of pages that a person named is never kept, nor are answers made of it.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pellucid_gateway.conversation.page_sights import PageSights
from pellucid_gateway.domain.attachment import without_attachments
from pellucid_gateway.domain.events import AnswerKind, TurnResult
from pellucid_gateway.domain.findings import Method, PublishedDate, Source
from pellucid_gateway.domain.request import ChatMessage, EarlierTurn, Role, TurnRequest
from pellucid_gateway.domain.shelf import Shelf, jsonable
from pellucid_gateway.domain.state_ports import Records
from pellucid_runtime.errors import NotFoundError

# Turns of one conversation; older ones are dropped. Requests may hold 50 messages.
MOST_TURNS = 100
TURNS_IN_A_REQUEST = 24
# Conversations of one person.
MOST_CONVERSATIONS = 500
_TITLE_CHARS = 80
_HEADS = "conversation"
# Fields of a source that are kept in the form that they have.
_AS_KEPT = ("n", "url", "title", "domain", "snippet", "facts", "language", "relevance", "publisher")


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a turn may know of its conversation: messages, oldest first, and the last sources."""

    messages: tuple[ChatMessage, ...] = ()
    earlier: EarlierTurn | None = None


class Conversations:
    """Keeps conversations for their owners.

    `sights` tells of the pages that were named in them whether they changed.

    Args:
        records: Where they are kept. Everything here raises DependencyDownError when it is down.
        ttl_s: How long after the last turn.
    """

    def __init__(self, records: Records, ttl_s: float) -> None:
        self._records = records
        self._ttl_s = ttl_s
        self._heads = Shelf(records, _HEADS, ttl_s, MOST_CONVERSATIONS)
        self.sights = PageSights(records, ttl_s)

    async def recall(self, owner: str, conversation_id: str) -> Recalled:
        """What was said and found; nothing when there is no such conversation of this owner."""
        turns = await self._oldest_first(owner, conversation_id, TURNS_IN_A_REQUEST)
        messages = tuple(message for turn in turns for message in _messages(turn))
        earlier = next((found for turn in reversed(turns) if (found := _earlier(turn))), None)
        return Recalled(messages, earlier)

    async def keep(self, owner: str, request: TurnRequest, result: TurnResult) -> None:
        """Add a turn to its conversation."""
        turn = turn_record(request, result)
        await self._turns(result.conversation_id).put(owner, _safe(result.id), turn)
        head = await self._heads.get(owner, _safe(result.conversation_id)) or {
            "id": result.conversation_id,
            "title": without_attachments(request.messages[0].content)[:_TITLE_CHARS],
            "created_at": turn["at"],
            "turns": 0,
        }
        await self._keep_head(
            owner, {**head, "updated_at": turn["at"], "turns": int(head["turns"]) + 1}
        )

    async def listed(self, owner: str, most: int) -> tuple[Mapping[str, Any], ...]:
        """Heads of conversations, last used first."""
        heads = [_public(head) for _, head in await self._heads.newest(owner, most)]
        return tuple(sorted(heads, key=lambda head: head["updated_at"], reverse=True))

    async def read(self, owner: str, conversation_id: str) -> Mapping[str, Any]:
        """A conversation with its messages.

        Raises:
            NotFoundError: There is none of this owner.
        """
        head = await self._known_head(owner, conversation_id)
        turns = await self._oldest_first(owner, conversation_id, MOST_TURNS)
        return {**_public(head), "messages": [m for turn in turns for m in _shown(turn)]}

    async def rename(self, owner: str, conversation_id: str, title: str) -> Mapping[str, Any]:
        """Give a conversation another title and return its head.

        Raises:
            NotFoundError: There is none of this owner.
        """
        head = {**await self._known_head(owner, conversation_id), "title": title}
        await self._keep_head(owner, head)
        return _public(head)

    async def delete_turn(self, owner: str, conversation_id: str, turn_id: str) -> None:
        """Forget one turn; a conversation without any is forgotten with it.

        Raises:
            NotFoundError: There is no such turn of this owner.
        """
        head = await self._known_head(owner, conversation_id)
        await self._turns(conversation_id).delete(owner, _safe(turn_id), "turn")
        left = int(head["turns"]) - 1
        if left > 0:
            await self._keep_head(owner, {**head, "turns": left})
        else:
            await self.delete(owner, conversation_id)

    async def delete(self, owner: str, conversation_id: str) -> None:
        """Forget a conversation.

        Raises:
            NotFoundError: There is none of this owner.
        """
        await self.sights.forget(owner, conversation_id)
        turns = await self._records.delete_kind(owner, self._turns(conversation_id).kind)
        head = await self._records.delete(owner, _HEADS, _safe(conversation_id))
        if not head and not turns:
            raise NotFoundError("conversation")

    def _turns(self, conversation_id: str) -> Shelf:
        kind = f"turns-{_safe(conversation_id)}"
        return Shelf(self._records, kind, self._ttl_s, MOST_TURNS)

    async def _oldest_first(
        self, owner: str, conversation_id: str, most: int
    ) -> list[dict[str, Any]]:
        kept = await self._turns(conversation_id).newest(owner, most)
        return [turn for _, turn in reversed(kept)]

    async def _keep_head(self, owner: str, head: Mapping[str, Any]) -> None:
        await self._heads.put(owner, _safe(head["id"]), head)

    async def _known_head(self, owner: str, conversation_id: str) -> dict[str, Any]:
        head = await self._heads.get(owner, _safe(conversation_id))
        if head is None:
            raise NotFoundError("conversation")
        return head


def turn_record(request: TurnRequest, result: TurnResult) -> dict[str, Any]:
    """A turn as it is kept: both messages, what was done for them, and the sources."""
    named = [source for source in result.sources if source.user_supplied]
    quotes = bool(named) and result.answer_kind is AnswerKind.EXTRACTIVE
    found = [replace(s, text="", breakdown=None) for s in result.sources if not s.user_supplied]
    return {
        "id": result.id,
        "at": result.finished_at.isoformat(),
        "user": request.message,
        "assistant": "" if quotes else result.answer,
        "content_kept": not quotes,
        "metadata": {
            "web_search_performed": result.iterations > 0,
            "iterations": result.iterations,
            "results_count": len(found),
            "answer_kind": result.answer_kind.value,
            "model_label": result.model_label,
            "evidence_id": result.evidence_id,
        },
        "question": result.decision.standalone_question,
        "queries": list(result.searched[:8]),
        "sources": [jsonable(source) for source in found],
        "user_urls": [source.url for source in named],
    }


def _messages(turn: Mapping[str, Any]) -> Iterator[ChatMessage]:
    yield ChatMessage(Role.USER, str(turn["user"]))
    if turn["assistant"]:
        yield ChatMessage(Role.ASSISTANT, str(turn["assistant"]))


def _earlier(turn: Mapping[str, Any]) -> EarlierTurn | None:
    if not turn["sources"] and not turn["user_urls"]:
        return None
    return EarlierTurn(
        question=str(turn["question"]),
        at=datetime.fromisoformat(turn["at"]),
        queries=tuple(turn["queries"]),
        sources=tuple(map(_source, turn["sources"])),
        user_urls=tuple(turn["user_urls"]),
    )


def _source(kept: Mapping[str, Any]) -> Source:
    """A kept source; the model may be shown its key facts again."""
    published = kept["published"]
    return Source(
        **{name: kept[name] for name in _AS_KEPT},
        text=kept["facts"],
        published=published and PublishedDate(datetime.fromisoformat(published["time"])),
        providers=tuple(kept["providers"]),
        method=Method(kept["method"]),
        warnings=tuple(kept["warnings"]),
    )


def _shown(turn: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The two messages of a turn as the owner reads them."""
    about = {**turn["metadata"], "content_kept": turn["content_kept"]}
    of_turn = {"turn": turn["id"], "at": turn["at"]}
    return (
        {"role": "user", "content": turn["user"], **of_turn, "metadata": None},
        {"role": "assistant", "content": turn["assistant"], **of_turn, "metadata": about},
    )


def _public(head: Mapping[str, Any]) -> dict[str, Any]:
    return {name: head[name] for name in ("id", "title", "created_at", "updated_at", "turns")}


def _safe(name: str) -> str:
    """A client chose the name and it may say anything; keys of the store must not."""
    return hashlib.sha256(name.encode()).hexdigest()[:32]
