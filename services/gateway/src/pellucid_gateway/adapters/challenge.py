"""Answers to challenges, checked by the service that set them: hCaptcha, Turnstile and alike.

All of them take a form of `secret`, `response` and `remoteip` and answer `{"success": true}`.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Self

from pellucid_gateway.domain.events import Challenge

if TYPE_CHECKING:
    import aiohttp

# A person waits for this.
_TIMEOUT_S = 3.0


class HttpVerifier:
    """Implements `abuse.ChallengeVerifier`. An asynchronous context manager.

    Args:
        url: The verifying address of the service.
        secret: Tells the shared secret, read anew for each use so that it can be rotated.
        challenge: What a page needs to show it.
    """

    def __init__(self, url: str, secret: Callable[[], str], challenge: Challenge) -> None:
        self._url = url
        self._secret = secret
        self.challenge = challenge

    async def __aenter__(self) -> Self:
        # Imported here and not at the top: it is slow to import, and few installations ask.
        from aiohttp import ClientSession, ClientTimeout

        # Proxies of the environment are ignored, as everywhere.
        self._session: aiohttp.ClientSession = ClientSession(
            timeout=ClientTimeout(total=_TIMEOUT_S), trust_env=False
        )
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._session.close()

    async def verify(self, answer: str, address: str) -> bool:
        """See `ChallengeVerifier`."""
        from aiohttp import ClientError

        form = {"secret": self._secret(), "response": answer, "remoteip": address}
        try:
            async with self._session.post(self._url, data=form, allow_redirects=False) as reply:
                if reply.status != 200:  # noqa: PLR2004 - the only good status
                    return False
                said = await reply.json(content_type=None)
        except (TimeoutError, ClientError, ValueError):
            return False
        return isinstance(said, dict) and said.get("success") is True
