"""API keys: random, kept only as hashes, named, scoped, expiring, with a budget and providers.

The key file has one key a line: `name sha256 [expiry] [option=value ...]`, with `#` comments.
Unknown, removed and expired keys are looked up alike and answered alike.
"""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

PREFIX = "plc_"
_KEY_BYTES = 32


class Scope(StrEnum):
    """What a key may be used for."""

    CHAT = "chat"
    SEARCH = "search"
    FETCH = "fetch"
    STATS = "stats"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One key.

    Attributes:
        name: For logs, limits and metrics.
        expires: Aware; None means never.
        scopes: What it opens; all without a word about it.
        providers: Search providers that it may use; empty means those of the installation.
        budget_usd: Cost of a day after which it searches no more; None means no budget.
        searches_per_day: Searching turns of a person; None means the installation's limit.
        requests_per_minute: Likewise.
        created: When it was made, aware; for its age.
    """

    name: str
    expires: datetime | None
    scopes: frozenset[Scope] = field(default=frozenset(Scope))
    providers: tuple[str, ...] = ()
    budget_usd: float | None = None
    searches_per_day: int | None = None
    requests_per_minute: int | None = None
    created: datetime | None = None


def digest_of(token: str) -> str:
    """SHA-256 of a key in hex; enough for 256 random bits."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_key() -> str:
    """A new key, 256 random bits."""
    return PREFIX + secrets.token_urlsafe(_KEY_BYTES)


def parse_line(line: str) -> tuple[str, ApiKey] | None:
    """Digest and key of one line; None for an empty line or a comment.

    Raises:
        ValueError: The line is malformed; the text never holds its hash.

    >>> digest, key = parse_line("desk " + "0" * 64 + " 2027-01-01 scopes=chat budget_usd=5")
    >>> (key.name, key.expires.year, sorted(key.scopes), key.budget_usd)
    ('desk', 2027, [<Scope.CHAT: 'chat'>], 5.0)
    """
    name, digest, *rest = [*line.partition("#")[0].split(), "", ""]
    if not name:
        return None
    if len(bytes.fromhex(digest)) != hashlib.sha256().digest_size:
        raise ValueError("the hash has another length")
    words = [word for word in rest if word]
    options = dict(word.split("=", 1) for word in words if "=" in word)
    dates = [word for word in words if "=" not in word]
    if len(dates) > 1 or options.keys() - _OPTIONS:
        raise ValueError("an unknown option")
    expires = _instant(dates[0]) if dates else None
    return digest.lower(), ApiKey(name, expires, **_fields(options))


_OPTIONS = frozenset(
    {"scopes", "providers", "budget_usd", "searches_per_day", "requests_per_minute", "created"}
)


def _fields(options: Mapping[str, str]) -> dict[str, Any]:
    """Fields of a key from the options of its line."""
    fields: dict[str, Any] = {}
    if "scopes" in options:
        fields["scopes"] = frozenset(Scope(word) for word in options["scopes"].split(","))
    if "providers" in options:
        fields["providers"] = tuple(options["providers"].split(","))
    if "budget_usd" in options:
        fields["budget_usd"] = float(options["budget_usd"])
    for name in ("searches_per_day", "requests_per_minute"):
        if name in options:
            fields[name] = int(options[name])
    if "created" in options:
        fields["created"] = _instant(options["created"])
    return fields


def _instant(text: str) -> datetime:
    instant = datetime.fromisoformat(text)
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)
