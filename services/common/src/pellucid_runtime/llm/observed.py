"""What is told of each call of a language model: its span, and the counts beside it.

Names of models that a caller chose are no labels: anybody could make as many as they like. They
stand in the span; the counts go by the model that the settings name.
"""

from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Protocol

from opentelemetry.trace import SpanKind, Status, StatusCode

from pellucid_runtime.llm.model import Usage
from pellucid_runtime.telemetry.metrics import (
    LLM_CALLS,
    LLM_COST_USD,
    LLM_FIRST_TOKEN_SECONDS,
    LLM_TOKENS,
)
from pellucid_runtime.telemetry.tracing import TRACER

CHAT = "chat"
OK = "ok"
CANCELLED = "cancelled"
_MILLION = 1_000_000

# Source: OpenTelemetry semantic conventions for generative AI, well-known `gen_ai.provider.name`.
_PROVIDERS: Mapping[str, str] = {
    "api.openai.com": "openai",
    ".openai.azure.com": "azure.ai.openai",
    "api.anthropic.com": "anthropic",
    "generativelanguage.googleapis.com": "gcp.gemini",
    "api.mistral.ai": "mistral_ai",
    "api.deepseek.com": "deepseek",
    "api.groq.com": "groq",
    "api.perplexity.ai": "perplexity",
    "api.x.ai": "x_ai",
}


class Served(Protocol):
    """Where a model is served.

    Attributes:
        model: Model of the settings; the label of what is counted.
        host: Host of the address.
        prices: USD per million prompt and completion tokens, by model.
    """

    @property
    def model(self) -> str:
        """See `Served`."""
        ...

    @property
    def host(self) -> str:
        """See `Served`."""
        ...

    @property
    def prices(self) -> Mapping[str, tuple[float, float]]:
        """See `Served`."""
        ...


class ModelCall:
    """One call, from the request to its end; `end` must be called, and counts once.

    Args:
        served: Where.
        model: Model that is asked for.
        operation: What it does, by the conventions' names.
    """

    def __init__(self, served: Served, model: str, operation: str = CHAT) -> None:
        self._served = served
        self._model = model
        self._begun = perf_counter()
        self._has_begun_to_answer = self._is_over = False
        self._span = TRACER.start_span(
            f"{operation} {model}",
            kind=SpanKind.CLIENT,
            attributes={
                "gen_ai.operation.name": operation,
                "gen_ai.provider.name": provider_of(served.host),
                "gen_ai.request.model": model,
                "server.address": served.host,
            },
        )

    @property
    def has_answered(self) -> bool:
        """The first text was there."""
        return self._has_begun_to_answer

    def answers(self) -> None:
        """The first text of a stream is there."""
        if not self._has_begun_to_answer:
            self._has_begun_to_answer = True
            seconds = perf_counter() - self._begun
            LLM_FIRST_TOKEN_SECONDS.labels(self._served.model).observe(seconds)

    def answered_by(self, model: str) -> None:
        """The endpoint says which model it is; empty: it does not."""
        if model:
            self._span.set_attribute("gen_ai.response.model", model)

    def used(self, usage: Usage) -> Usage:
        """Count what the endpoint says was used.

        Returns:
            The same with what it cost by the prices of the settings.
        """
        prices, label = self._served.prices, self._served.model
        prompt_usd, completion_usd = prices.get(self._model) or prices.get(label) or (0, 0)
        micro_usd = usage.prompt_tokens * prompt_usd + usage.completion_tokens * completion_usd
        usage = replace(usage, cost_usd=micro_usd / _MILLION)
        LLM_TOKENS.labels(label, "prompt").inc(usage.prompt_tokens)
        LLM_TOKENS.labels(label, "completion").inc(usage.completion_tokens)
        LLM_COST_USD.labels(label).inc(usage.cost_usd)
        self._span.set_attribute("gen_ai.usage.input_tokens", usage.prompt_tokens)
        self._span.set_attribute("gen_ai.usage.output_tokens", usage.completion_tokens)
        return usage

    def end(self, outcome: str) -> None:
        """It is over: `ok`, `cancelled`, or the cause of the error that it ended in."""
        if self._is_over:
            return
        self._is_over = True
        LLM_CALLS.labels(self._served.model, outcome).inc()
        self._span.set_attribute("pellucid.outcome", outcome)
        if outcome not in {OK, CANCELLED}:
            self._span.set_attribute("error.type", outcome)
            self._span.set_status(Status(StatusCode.ERROR))
        self._span.end()


def provider_of(host: str) -> str:
    """Who serves the model, by the conventions' names; one's own server is known by its form.

    >>> provider_of("eu.openai.azure.com"), provider_of("models.example")
    ('azure.ai.openai', 'openai_compatible')
    """
    return next(
        (name for end, name in _PROVIDERS.items() if host.endswith(end)), "openai_compatible"
    )
