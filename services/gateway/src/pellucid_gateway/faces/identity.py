"""Who is asking: API key and user, else key, else user, else address; only ever as an HMAC.

With keys off the gateway serves one machine, so a `user_id` of the request is believed.
"""

import ipaddress
from collections.abc import Sequence

from starlette.requests import Request

from pellucid_gateway.callers import CallerNames


class Identity(CallerNames):
    """Turns a request into a caller name that cannot be turned back.

    Args:
        key: Secret of the installation, at least 16 bytes; a new key forgets everybody.
        trusted_proxies: Networks whose `X-Forwarded-For` is believed.
    """

    def __init__(self, key: bytes, trusted_proxies: Sequence[str] = ()) -> None:
        super().__init__(key)
        self._trusted = tuple(ipaddress.ip_network(net, strict=False) for net in trusted_proxies)

    def caller(self, request: Request, user_id: str = "") -> str:
        """HMAC of whoever asks."""
        key_name = request.scope.get("pellucid.key", "")
        if user_id:
            return self.of_user(user_id, key_name=key_name)
        person = "" if key_name else self._address(request)
        return self.hashed(f"{key_name}\0{person}")

    def _address(self, request: Request) -> str:
        """Address of the client: the last one that no trusted proxy stands for."""
        peer = request.client.host if request.client else ""
        hops = [hop.strip() for hop in request.headers.get("x-forwarded-for", "").split(",")]
        while hops and self._is_trusted(peer):
            peer = hops.pop() or peer
        return f"ip:{peer}"

    def _is_trusted(self, address: str) -> bool:
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in self._trusted)
