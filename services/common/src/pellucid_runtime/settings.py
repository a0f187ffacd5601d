"""Settings that every service has, and how a wrong one is reported.

A service subclasses `ServiceSettings`; the environment variable of a field is its name in upper
case, without a prefix. Only a composition root reads settings.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    AwareDatetime,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from pellucid_runtime.rpc.tls import TlsFiles
from pellucid_runtime.secrets import SecretFile, read_days, report_age

S = TypeVar("S", bound="ServiceSettings")

# The SDK's names. Prometheus reads /metrics whatever is set.
_METRICS_EXPORTERS = frozenset({"none", "otlp", "prometheus"})


class ServiceSettings(BaseSettings):
    """Common settings; frozen. An empty variable counts as unset."""

    model_config = SettingsConfigDict(
        frozen=True, extra="ignore", env_ignore_empty=True, hide_input_in_errors=True
    )

    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], BeforeValidator(str.lower)
    ] = Field(default="info", description="Least severity that is logged.")
    log_format: Literal["auto", "json", "console"] = Field(
        default="auto",
        description="One JSON object a line, or text for people; auto: text on a terminal.",
    )
    otel_exporter_otlp_endpoint: str | None = Field(
        default=None,
        pattern=r"^https?://",
        description="OTLP collector, for example http://collector.example:4317; unset: none.",
    )
    otel_exporter_otlp_protocol: Literal["grpc", "http/protobuf"] = Field(
        default="grpc", description="How spans travel; the usual port of http/protobuf is 4318."
    )
    otel_metrics_exporter: str = Field(
        default="none",
        description="otlp: send metrics to the collector too; prometheus, none: /metrics only.",
    )
    otel_metric_export_interval: int = Field(
        default=60_000, ge=1_000, le=3_600_000, description="Milliseconds between two of these."
    )
    otel_sdk_disabled: bool = Field(
        default=False, description="Record and send no spans, and send no metrics."
    )
    pellucid_clock: AwareDatetime | None = Field(
        default=None,
        description="Instant that the service treats as now; for tests and replays.",
    )
    redis_url: str | None = Field(
        default=None,
        pattern=r"^(rediss?|unix)://",
        description="Shared state; unset: SQLite in DATA_DIR.",
    )
    redis_cache_url: str | None = Field(
        default=None,
        pattern=r"^(rediss?|unix)://",
        description="Shared cache; unset: same as REDIS_URL.",
    )
    secrets_dir: Path | None = Field(
        default=None,
        description="Folder of files named like variables in lower case; reloaded on change.",
    )
    secrets_created: str = Field(
        default="",
        description="Day of each secret, name=YYYY-MM-DD,…; its age is a metric with an alert.",
    )
    data_dir: Path = Field(default=Path("data"), description="Folder of the SQLite files.")
    grpc_host: str = Field(
        default="127.0.0.1", description="Address that the gRPC server listens on."
    )
    grpc_port: int = Field(default=0, ge=0, le=65535, description="gRPC port; 0 picks a free one.")
    grpc_reflection: bool = Field(
        default=False, description="Answer gRPC reflection; keep off in production."
    )
    grpc_max_message_bytes: int = Field(
        default=16 * 1024 * 1024,
        ge=4096,
        le=256 * 1024 * 1024,
        description="Largest gRPC message in bytes; a larger one is refused.",
    )
    grpc_max_connection_age_s: float = Field(
        default=300.0,
        ge=1,
        description="Seconds after which a connection is renewed, so callers find new replicas.",
    )
    grpc_tls_cert_file: Path | None = Field(
        default=None,
        description="PEM certificate of this service; with the two below: mutual TLS.",
    )
    grpc_tls_key_file: Path | None = Field(
        default=None, description="Its private key; reloaded on change."
    )
    grpc_tls_ca_file: Path | None = Field(
        default=None, description="Authority of all services' certificates."
    )
    metrics_host: str = Field(
        default="127.0.0.1", description="Address of the Prometheus endpoint."
    )
    metrics_port: int = Field(
        default=0, ge=0, le=65535, description="Prometheus port; 0 picks a free one."
    )
    max_concurrent_rpcs: int = Field(
        default=256,
        ge=1,
        le=100_000,
        description="Concurrent calls; further ones are refused at once.",
    )
    default_deadline_s: float = Field(
        default=120.0,
        gt=0,
        le=3600,
        description="Deadline in seconds for calls without one; also the maximum for all calls.",
    )
    shutdown_grace_s: float = Field(
        default=10.0,
        ge=0,
        le=600,
        description="Seconds that calls in progress have to finish during a shutdown.",
    )
    drain_delay_s: float = Field(
        default=0.0,
        ge=0,
        le=120,
        description="Seconds between announcing a shutdown and refusing calls.",
    )

    @field_validator("otel_metrics_exporter")
    @classmethod
    def _exporters_are_known(cls, value: str) -> str:
        if not {name.strip() for name in value.split(",")} <= _METRICS_EXPORTERS:
            words = "must be otlp, prometheus or none, or several with commas between"
            raise PydanticCustomError("exporters", words)
        return value

    @field_validator("secrets_created")
    @classmethod
    def _days_can_be_read(cls, value: str) -> str:
        try:
            read_days(value)
        except ValueError as error:
            raise PydanticCustomError("days", "must be name=YYYY-MM-DD,…") from error
        return value

    @model_validator(mode="after")
    def _tls_files_are_usable(self) -> Self:
        if (files := self.tls_files) is not None:
            try:
                files.check()
            except OSError as error:
                raise PydanticCustomError(
                    "tls", "GRPC_TLS_*_FILE: cannot be used: {why}", {"why": str(error)}
                ) from error
        return self

    @property
    def pushes_metrics(self) -> bool:
        """Metrics go to the collector: there is one, and `OTEL_METRICS_EXPORTER` names `otlp`."""
        is_off = self.otel_sdk_disabled or self.otel_exporter_otlp_endpoint is None
        return not is_off and "otlp" in map(str.strip, self.otel_metrics_exporter.split(","))

    @property
    def tls_files(self) -> TlsFiles | None:
        """Files of mutual TLS between services; None: plain text.

        Raises:
            PydanticCustomError: One or two of the three are set.
        """
        certificate, key = self.grpc_tls_cert_file, self.grpc_tls_key_file
        authority = self.grpc_tls_ca_file
        if certificate is None and key is None and authority is None:
            return None
        if certificate is None or key is None or authority is None:
            raise PydanticCustomError(
                "tls", "GRPC_TLS_CERT_FILE, GRPC_TLS_KEY_FILE, GRPC_TLS_CA_FILE: set all or none"
            )
        return TlsFiles(certificate, key, authority)

    def secret(self, name: str) -> Callable[[], str]:
        """A function that gives a secret's newest value; "" when it is not set.

        The age of one that is set becomes a metric.

        Args:
            name: The field; the environment comes before the file of the same name.
        """
        newest = self._followed(name)
        if newest():
            report_age(name, self._followed("secrets_created"))
        return newest

    def _followed(self, name: str) -> Callable[[], str]:
        value = getattr(self, name)
        fixed = value.get_secret_value() if isinstance(value, SecretStr) else value or ""
        if self.secrets_dir is not None and name.upper() not in os.environ:
            # The file may come after the start: an optional Secret that was made late.
            return SecretFile(self.secrets_dir / name, otherwise=fixed)
        return lambda: fixed

    @property
    def service_name(self) -> str:
        """Name in logs, traces and metrics: `DecisionSettings` is of `decision`."""
        return type(self).__name__.removesuffix("Settings").lower()


class WrongSettingError(Exception):
    """A setting is missing or breaks its limit; the text names variable and limit."""


def load_settings(settings_class: type[S]) -> S:
    """Read the environment, and files named like variables in the folder `SECRETS_DIR`, if set.

    Raises:
        WrongSettingError: A variable does not fit; its value is not in the text.
    """
    sources: dict[str, Any] = {"_secrets_dir": os.environ.get("SECRETS_DIR")}
    try:
        return settings_class(**sources)
    except ValidationError as error:
        raise WrongSettingError(_wrong_fields(error)) from None
    except SettingsError as error:  # a list or mapping that is not valid JSON
        raise WrongSettingError(str(error)) from None


def _wrong_fields(error: ValidationError) -> str:
    """One part per wrong variable: its name and what it must be."""
    return "; ".join(
        f"{'.'.join(str(part) for part in wrong['loc']).upper() or 'settings'}: {wrong['msg']}"
        for wrong in error.errors(include_url=False, include_input=False)
    )
