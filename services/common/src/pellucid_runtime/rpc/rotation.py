"""A channel that is dialled anew when its credentials change.

grpc keeps a channel's certificate for as long as the channel lives, and stubs keep the channel; so
the stubs get this one, which hands each call to the newest.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Self

import grpc

from pellucid_runtime.rpc.tls import TlsMaterial, WatchedFiles

# Calls in progress end on the channel that they began on; none is longer than a turn.
_OLD_CHANNEL_GRACE_S = 120.0

Dial = Callable[[TlsMaterial], grpc.aio.Channel]


class RotatingChannel(grpc.aio.Channel):
    """Every call goes over a channel with the newest credentials.

    Args:
        watched: The credentials; the same object means no change.
        dial: Opens a channel with them.
    """

    def __init__(self, watched: WatchedFiles, dial: Dial) -> None:
        self._watched = watched
        self._dial = dial
        self._material = watched.current()
        self._channel = dial(self._material)
        self._closing: set[asyncio.Task[None]] = set()

    def current(self) -> grpc.aio.Channel:
        """The channel for a call that begins now."""
        material = self._watched.current()
        if material is not self._material:
            self._retire(self._channel)
            self._material, self._channel = material, self._dial(material)
        return self._channel

    def _retire(self, channel: grpc.aio.Channel) -> None:
        closing = asyncio.ensure_future(channel.close(_OLD_CHANNEL_GRACE_S))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self.close()

    async def close(self, grace: float | None = None) -> None:
        """Close the newest channel, and those before it at once."""
        for closing in tuple(self._closing):
            closing.cancel()
        await asyncio.gather(*self._closing, return_exceptions=True)
        await self._channel.close(grace)

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:  # noqa: FBT001, FBT002 - grpc's own signature
        """State of the newest channel."""
        return self.current().get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        """Wait for the newest channel to leave a state."""
        await self.current().wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        """Wait until the newest channel is connected."""
        await self.current().channel_ready()

    def unary_unary(self, *args: Any, **options: Any) -> Any:
        """One request, one response."""
        return self._method("unary_unary", args, options)

    def unary_stream(self, *args: Any, **options: Any) -> Any:
        """One request, many responses."""
        return self._method("unary_stream", args, options)

    def stream_unary(self, *args: Any, **options: Any) -> Any:
        """Many requests, one response."""
        return self._method("stream_unary", args, options)

    def stream_stream(self, *args: Any, **options: Any) -> Any:
        """Many requests, many responses."""
        return self._method("stream_stream", args, options)

    def _method(self, kind: str, args: tuple[Any, ...], options: dict[str, Any]) -> "_Method":
        return _Method(self, lambda channel: getattr(channel, kind)(*args, **options))


class _Method:
    """A method of a stub; bound to a channel again when that has changed."""

    def __init__(self, rotating: RotatingChannel, bind: Callable[[grpc.aio.Channel], Any]) -> None:
        self._rotating = rotating
        self._bind = bind
        self._channel = rotating.current()
        self._bound = bind(self._channel)

    def __call__(self, *args: Any, **options: Any) -> Any:
        channel = self._rotating.current()
        if channel is not self._channel:
            self._channel, self._bound = channel, self._bind(channel)
        return self._bound(*args, **options)
