"""Names of callers that cannot be turned back into people."""

import hashlib
import hmac

# 128 bits: no two people of one installation collide.
_DIGEST_HEX = 32


class CallerNames:
    """Hashes identities.

    Args:
        key: Secret of the installation, at least 16 bytes; a new key forgets everybody.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def hashed(self, name: str) -> str:
        """HMAC-SHA256 of a name, 128 bits as hex."""
        return hmac.new(self._key, name.encode(), hashlib.sha256).hexdigest()[:_DIGEST_HEX]

    def of_user(self, user_id: str, *, key_name: str = "") -> str:
        """Name of a person whom a caller with this API key names."""
        return self.hashed(f"{key_name}\0user:{user_id}")
