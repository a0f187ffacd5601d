"""Settings of services that may ask a language model."""

from typing import Annotated

from pydantic import BeforeValidator, Field, SecretStr
from pydantic_settings import NoDecode

from pellucid_runtime.settings import ServiceSettings


def _read_prices(value: object) -> object:
    """Take `model=prompt/completion,…` apart."""
    if not isinstance(value, str):
        return value
    parts = [part.strip().rpartition("=") for part in value.split(",") if part.strip()]
    return {model.strip(): tuple(price.split("/")) for model, _, price in parts}


# A server that loads its model takes up to a minute; with another one waiting that is too long.
_FIRST_TOKEN_S = 60.0
_BEFORE_FALLBACK_S = 10.0

_Usd = Annotated[float, Field(ge=0, le=10_000)]
Prices = Annotated[dict[str, tuple[_Usd, _Usd]], NoDecode, BeforeValidator(_read_prices)]


class LlmSettings(ServiceSettings):
    """Where the models are. Without address and key there is no model, and nothing is sent."""

    openai_base_url: str = Field(
        default="https://api.openai.com/v1",
        pattern=r"^https?://",
        description="OpenAI-compatible endpoint, up to and including the version.",
    )
    openai_api_key: SecretStr | None = Field(
        default=None, description="Its key; may stay unset for endpoints that need none."
    )
    llm_model: str = Field(default="gpt-4o-mini", description="Model that answers.")
    llm_fast_model: str | None = Field(
        default=None, description="Model for short tasks such as decisions; unset: LLM_MODEL."
    )
    llm_reasoning_model: str | None = Field(
        default=None, description="Model for reflection in deep turns; unset: LLM_MODEL."
    )
    llm_fallback_base_url: str | None = Field(
        default=None,
        pattern=r"^https?://",
        description="Endpoint used when the first fails before any text; unset: none.",
    )
    llm_fallback_api_key: SecretStr | None = Field(
        default=None, description="Its key; unset: OPENAI_API_KEY."
    )
    llm_fallback_model: str | None = Field(default=None, description="Its model; unset: LLM_MODEL.")
    llm_internal: bool = Field(
        default=False,
        description="The endpoint is internal: prompts to it do not leave the installation.",
    )
    llm_first_token_timeout_s: float | None = Field(
        default=None,
        gt=0,
        le=600,
        description="Seconds without a sign of life before the first token; then the fallback. "
        "Unset: 60, or 10 with LLM_FALLBACK_BASE_URL.",
    )
    llm_idle_timeout_s: float = Field(
        default=20.0, gt=0, le=300, description="Seconds between tokens; then the answer ends."
    )
    llm_probe: bool = Field(
        default=True,
        description="Try each configured model with one short call at the start, and log what it "
        "can do.",
    )
    llm_prices: Prices = Field(
        default_factory=dict,
        description="model=prompt/completion,… in USD per million tokens; others count as free.",
    )
    llm_timeout_s: float = Field(
        default=30.0, gt=0, le=600, description="Seconds for an answer that is not streamed."
    )

    @property
    def first_token_s(self) -> float:
        """Seconds without a sign of life before the first token."""
        if self.llm_first_token_timeout_s is not None:
            return self.llm_first_token_timeout_s
        return _FIRST_TOKEN_S if self.llm_fallback_base_url is None else _BEFORE_FALLBACK_S

    @property
    def has_llm(self) -> bool:
        """An endpoint was named, by its address or by a key for the default one."""
        return self.openai_api_key is not None or "openai_base_url" in self.model_fields_set
