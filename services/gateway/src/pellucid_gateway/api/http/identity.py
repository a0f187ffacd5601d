"""Who is asking: API key and user, else key, else user, else address; only ever as an HMAC.

The user is the request's own word (`user_id`, OpenAI's `user`), else a header that the operator
trusts. With keys off the gateway serves one machine, so both are believed.
"""

import ipaddress
from collections.abc import Container, Sequence

from starlette.requests import HTTPConnection

from pellucid_gateway.access.callers import CallerNames
from pellucid_gateway.access.hosts import is_loopback

# Everybody for whom a proxy of this machine stands that is none of the trusted ones.
_BEHIND_US = "forwarded by this machine"


class Identity(CallerNames):
    """Turns a request into a caller name that cannot be turned back.

    Args:
        key: Secret of the installation, at least 16 bytes; a new key forgets everybody.
        trusted_proxies: Networks whose `X-Forwarded-For` is believed.
        user_header: Header in which what stands in front names the person; empty: none. Believed
            from trusted proxies, from this machine and with a key.
        provisional: See `CallerNames`.
    """

    def __init__(
        self,
        key: bytes,
        trusted_proxies: Sequence[str] = (),
        user_header: str = "",
        *,
        provisional: bool = False,
    ) -> None:
        super().__init__(key, provisional=provisional)
        self._trusted = tuple(ipaddress.ip_network(net, strict=False) for net in trusted_proxies)
        self._user_header = user_header

    def caller(self, request: HTTPConnection, user_id: str = "") -> str:
        """HMAC of whoever asks."""
        key_name = request.scope.get("pellucid.key", "")
        person = user_id or self._named_by_header(request)
        if person:
            return self.of_user(person, key_name=key_name)
        if key_name:
            return self.of_key(key_name)
        address = self.address(request)
        is_foreign = is_loopback(address) and _is_forwarded(request)
        return self.of_address(_BEHIND_US if is_foreign else address)

    def of_key(self, key_name: str) -> str:
        """HMAC of a key without a person."""
        return self.hashed(f"{key_name}\0")

    def of_address(self, address: str) -> str:
        """HMAC of an address without key and person."""
        return self.hashed(f"\0ip:{address}")

    def address(self, request: HTTPConnection) -> str:
        """Address of the client: the last one that no trusted proxy stands for."""
        peer = request.client.host if request.client else ""
        hops = [hop.strip() for hop in request.headers.get("x-forwarded-for", "").split(",")]
        while hops and self._is_trusted(peer):
            peer = hops.pop() or peer
        return peer

    def is_own(self, request: HTTPConnection, address: str) -> bool:
        """It begins on this machine: a proxy here that nobody declared stands for somebody else."""
        return is_loopback(address) and not _is_forwarded(request)

    def _named_by_header(self, request: HTTPConnection) -> str:
        if not self._user_header:
            return ""
        peer = request.client.host if request.client else ""
        believed = "pellucid.key" in request.scope or self._is_trusted(peer) or is_loopback(peer)
        return request.headers.get(self._user_header, "") if believed else ""

    def _is_trusted(self, address: str) -> bool:
        if not self._trusted:
            return False
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in self._trusted)


class OwnCallers(Container[str]):
    """Callers that nobody limits: this machine, and the cluster's own without a person.

    Asked each time, because the key of names may come after the start.
    """

    def __init__(self, identity: Identity) -> None:
        self._identity = identity

    def __contains__(self, caller: object) -> bool:
        addresses = (self._identity.of_address(address) for address in ("127.0.0.1", "::1"))
        return caller in (*addresses, self._identity.of_user(""))


def _is_forwarded(request: HTTPConnection) -> bool:
    """A proxy says that it stands for somebody."""
    return "x-forwarded-for" in request.headers
