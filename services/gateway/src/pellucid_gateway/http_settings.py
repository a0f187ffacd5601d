"""Settings of the HTTP server: where it listens, whom it serves, and its limits."""

from typing import Annotated

from pydantic import BeforeValidator, Field
from pydantic_settings import NoDecode

from pellucid_runtime.llm.settings import LlmSettings


def split(value: object, mark: str = ",") -> object:
    """Split a list, ignoring spaces and empty parts."""
    if not isinstance(value, str):
        return value
    return tuple(part.strip() for part in value.split(mark) if part.strip())


CommaList = Annotated[tuple[str, ...], NoDecode, BeforeValidator(split)]


class HttpSettings(LlmSettings):
    """What the HTTP server reads from the environment."""

    gateway_host: str = Field("127.0.0.1", description="Address of the HTTP API.")
    gateway_port: int = Field(
        8080, ge=0, le=65535, description="Port of the HTTP API; 0 picks a free one."
    )
    gateway_root_path: str = Field(
        "", pattern=r"^(/[^?#]*[^/?#])?$", description="Path prefix that a reverse proxy strips."
    )
    gateway_allowed_hosts: CommaList = Field(
        (), description="Host names served besides loopback ones while keys are off."
    )
    gateway_cors_origins: CommaList = Field(
        (), description="Origins that may call from a browser, for example https://chat.example."
    )
    gateway_trusted_proxies: CommaList = Field(
        (), description="Networks whose X-Forwarded-For is trusted, for example 10.0.0.0/8."
    )
    gateway_max_head_bytes: int = Field(
        32 * 1024,
        ge=4 * 1024,
        le=1024 * 1024,
        description="Bytes of a request line with its headers; beyond it 431.",
    )
    gateway_max_headers: int = Field(
        100, ge=20, le=1_000, description="Headers of a request; beyond it 431."
    )
    gateway_head_timeout_s: float = Field(
        10.0, gt=0, le=300, description="Seconds for the head of a request; beyond it 408."
    )
    gateway_body_timeout_s: float = Field(
        60.0, gt=0, le=3_600, description="Seconds for the body of a request; beyond it 408."
    )
    gateway_idle_timeout_s: float = Field(
        30.0,
        gt=0,
        le=3_600,
        description="Seconds that a connection may be idle between two requests.",
    )
    gateway_write_timeout_s: float = Field(
        60.0,
        gt=0,
        le=3_600,
        description="Seconds in which a client has to read on; then the connection is closed.",
    )
    gateway_max_connections: int = Field(
        4_000,
        ge=10,
        le=100_000,
        description="Connections in total; beyond it the one idle longest is closed, else 503.",
    )
    gateway_address_connections: int = Field(
        1_000,
        ge=1,
        le=100_000,
        description="Connections per address (IPv6: /64); trusted proxies are not limited.",
    )
    gateway_max_body_bytes: int = Field(
        2 * 1024 * 1024,
        ge=64 * 1024,
        le=64 * 1024 * 1024,
        description="Largest body of a native request without attachments; beyond it 413.",
    )
