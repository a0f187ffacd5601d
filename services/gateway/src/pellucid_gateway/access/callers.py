"""Names of callers that cannot be turned back into people."""

import hashlib
import hmac

# 128 bits: no two people of one installation collide.
_DIGEST_HEX = 32
# Begins names made before the installation's key is known; nothing may be kept under them.
PROVISIONAL = "~"


class CallerNames:
    """Hashes identities.

    Args:
        key: Secret of the installation, at least 16 bytes; a new key forgets everybody.
        provisional: The key is this process's own until `settle` brings the installation's.
    """

    def __init__(self, key: bytes, *, provisional: bool = False) -> None:
        self._key = key
        self._mark = PROVISIONAL if provisional else ""

    @property
    def key(self) -> bytes:
        """The key of now."""
        return self._key

    def settle(self, key: bytes) -> None:
        """Make names with the installation's key from now on."""
        self._key, self._mark = key, ""

    def hashed(self, name: str) -> str:
        """HMAC-SHA256 of a name, 128 bits as hex; marked while the key is provisional."""
        digest = hmac.new(self._key, name.encode(), hashlib.sha256).hexdigest()
        return self._mark + digest[:_DIGEST_HEX]

    def of_user(self, user_id: str, *, key_name: str = "") -> str:
        """Name of a person whom a caller with this API key names."""
        return self.hashed(f"{key_name}\0user:{user_id}")
