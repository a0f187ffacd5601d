"""With what right the present request came in, known to everything that serves it.

Set at the door (HTTP, WebSocket, gRPC) for the task that serves the request and for the tasks it
starts; read where providers, budgets and limits depend on it.
"""

from contextvars import ContextVar
from dataclasses import dataclass

from pellucid_gateway.access.api_keys import ApiKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The right of one request.

    Attributes:
        key: The API key; None while keys are off.
        challenge: Answer to a challenge that came along; empty without.
        address: The client's address, for the verifier of challenges; never stored.
    """

    key: ApiKey | None = None
    challenge: str = ""
    address: str = ""


_ANYBODY = Access()
_current: ContextVar[Access] = ContextVar("pellucid_access", default=_ANYBODY)


def enter(access: Access) -> None:
    """Serve the rest of this task with a right."""
    _current.set(access)


def current_access() -> Access:
    """The right of the request that this task serves."""
    return _current.get()
