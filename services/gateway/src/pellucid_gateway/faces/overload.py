"""Refuses turns for which there is no room, before anything is read or counted for them.

Only requests that begin a turn are asked about; probes, pages and what is kept stay reachable.
MCP and WebSockets hold a connection for many turns; the engine asks about each of theirs.
"""

from contextlib import ExitStack

from starlette.types import ASGIApp, Receive, Scope, Send

from pellucid_gateway.faces.admission import refuse
from pellucid_gateway.faces.guard import own_path
from pellucid_gateway.faces.problems import problem_of
from pellucid_gateway.turnstile import BACKGROUND_SHARE, Turnstile
from pellucid_runtime.errors import OverloadedError

_TURNS = ("/v1/chat", "/v1/responses", "/v1/messages", "/compat/", "/v1/search")
# Programs that only search can come again later; a person waits in front of the others.
_BACKGROUND = ("/v1/search", "/compat/")
_INTERACTIVE = ("/compat/perplexity/chat",)
_METHODS = frozenset({"GET", "POST"})


class Overload:
    """A layer around everything that costs something.

    Args:
        app: What is guarded.
        turnstile: Lets in.
    """

    def __init__(self, app: ASGIApp, turnstile: Turnstile) -> None:
        self._app = app
        self._turnstile = turnstile

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, or refuse."""
        if not _begins_turn(scope):
            await self._app(scope, receive, send)
            return
        with ExitStack() as held:
            try:
                held.enter_context(self._turnstile.permit(_share(own_path(scope))))
            except OverloadedError as error:
                await refuse(scope, receive, send, problem_of(error))
                return
            await self._app(scope, receive, send)


def _begins_turn(scope: Scope) -> bool:
    is_http = scope["type"] == "http" and scope["method"] in _METHODS
    return is_http and own_path(scope).startswith(_TURNS)


def _share(path: str) -> float:
    """Share of the bounds that a path may find in use and still be let in."""
    is_background = path.startswith(_BACKGROUND) and not path.startswith(_INTERACTIVE)
    return BACKGROUND_SHARE if is_background else 1.0
