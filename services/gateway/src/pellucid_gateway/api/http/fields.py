"""Field types that several requests share: bounded, cleaned, with errors that say the limit."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Annotated
from urllib.parse import urlsplit
from zoneinfo import available_timezones

from pydantic import AfterValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from pellucid_gateway.domain.limits import MESSAGE_BYTES, MESSAGES
from pellucid_language.text import clean


def _wrong(limit: str, message: str, kind: str = "limit") -> PydanticCustomError:
    # Braces would be read as placeholders by the error's template.
    text = message.replace("{", "(").replace("}", ")")
    return PydanticCustomError(kind, text, {"limit": limit})


def at_most_bytes(limit: int, *, whole: bool = False) -> Callable[[str], str]:
    """Bound a text in UTF-8 bytes; `whole` marks the limits that answer 413."""
    words = f"at most {limit} bytes of UTF-8"

    def bounded(text: str) -> str:
        # A character has at most 4 bytes, so most texts need no encoding to be judged.
        if len(text) * 4 > limit and len(text.encode()) > limit:
            raise _wrong(words, f"must be {words}", "payload_too_large" if whole else "limit")
        return clean(text)

    return bounded


def not_blank(text: str) -> str:
    """Refuse a text without a visible character."""
    if not text.strip():
        raise _wrong("not empty", "must not be empty")
    return text


def at_most_messages(messages: list[object]) -> list[object]:
    """Bound the conversation."""
    if len(messages) > MESSAGES:
        words = f"at most {MESSAGES} messages"
        raise _wrong(words, f"must have {words}", "payload_too_large")
    return messages


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


def known_zone(name: str) -> str:
    """Refuse a time zone that does not exist."""
    if name and name not in _zones():
        limit = "an IANA name such as Europe/Paris"
        raise _wrong(limit, f"must be {limit}")
    return name


def no_spaces(text: str) -> str:
    """Refuse white space inside host names; lower case."""
    host = text.strip().lower()
    if any(letter.isspace() for letter in host):
        raise _wrong("a host name", "must be a host name")
    return host


def host_name(host: str) -> str:
    """Check a host name, or an IP address; as it stands in addresses, in ASCII, without `www.`."""
    try:
        name = host.rstrip(".").removeprefix("www.").encode("idna").decode()
        is_host = bool(name) and urlsplit(f"https://{name}/").hostname == name
    except ValueError:
        is_host = False
    if not is_host:
        raise _wrong("a host name", "must be a host name")
    return name


def instant(text: str) -> str:
    """Check an ISO 8601 date or date-time; kept as text."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        limit = "an ISO 8601 date or date-time"
        raise _wrong(limit, f"must be {limit}") from None
    return text


def parse_instant(text: str) -> datetime | None:
    """Aware UTC instant of a text that `instant` let through; a time without zone is UTC."""
    if not text:
        return None
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


_FILLED = WithJsonSchema({"type": "string", "minLength": 1, "pattern": r"[^\s\x00-\x1f\x7f-\x9f]"})
MessageText = Annotated[str, AfterValidator(at_most_bytes(MESSAGE_BYTES, whole=True))]
FilledMessage = Annotated[MessageText, AfterValidator(not_blank), _FILLED]
MemoryText = Annotated[str, AfterValidator(at_most_bytes(2048))]
ShortText = Annotated[str, AfterValidator(at_most_bytes(256))]
FilledName = Annotated[ShortText, AfterValidator(not_blank), _FILLED]
FilledMemory = Annotated[MemoryText, AfterValidator(not_blank), _FILLED]
Address = Annotated[str, AfterValidator(at_most_bytes(8192)), AfterValidator(not_blank), _FILLED]
Domain = Annotated[
    str,
    AfterValidator(at_most_bytes(255)),
    AfterValidator(no_spaces),
    AfterValidator(host_name),
    WithJsonSchema({"type": "string", "format": "hostname"}),
]
Host = Annotated[str, AfterValidator(at_most_bytes(255)), AfterValidator(no_spaces)]
ProviderName = Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,32}$")]
LanguageTag = Annotated[
    str,
    Field(
        pattern=r"^(auto|[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,1})$",
        max_length=16,
        description='ISO 639-1 code of the answer, or "auto" to follow the person.',
    ),
]
Country = Annotated[str, Field(pattern=r"^[A-Za-z]{2}$")]
TimeZone = Annotated[
    str,
    Field(max_length=64, description="IANA name; absent means UTC."),
    AfterValidator(known_zone),
]
