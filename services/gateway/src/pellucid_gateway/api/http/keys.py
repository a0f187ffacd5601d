"""The key file of a running gateway: read again when it changes, so a removed key ends at once."""

from collections.abc import Callable, Mapping
from pathlib import Path

from starlette.datastructures import Headers
from starlette.types import Scope as AsgiScope

from pellucid_gateway.access.api_keys import ApiKey, digest_of, parse_line
from pellucid_gateway.metrics import observe_key_ages
from pellucid_runtime.clock import Clock

# How long a removed key may live on.
RELOAD_S = 5.0

FindKey = Callable[[str], ApiKey | None]


class WrongKeyFileError(Exception):
    """The key file cannot be used; the text names file and line, never a hash."""


def read_keys(path: Path) -> Mapping[str, ApiKey]:
    """Keys by SHA-256 in hex.

    Raises:
        WrongKeyFileError: Missing, or a line is malformed.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise WrongKeyFileError(f"{path}: {type(error).__name__}") from None
    keys = {}
    for number, line in enumerate(lines, start=1):
        try:
            found = parse_line(line)
        except ValueError:
            words = "must be `name sha256 [expiry] [option=value ...]`"
            raise WrongKeyFileError(f"{path}, line {number}: {words}") from None
        if found is not None:
            keys[found[0]] = found[1]
    return keys


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
        observe_key_ages(self._keys.values(), clock.now())

    def find(self, token: str) -> ApiKey | None:
        """The valid key of a token, else None; nothing is remembered of tokens without a key."""
        self._reload()
        key = self._keys.get(digest_of(token))
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
        observe_key_ages(self._keys.values(), self._clock.now())


def token_of(scope: AsgiScope) -> str:
    """The key that a request carries: bearer, or the header of Anthropic's clients."""
    headers = Headers(scope=scope)
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")
