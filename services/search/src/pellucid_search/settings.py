"""Settings of the search service."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, SecretStr, create_model, field_validator
from pydantic_core import PydanticCustomError

from pellucid_runtime.malicious.settings import MaliciousSettings
from pellucid_search.asking.planning import AUTO, KEYLESS
from pellucid_search.providers.registry import ANY, ENTITIES, REGISTRY

_URL = r"^https?://[^\s/]+"
# The keyless provider by the name of whom it asks.
_OTHER_NAMES = {"duckduckgo": KEYLESS}


def _provider_fields() -> dict[str, Any]:
    """One setting for the key, the address and the account of each provider over HTTP."""
    fields: dict[str, Any] = {}
    for spec in REGISTRY.values():
        if spec.dialect is None and not spec.base_url:
            continue
        if spec.key:
            text = f"Key for {spec.name}."
            fields[spec.key.lower()] = (SecretStr | None, Field(None, description=text))
        if spec.account:
            text = f"Account of {spec.name} that the key belongs to."
            fields[spec.account.lower()] = (str | None, Field(None, description=text))
        text = f"Address{' instead of the usual one' if spec.base_url else ''} of {spec.name}."
        address = Field(None, pattern=_URL, description=text)
        fields[spec.address.lower()] = (str | None, address)
    return fields


if TYPE_CHECKING:
    _WithProviders = MaliciousSettings
else:
    _WithProviders = create_model(
        "_WithProviders", __base__=MaliciousSettings, **_provider_fields()
    )


class SearchSettings(_WithProviders):
    """Environment variables of the search service; those of a provider stand in the registry."""

    grpc_port: int = Field(50052, ge=0, le=65535, description="gRPC port; 0 picks a free one.")
    metrics_port: int = Field(9102, ge=0, le=65535, description="Prometheus port; 0 picks one.")
    search_providers: str = Field(
        AUTO,
        description="Providers in order, separated by commas; auto: those with a key, else ddgs.",
    )
    search_real_time: str = Field(
        "",
        description="Real-time sources called in addition to the providers for matching questions, "
        "separated by commas; empty: none, unless a request names one.",
    )
    search_entities: bool = Field(
        default=False,
        description="Link one name of each redacted query to Wikidata, which receives that name.",
    )
    local_corpus_dir: Path | None = Field(
        None, description="Folder of documents for the local provider; unset: none."
    )
    local_corpus_base_url: str | None = Field(
        None,
        pattern=_URL,
        description="Address of the corpus, {host} for its first folder; unset: as in corpus.yaml.",
    )
    search_timeout_s: float = Field(
        2.5, gt=0, le=10, description="Longest call to one provider in seconds; then it has failed."
    )
    search_budget_s: float = Field(
        3.0, gt=0, le=30, description="Longest search in seconds, within the caller's deadline."
    )
    search_wait_s: float = Field(
        10.0,
        ge=0,
        le=60,
        description="Seconds beyond the budget to wait for a provider's rate limit, within the "
        "caller's deadline; a longer wait is refused at once.",
    )
    search_hedge_s: float = Field(
        1.0,
        gt=0,
        le=10,
        description="Seconds until the next provider is called as well; later the measured p95.",
    )
    search_provider_concurrency: int = Field(
        32,
        ge=1,
        le=100,
        description="Calls in progress per provider and replica; more wait while an answer could "
        "still be in time.",
    )
    search_daily_budget_usd: float = Field(
        50.0,
        ge=0,
        le=1e6,
        description="Budget per UTC day; beyond it only free providers are called.",
    )
    search_prices: str = Field(
        "",
        pattern=r"^$|^\w+=\d+(\.\d+)?(,\w+=\d+(\.\d+)?)*$",
        description="USD per 1,000 calls by provider instead of list prices: brave=3,tavily=8.",
    )
    search_rates: str = Field(
        "",
        pattern=r"^$|^\w+=\d+/\d+(,\w+=\d+/\d+)*$",
        description="Calls per seconds by provider instead of the defaults: brave=20/1.",
    )
    search_replicas: int = Field(
        1,
        ge=1,
        le=1000,
        description="Replicas that share the limits; each has its part without Redis.",
    )
    search_pii_subject_lookup: bool = Field(
        default=False,
        description="Do not redact an e-mail address, phone number or IP that a question is about.",
    )
    search_domain_policy: Path | None = Field(
        None, description="YAML file with further block, doubtful and allow lists."
    )
    search_internal_hosts: str = Field(
        "",
        description="Hosts named as internal, separated by commas; *.example includes subdomains.",
    )
    egress_proxy_url: str | None = Field(
        None, pattern=_URL, description="Proxy for provider calls."
    )
    egress_ca_file: Path | None = Field(None, description="Further certificate authorities (PEM).")

    @field_validator("search_providers")
    @classmethod
    def _known(cls, value: str) -> str:
        names = _names(value)
        web = [name for name, spec in REGISTRY.items() if not spec.topics]
        unknown = [name for name in names if name not in web and name != AUTO]
        if unknown or not names or (AUTO in names and len(names) > 1):
            wrong = f"{', '.join(unknown)} is unknown; " if unknown else ""
            text = f"{wrong}must be {AUTO} or of {', '.join(web)}"
            raise PydanticCustomError("providers", "{text}", {"text": text})
        return value

    @field_validator("search_real_time")
    @classmethod
    def _real_time(cls, value: str) -> str:
        sources = [name for name, spec in REGISTRY.items() if spec.topics and spec.topics != ANY]
        if any(name not in sources for name in _names(value)):
            raise ValueError(f"must be of {', '.join(sources)}")
        return value

    @field_validator("search_prices", "search_rates")
    @classmethod
    def _of_known(cls, value: str) -> str:
        unknown = [
            n for n in (part.partition("=")[0] for part in _names(value)) if n not in REGISTRY
        ]
        if unknown:
            raise ValueError(f"must name providers of {', '.join(REGISTRY)}")
        return value

    @property
    def listed_providers(self) -> tuple[str, ...]:
        """Names of `SEARCH_PROVIDERS`."""
        return _names(self.search_providers)

    @property
    def beside(self) -> tuple[str, ...]:
        """What is asked beside the providers: `SEARCH_REAL_TIME` and `SEARCH_ENTITIES`."""
        linking = (ENTITIES,) if self.search_entities else ()
        return _names(self.search_real_time) + linking

    @property
    def internal_hosts(self) -> tuple[str, ...]:
        """Names of `SEARCH_INTERNAL_HOSTS`."""
        return _names(self.search_internal_hosts)


def _names(value: str) -> tuple[str, ...]:
    names = (name.strip().lower() for name in value.split(",") if name.strip())
    return tuple(_OTHER_NAMES.get(name, name) for name in names)
