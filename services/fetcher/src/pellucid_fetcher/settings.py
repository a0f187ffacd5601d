"""Settings of the fetcher; the environment variable of a field is its name in upper case."""

import os

from pydantic import Field, SecretStr, field_validator

from pellucid_fetcher.egress.address import read_host
from pellucid_fetcher.egress.exemptions import read_exemptions
from pellucid_fetcher.egress.proxy_address import read_proxy
from pellucid_fetcher.egress.ranges import load_rule
from pellucid_fetcher.sites.registry import REGISTRY, USUAL
from pellucid_runtime.malicious.settings import MaliciousSettings

# Turns a default off: an empty variable counts as unset.
OFF = "off"
_BASE = r"^https?://[^\s/?#@]+(/[^\s?#]*)?$"


class FetcherSettings(MaliciousSettings):
    """What an operator can choose."""

    grpc_port: int = Field(50054, ge=0, le=65535, description="gRPC port; 0 picks a free one.")
    metrics_port: int = Field(9104, ge=0, le=65535, description="Prometheus port; 0 picks one.")
    fetcher_allow_private_hosts: str = Field(
        "",
        description="Comma list of host:port exempt from the address rules; *.name:port includes "
        "subdomains. For intranets and tests. Public pages cannot lead there.",
    )
    fetcher_static_hosts: str = Field(
        "",
        description="Comma list of name=address that are not resolved by DNS; *.name=address has "
        "subdomains too. A private address still needs an exemption.",
    )
    fetcher_blocked_domains: str = Field(
        "", description="Comma list of domains that are never contacted, subdomains included."
    )
    fetcher_denied_ranges: str = Field(
        "", description="Comma list of CIDR ranges refused in addition: pods, services, nodes."
    )
    fetcher_ports: str = Field(
        "80,443,8080,8443", description="Comma list of allowed ports on public hosts."
    )
    fetcher_insecure_hosts: str = Field(
        "",
        description="Comma list of hosts whose certificate is not verified; pages get a warning.",
    )
    fetcher_ca_bundle: str = Field("", description="PEM file of further trusted authorities.")
    egress_proxy_url: SecretStr | None = Field(
        None,
        description="Corporate proxy, http(s)://[user:word@]host:port, used with CONNECT to "
        "checked addresses; unset: direct. Proxy variables of the environment are ignored.",
    )
    reader_base_url: str | None = Field(
        None,
        pattern=_BASE,
        description="Reader service with the API of r.jina.ai, for results that cannot be read "
        "otherwise; unset: none.",
    )
    reader_api_key: SecretStr | None = Field(None, description="Key for the reader service.")
    fetcher_reader_user_urls: bool = Field(
        default=False, description="The reader service may be used for addresses that a user named."
    )
    archive_base_url: str = Field(
        "https://archive.org",
        pattern=f"{_BASE}|^{OFF}$",
        description="Web archive with the API of archive.org, for search results that no longer "
        "exist; off: none.",
    )
    fetcher_site_readers: str = Field(
        USUAL,
        description="Comma list of sites whose pages are read through their APIs; off: none.",
    )
    fetcher_replicas: int = Field(
        1, ge=1, le=1000, description="Replicas; without Redis each takes its share of the rates."
    )
    fetcher_user_agent: str = Field(
        "Mozilla/5.0 (compatible; Pellucid/0.2; +https://pellucid.example/fetcher)",
        min_length=1,
        max_length=300,
        description="User agent.",
    )
    fetcher_robots_agent: str = Field(
        "Pellucid", min_length=1, max_length=60, description="Name that robots.txt may address."
    )
    fetcher_browser_agent: str = Field(
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
        "Chrome/140.0.0.0 Safari/537.36",
        max_length=300,
        description="User agent for one more try after a 403 on a page that a user named; off: no "
        "such try.",
    )
    fetcher_robots: bool = Field(default=True, description="Respect robots.txt for search results.")
    fetcher_max_redirects: int = Field(5, ge=0, le=20, description="Redirects that are followed.")
    fetcher_connect_timeout_s: float = Field(
        3.0, gt=0, le=30, description="Seconds to connect, and as long again for the TLS handshake."
    )
    fetcher_silence_timeout_s: float = Field(
        10.0, gt=0, le=60, description="Seconds before the first byte, and between two reads."
    )
    fetcher_total_timeout_s: float = Field(
        10.0,
        gt=0,
        le=60,
        description="Seconds for plain HTTP; then the text received so far is used.",
    )
    fetcher_whole_timeout_s: float = Field(
        15.0, gt=0, le=120, description="Seconds for a page that needs the browser."
    )
    fetcher_extract_workers: int = Field(
        default_factory=lambda: min(4, os.cpu_count() or 1),
        ge=1,
        le=64,
        description="Extraction processes; unset: one for each core, at most 4.",
    )
    fetcher_html_max_bytes: int = Field(
        8 * 1024 * 1024,
        ge=1024,
        le=32 * 1024 * 1024,
        description="Largest page in bytes after decompression; the rest is cut off.",
    )
    fetcher_pdf_max_bytes: int = Field(
        10 * 1024 * 1024, ge=1024, le=100 * 1024 * 1024, description="Larger PDFs are refused."
    )
    fetcher_browser: bool = Field(
        default=True,
        description="Use Chromium, if it is installed, for JavaScript-rendered pages.",
    )
    fetcher_chromium: str = Field(
        "", description="Path of Chromium; empty: the first of chromium and google-chrome found."
    )
    fetcher_browser_pages: int = Field(
        2, ge=1, le=32, description="Pages that the browser opens concurrently."
    )
    fetcher_browser_memory_mib: int = Field(
        1024,
        ge=128,
        le=65536,
        description="Memory limit of each page's browser; beyond it the browser is killed.",
    )
    fetcher_cache_ttl_s: int = Field(
        3600, ge=0, le=3600, description="Lifetime of cached search results in seconds; 0: none."
    )
    fetcher_requests_per_second: float = Field(
        1.0, ge=0, le=100, description="Search results read from one host a second; 0: no limit."
    )
    fetcher_host_rates: str = Field(
        "", description="Comma list of host=requests per second, in place of the general rate."
    )

    @field_validator("fetcher_allow_private_hosts")
    @classmethod
    def _hosts_are_readable(cls, value: str) -> str:
        read_exemptions(items(value), ())
        return value

    @field_validator("fetcher_static_hosts")
    @classmethod
    def _static_hosts_are_readable(cls, value: str) -> str:
        read_exemptions((), items(value))
        return value

    @field_validator("fetcher_blocked_domains", "fetcher_insecure_hosts")
    @classmethod
    def _names_are_readable(cls, value: str) -> str:
        for name in items(value):
            read_host(name)
        return value

    @field_validator("fetcher_denied_ranges")
    @classmethod
    def _ranges_are_readable(cls, value: str) -> str:
        load_rule(items(value))
        return value

    @field_validator("fetcher_ports")
    @classmethod
    def _ports_are_readable(cls, value: str) -> str:
        if not all(port.isdigit() and 0 < int(port) <= 0xFFFF for port in items(value)):  # noqa: PLR2004 - 16 bit
            raise ValueError("a port is not a number from 1 to 65535")
        return value

    @field_validator("fetcher_site_readers")
    @classmethod
    def _sites_are_known(cls, value: str) -> str:
        unknown = [name for name in items(value) if name != OFF and name not in REGISTRY]
        if unknown:
            raise ValueError(f"unknown site: {', '.join(unknown)}")
        return value

    @field_validator("egress_proxy_url")
    @classmethod
    def _proxy_is_readable(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            read_proxy(value.get_secret_value())
        return value

    @field_validator("fetcher_host_rates")
    @classmethod
    def _rates_are_readable(cls, value: str) -> str:
        rates(value)
        return value


def items(value: str) -> tuple[str, ...]:
    """Split a comma list.

    >>> items("a, b,")
    ('a', 'b')
    """
    return tuple(part.strip() for part in value.split(",") if part.strip())


def rates(value: str) -> dict[str, float]:
    """Read host=number pairs.

    Raises:
        ValueError: A pair is malformed.
    """
    pairs = (item.partition("=") for item in items(value))
    return {read_host(host.strip()): float(number) for host, _, number in pairs}
