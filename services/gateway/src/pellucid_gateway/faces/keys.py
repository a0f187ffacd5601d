"""API keys: random, stored only as hashes, named, expiring, gone within seconds of their removal.

The key file has one key a line: `name sha256 [expiry]`, with `#` comments; `pellucid-gateway-key
NAME` prints a new key and its line. Unknown, removed and expired keys are refused alike.
"""

import hashlib
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from pellucid_gateway.faces.guard import own_path
from pellucid_gateway.faces.problems import Problem, ProblemResponse
from pellucid_runtime.clock import Clock

# How long a removed key may live on.
RELOAD_S = 5.0
PREFIX = "plc_"
_KEY_BYTES = 32
# The page, its files and its probes hold no secret; the page asks for the key itself.
_OPEN = frozenset({"/", "/docs", "/openapi.json", "/livez", "/readyz", "/v1/version"})


class WrongKeyFileError(Exception):
    """The key file cannot be used; the text names file and line, never a hash."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One key. Attributes: name for logs and limits; expires, aware, None means never."""

    name: str
    expires: datetime | None


def read_keys(path: Path) -> Mapping[str, ApiKey]:
    """Keys by SHA-256 in hex.

    Raises:
        WrongKeyFileError: Missing, or a line is malformed.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise WrongKeyFileError(f"{path}: {error.strerror}") from None
    keys = {}
    for number, line in enumerate(lines, start=1):
        parts = line.partition("#")[0].split()
        if parts:
            digest, key = _key(parts, f"{path}, line {number}")
            keys[digest] = key
    return keys


def _key(parts: list[str], where: str) -> tuple[str, ApiKey]:
    name, digest, *rest = [*parts, ""]
    try:
        valid = len(bytes.fromhex(digest)) == hashlib.sha256().digest_size
        expires = datetime.fromisoformat(rest[0]) if rest and rest[0] else None
    except ValueError:
        valid, expires = False, None
    if not valid:
        raise WrongKeyFileError(f"{where}: must be `name sha256 [expiry]`")
    if expires is not None and expires.tzinfo is None:
        expires = expires.replace(tzinfo=UTC)
    return digest.lower(), ApiKey(name, expires)


class KeyRing:
    """The keys of a file, read again when it changes; a broken new version keeps the old keys.

    Args:
        path: The key file.
        clock: For expiry and reload.

    Raises:
        WrongKeyFileError: The file cannot be used at the start.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._keys = read_keys(path)
        self._checked = clock.monotonic()

    def find(self, token: str) -> ApiKey | None:
        """The valid key of a token, else None."""
        self._reload()
        key = self._keys.get(hashlib.sha256(token.encode()).hexdigest())
        expired = key is not None and key.expires is not None and key.expires <= self._clock.now()
        return None if expired else key

    def _reload(self) -> None:
        if self._clock.monotonic() - self._checked < RELOAD_S:
            return
        self._checked = self._clock.monotonic()
        try:
            self._keys = read_keys(self._path)
        except WrongKeyFileError:
            return


class KeyCheck:
    """Lets only requests with a valid key through, and names it in the scope.

    Args:
        app: What is guarded.
        find: Looks a token up.
    """

    def __init__(self, app: ASGIApp, find: Callable[[str], ApiKey | None]) -> None:
        self._app = app
        self._find = find

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check and hand on."""
        if scope["type"] != "http" or _is_open(own_path(scope)):
            await self._app(scope, receive, send)
            return
        key = self._find(_token(scope))
        if key is None:
            await _REFUSED(scope, receive, send)
            return
        await self._app({**scope, "pellucid.key": key.name}, receive, send)


def _is_open(path: str) -> bool:
    return path in _OPEN or path.startswith("/static/")


def _token(scope: Scope) -> str:
    headers = Headers(scope=scope)
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")


_REFUSED = ProblemResponse(
    Problem(
        code="UNAUTHENTICATED",
        detail="Send a valid key as `Authorization: Bearer <key>`.",
        headers={"WWW-Authenticate": "Bearer"},
    ),
    linger=True,
)


def main() -> None:
    """Print a new key, once, and the line for the key file."""
    name = sys.argv[1] if len(sys.argv) > 1 else "unnamed"
    token = PREFIX + secrets.token_urlsafe(_KEY_BYTES)
    digest = hashlib.sha256(token.encode()).hexdigest()
    sys.stdout.write(f"key (shown once): {token}\nline for the key file: {name} {digest}\n")
