"""What the OpenAI face needs of the model server: bytes in, bytes out."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Protocol


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
    def is_stream(self) -> bool:
        """The body is a stream of events that began well."""
        ...

    def pieces(self) -> AsyncGenerator[bytes]:
        """The body as it comes, unchanged; closing it hangs up."""
        ...

    async def read(self) -> bytes:
        """The whole body."""
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

    async def complete(self, body: bytes) -> UpstreamReply:
        """Post a chat completion.

        Raises:
            ServiceError: It cannot be reached or does not begin to answer in time.
        """
        ...

    async def models(self) -> Sequence[Mapping[str, Any]]:
        """Its models; empty when it cannot tell."""
        ...
