"""Settings of the gateway; environment names are the field names in upper case."""

from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import NoDecode

from pellucid_gateway.hosts import is_loopback
from pellucid_runtime.llm_settings import LlmSettings


def _split(value: object) -> object:
    """Split a comma list, ignoring spaces and empty parts."""
    if not isinstance(value, str):
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())


CommaList = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]


class GatewaySettings(LlmSettings):
    """What the gateway reads from the environment."""

    gateway_host: str = Field("127.0.0.1", description="Address of the HTTP faces.")
    gateway_port: int = Field(
        8080, ge=0, le=65535, description="Port of the HTTP faces; 0 picks a free one."
    )
    gateway_root_path: str = Field(
        "", pattern=r"^(/[^?#]*[^/?#])?$", description="Path prefix that a proxy in front strips."
    )
    gateway_auth: Literal["off", "keys"] = Field(
        "off", description="keys: every request needs an API key; off: this machine only."
    )
    gateway_keys_file: Path | None = Field(
        None, description="Keys of GATEWAY_AUTH=keys, one a line; read again when it changes."
    )
    gateway_allow_unauthenticated: bool = Field(
        default=False,
        description="Permit GATEWAY_AUTH=off on a non-loopback address: anyone who reaches it may "
        "search at your cost.",
    )
    gateway_allowed_hosts: CommaList = Field(
        (), description="Host names served besides loopback ones while keys are off."
    )
    gateway_cors_origins: CommaList = Field(
        (), description="Foreign origins that may call, for example https://chat.example."
    )
    gateway_trusted_proxies: CommaList = Field(
        (), description="Networks whose X-Forwarded-For is believed, for example 10.0.0.0/8."
    )
    gateway_max_body_bytes: int = Field(
        2 * 1024 * 1024,
        ge=64 * 1024,
        le=64 * 1024 * 1024,
        description="Longest body of a native request; a longer one is cut off with 413.",
    )
    grpc_port: int = Field(50050, ge=0, le=65535, description="gRPC port; 0 picks a free one.")
    metrics_port: int = Field(9100, ge=0, le=65535, description="Prometheus port.")
    decision_target: str = Field("127.0.0.1:50051", description="Decision service.")
    search_target: str = Field("127.0.0.1:50052", description="Search service.")
    scorer_target: str = Field("127.0.0.1:50053", description="Scorer service.")
    fetcher_target: str = Field("127.0.0.1:50054", description="Fetcher service.")
    llm_knowledge_cutoff: date = Field(
        date(2025, 1, 1), description="First day that the answer model knows nothing of."
    )

    @field_validator("llm_knowledge_cutoff", mode="before")
    @classmethod
    def _whole_month(cls, value: object) -> object:
        """Accept `2025-01` for the first of the month."""
        is_month = isinstance(value, str) and len(value) == len("2025-01")
        return f"{value}-01" if is_month else value

    @model_validator(mode="after")
    def _keys_have_a_file(self) -> "GatewaySettings":
        if self.gateway_auth == "keys" and self.gateway_keys_file is None:
            raise PydanticCustomError("keys", "GATEWAY_AUTH=keys needs GATEWAY_KEYS_FILE")
        return self

    @model_validator(mode="after")
    def _not_open_by_accident(self) -> "GatewaySettings":
        exposed = self.gateway_auth == "off" and not is_loopback(self.gateway_host)
        if exposed and not self.gateway_allow_unauthenticated:
            raise PydanticCustomError(
                "open",
                "GATEWAY_HOST is reachable from other machines while GATEWAY_AUTH=off; set "
                "GATEWAY_AUTH=keys, or GATEWAY_ALLOW_UNAUTHENTICATED=true if something in front "
                "checks who may come in",
            )
        return self
