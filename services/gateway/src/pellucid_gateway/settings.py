"""Settings of the gateway; environment names are the field names in upper case."""

from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, SecretStr, field_validator, model_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import NoDecode

from pellucid_gateway.access.hosts import is_loopback
from pellucid_gateway.http_settings import HttpSettings, split
from pellucid_gateway.turn_context.budgets import budgets_with
from pellucid_gateway.turn_context.plans import plans_with

# Hexadecimal or base64 text of 128 bits and more.
_SHORTEST_KEY = 32


# Sentences have commas.
BarList = Annotated[
    tuple[str, ...], NoDecode, BeforeValidator(lambda value: split(value, mark="|"))
]


class GatewaySettings(HttpSettings):
    """What the gateway reads from the environment."""

    gateway_auth: Literal["off", "keys"] = Field(
        "off", description="keys: every request needs an API key; off: this machine only."
    )
    gateway_keys_file: Path | None = Field(
        None, description="Keys of GATEWAY_AUTH=keys, one per line; reloaded on change."
    )
    gateway_allow_unauthenticated: bool = Field(
        default=False,
        description="Allow GATEWAY_AUTH=off on a non-loopback address: anyone who reaches it may "
        "search at your cost.",
    )
    gateway_examples: BarList = Field(
        (),
        description="Example questions of the chat page, divided by |; empty: four for the web.",
    )
    gateway_replicas: int = Field(
        1,
        ge=1,
        le=1000,
        description="Gateways that share the limits; while Redis is down each allows its share.",
    )
    gateway_searches_per_day: int = Field(
        100,
        ge=0,
        description="Searching turns per user within 24 hours; 0: no limit.",
    )
    gateway_key_requests_per_minute: int = Field(
        600, ge=0, description="Requests per minute of a key; beyond it 429. 0: no limit."
    )
    gateway_address_requests_per_minute: int = Field(
        300,
        ge=0,
        description="Requests per minute of an address without a valid key; beyond it 429. 0: no "
        "limit. Requests from this machine are not limited.",
    )
    gateway_concurrent_requests: int = Field(
        128, ge=0, description="Concurrent requests of a key or address; 0: no limit."
    )
    gateway_max_turns: int = Field(
        512,
        ge=1,
        le=100_000,
        description="Turns in progress, streams included; one more is refused at once with 503.",
    )
    gateway_max_searches: int = Field(
        64,
        ge=1,
        le=10_000,
        description="Upper limit of turns that search or read and have no sources yet; further "
        "turns are refused at once with 503. The limit falls while the event loop is late or the "
        "scorer slow; once it has fallen, three answers with sources count as one search.",
    )
    gateway_min_searches: int = Field(
        6,
        ge=1,
        le=10_000,
        description="The limit of searches never falls below this value.",
    )
    gateway_max_waiting: int = Field(
        8,
        ge=0,
        le=10_000,
        description="Turns that wait for a place to search, 5 seconds and a third of their "
        "deadline at most; one more is refused at once with 503.",
    )
    gateway_late_ms: int = Field(
        15,
        ge=1,
        le=60_000,
        description="Event-loop lag in milliseconds (median of a quarter of a second) above which "
        "the limit of searches falls.",
    )
    gateway_max_lag_ms: int = Field(
        2_000,
        ge=50,
        le=60_000,
        description="Milliseconds that the event loop may be late before turns are refused.",
    )
    gateway_head_starts: Literal["plain", "all"] = Field(
        "plain",
        description="Messages of the OpenAI API that are sent to the model server before the "
        "decision: those that plainly need no search, or all that do not plainly ask for one.",
    )
    gateway_user_header: str = Field(
        "",
        pattern=r"^[A-Za-z0-9-]*$",
        description="Header in which a trusted proxy or key holder names the user.",
    )
    gateway_identity_key: SecretStr = Field(
        SecretStr(""),
        description="Secret for callers' pseudonyms, at least 32 characters, the same for all "
        "gateways; a new one makes stored user data unreachable. Unset: generated and stored.",
    )
    gateway_conversation_ttl_days: int = Field(
        30, ge=0, le=30, description="Days for which conversations are stored; 0: not at all."
    )
    gateway_evidence_ttl_days: int = Field(
        30, ge=0, le=30, description="Days for which evidence is stored; 0: not at all."
    )
    gateway_evidence_max_mib: int = Field(
        384,
        ge=0,
        le=1_048_576,
        description="Memory that evidence may take in MiB; beyond it the oldest is deleted "
        "early. 0: no limit.",
    )
    gateway_evidence_redis_url: str | None = Field(
        None,
        pattern=r"^(rediss?|unix)://",
        description="Redis for evidence alone; unset: REDIS_URL.",
    )
    gateway_query_log_ttl_days: int = Field(
        30,
        ge=0,
        le=30,
        description="Days that redacted queries are counted for the report; 0: not at all.",
    )
    gateway_learned_trust: float = Field(
        0.1,
        ge=0,
        le=0.1,
        description="Largest change of a domain's trust, up or down, by thumbs, citations and "
        "readable pages of the last weeks; 0: off.",
    )
    gateway_suspicion_threshold: float = Field(
        0.8,
        gt=0,
        le=1.01,
        description="Suspicion, 0 to 1, from which a caller must solve a challenge, or is blocked "
        "for a minute where none is configured; above 1: never.",
    )
    gateway_challenge_url: str | None = Field(
        None,
        pattern=r"^https?://",
        description="Where answers to challenges are verified (hCaptcha, Turnstile and alike).",
    )
    gateway_challenge_secret: SecretStr = Field(
        SecretStr(""), description="Secret shared with the verifier."
    )
    gateway_challenge_site_key: str = Field(
        "", description="Public key with which the page shows the challenge."
    )
    gateway_challenge_script: str = Field(
        "",
        pattern=r"^$|^(https://[\w.-]+(:\d+)?|http://127\.0\.0\.1:\d+)/\S*$",
        description="Script with which the chat page shows the challenge; its host may then be "
        "loaded from. hCaptcha: https://js.hcaptcha.com/1/api.js, Turnstile: "
        "https://challenges.cloudflare.com/turnstile/v0/api.js.",
    )
    grpc_port: int = Field(50050, ge=0, le=65535, description="gRPC port; 0 picks a free one.")
    metrics_port: int = Field(9100, ge=0, le=65535, description="Prometheus port.")
    decision_target: str = Field("127.0.0.1:50051", description="Decision service.")
    search_target: str = Field("127.0.0.1:50052", description="Search service.")
    scorer_target: str = Field("127.0.0.1:50053", description="Scorer service.")
    fetcher_target: str = Field("127.0.0.1:50054", description="Fetcher service.")
    gateway_scoring_profiles: str = Field(
        "default,authority,news",
        description="Allowed values of scoring.profile, those of SCORER_PROFILES_FILE included; "
        "any other value is a 400. any: only the scorer checks, when it is called.",
    )
    gateway_scoring_split: str = Field(
        "",
        pattern=r"^$|^[\w-]+=(0(\.\d+)?|1(\.0+)?)(,[\w-]+=(0(\.\d+)?|1(\.0+)?))*$",
        description="Shares of callers whose turns are scored by a profile on trial: "
        "authority=0.2,news=0.05; always the same callers. Empty: all by the default profile.",
    )
    llm_window_tokens: int = Field(
        32_768,
        ge=2_048,
        le=2_000_000,
        description="Prompt and answer of the answer model together; sources are sized to it.",
    )
    citations_llm: Literal["open", "never"] = Field(
        "open",
        description=(
            "open: LLM_FAST_MODEL, else LLM_MODEL, judges whether passages support citations; "
            "never: form and similarity decide."
        ),
    )
    gateway_plan: Literal["standard", "lean"] = Field(
        "standard",
        description="lean: turns of standard depth use few and short sources, for small models.",
    )
    gateway_depths: dict[str, dict[str, float]] = Field(
        default_factory=dict,
        description='Overrides of the table of depths, as JSON: {"deep": {"rounds": 2}}.',
    )
    gateway_budgets: dict[str, float] = Field(
        default_factory=dict,
        description='Overrides of time limits of stages in seconds, as JSON: {"search_s": 2.5}.',
    )
    llm_redact_secrets: bool = Field(
        default=False,
        description="Native API: secrets in messages are masked in prompts to an external model.",
    )
    llm_knowledge_cutoff: date = Field(
        date(2025, 1, 1), description="First day after the end of the answer model's knowledge."
    )

    @field_validator("gateway_identity_key")
    @classmethod
    def _hard_to_guess(cls, value: SecretStr) -> SecretStr:
        if 0 < len(value.get_secret_value()) < _SHORTEST_KEY:
            raise ValueError(f"is shorter than {_SHORTEST_KEY} characters")
        return value

    @field_validator("gateway_depths")
    @classmethod
    def _known_depths(cls, value: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        plans_with(value)
        return value

    @field_validator("gateway_budgets")
    @classmethod
    def _known_budgets(cls, value: dict[str, float]) -> dict[str, float]:
        budgets_with(value)
        return value

    @property
    def scoring_profiles(self) -> tuple[str, ...]:
        """Known profiles; empty: any name may be one."""
        names = tuple(filter(None, map(str.strip, self.gateway_scoring_profiles.split(","))))
        return () if names == ("any",) else names

    @property
    def scoring_split(self) -> dict[str, float]:
        """Shares of callers by profile."""
        parts = (part.partition("=") for part in self.gateway_scoring_split.split(",") if part)
        return {name: float(share) for name, _, share in parts}

    @model_validator(mode="after")
    def _shares_of_known_profiles(self) -> "GatewaySettings":
        split, known = self.scoring_split, self.scoring_profiles
        unknown = [name for name in split if known and name not in known]
        if unknown or sum(split.values()) > 1 + 1e-9:
            text = "GATEWAY_SCORING_SPLIT must name known profiles, with 1 at most together"
            raise PydanticCustomError("split", text)
        return self

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
    def _shown_challenges_are_verified(self) -> "GatewaySettings":
        verified = self.gateway_challenge_url and self.gateway_challenge_site_key
        if self.gateway_challenge_script and not verified:
            text = "GATEWAY_CHALLENGE_SCRIPT needs GATEWAY_CHALLENGE_URL and _SITE_KEY"
            raise PydanticCustomError("challenge", text)
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
