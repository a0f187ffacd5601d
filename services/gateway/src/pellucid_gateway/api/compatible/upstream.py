"""What the OpenAI API needs of the model server: bytes in, bytes out."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from pellucid_gateway.domain.passed_on import Spent

# Takes a piece; returns what must be awaited before the next one.
Take = Callable[[bytes], Awaitable[None] | None]


class UpstreamReply(Protocol):
    """A reply whose head has arrived."""

    @property
    def status(self) -> int:
        """HTTP status."""
        ...

    @property
    def media_type(self) -> str:
        """Content type."""
        ...

    @property
    def retry_after(self) -> str:
        """When the server wants to be asked again, as it says; empty where it does not."""
        ...

    @property
    def is_stream(self) -> bool:
        """The body is a stream of events that began well."""
        ...

    @property
    def spent(self) -> Spent:
        """What it said of itself; complete once the body was taken."""
        ...

    async def pour(self, take: Take) -> None:
        """Give the body to `take` as it comes, unchanged; hangs up when it is cancelled.

        Raises:
            ServiceError: It broke off or fell silent.
        """
        ...

    async def read(self) -> bytes:
        """The whole body."""
        ...

    def hang_up(self) -> None:
        """Nobody wants the body."""
        ...


class ModelServer(Protocol):
    """An OpenAI-compatible endpoint.

    Attributes:
        internal: Prompts to it do not count as leaving.
    """

    @property
    def internal(self) -> bool:
        """Prompts to it do not count as leaving."""
        ...

    async def complete(self, body: bytes, model: str) -> UpstreamReply:
        """Post a chat completion whose body names this model.

        Raises:
            ServiceError: It cannot be reached or does not begin to answer in time.
        """
        ...

    async def models(self) -> Sequence[Mapping[str, Any]]:
        """Its models; empty when it cannot tell."""
        ...
