"""Tries each configured model with one short call and says what was found."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import structlog

from pellucid_runtime.errors import ServiceError
from pellucid_runtime.llm.calls import BREAKS, within
from pellucid_runtime.llm.endpoint import Endpoint
from pellucid_runtime.llm.lessons import JsonForm
from pellucid_runtime.llm.model import ChatMessage, ChatRequest, LlmError
from pellucid_runtime.llm.openai import OpenAiClient, open_llm
from pellucid_runtime.llm.settings import LlmSettings
from pellucid_runtime.llm.wire import object_of

_LIST_S = 3.0
_ASKED = ChatRequest(
    (
        ChatMessage("system", "You reply with JSON."),
        ChatMessage("user", 'Reply with this JSON object and nothing else: {"ready": true}'),
    ),
    max_tokens=64,
    json_schema={
        "type": "object",
        "properties": {"ready": {"type": "boolean"}},
        "required": ["ready"],
        "additionalProperties": False,
    },
)
# What servers call the window of a model in their lists. Source: vLLM, OpenRouter and Together,
# LM Studio and Mistral, Groq, llama.cpp.
_WINDOWS = (
    "max_model_len",
    "context_length",
    "max_context_length",
    "context_window",
    "n_ctx_train",
)
_FORMS = {
    JsonForm.SCHEMA: "JSON by schema",
    JsonForm.OBJECT: "JSON without a schema",
    JsonForm.PROMPT: "JSON by request only",
}

_log = structlog.get_logger("pellucid_runtime.llm")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one model can do.

    Attributes:
        host: Where it is served.
        cause: Why it does not answer; empty when it does.
        status: HTTP status of a refusal; 0 where there is none.
        json: How it writes JSON; empty when it wrote none.
        reports_usage: Streams report the tokens that were used.
        thinks: It thinks before it answers.
        window: Tokens of its window; 0 where the server does not tell.
    """

    host: str
    model: str
    seconds: float = 0.0
    cause: str = ""
    status: int = 0
    json: str = ""
    reports_usage: bool = False
    thinks: bool = False
    window: int = 0

    def __str__(self) -> str:
        """One line for people.

        >>> str(Finding(host="llm.example", model="m", cause="wrong_key", status=401))
        'model m at llm.example does not answer: wrong_key (status 401)'
        """
        place = f"model {self.model} at {self.host}"
        if self.cause:
            status = f" (status {self.status})" if self.status else ""
            return f"{place} does not answer: {self.cause}{status}"
        told = (
            self.json or "writes no JSON",
            "reports usage" if self.reports_usage else "does not report usage",
            "thinks" if self.thinks else "",
            f"window of {self.window} tokens" if self.window else "",
        )
        return f"{place} answers in {self.seconds:.1f} s: {', '.join(filter(None, told))}"


async def probe(client: OpenAiClient, settings: LlmSettings) -> AsyncIterator[Finding]:
    """Try each configured model, one after the other."""
    first, *others = client.endpoints
    small = (settings.llm_fast_model, settings.llm_reasoning_model)
    for model in dict.fromkeys(filter(None, (settings.llm_model, *small))):
        yield await _tried(client, first, model)
    for endpoint in others:
        yield await _tried(client, endpoint, endpoint.model)


async def tried_models(settings: LlmSettings) -> AsyncIterator[str]:
    """What the configured models can do, one line each; each is tried with one short call."""
    async with AsyncExitStack() as stack:
        client = await open_llm(settings, stack)
        if client is None:
            yield "no language model is configured: LLM_MODEL is not set"
            return
        async for finding in probe(client, settings):
            yield str(finding)


async def log_findings(client: OpenAiClient, settings: LlmSettings) -> None:
    """Try each configured model and log what was found."""
    async for finding in probe(client, settings):
        told = _log.warning if finding.cause else _log.info
        told("model_tried", finding=str(finding))


async def _tried(client: OpenAiClient, endpoint: Endpoint, model: str) -> Finding:
    begun = perf_counter()
    text, reports_usage = "", False
    request = ChatRequest(
        _ASKED.messages, model=model, max_tokens=_ASKED.max_tokens, json_schema=_ASKED.json_schema
    )
    try:
        async with aclosing(client.stream_at(endpoint, request)) as chunks:  # type: ignore[type-var]
            async for chunk in chunks:
                text += chunk.text
                reports_usage = reports_usage or chunk.usage is not None
    except ServiceError as error:
        said = error.said if isinstance(error, LlmError) else None
        cause = error.cause.value if isinstance(error, LlmError) else error.reason.lower()
        status = said.status if said else 0
        return Finding(host=endpoint.host, model=model, cause=cause, status=status)
    known = client.known_of(endpoint, model)
    return Finding(
        host=endpoint.host,
        model=model,
        seconds=perf_counter() - begun,
        json=_FORMS[known.json_form] if _is_ready(text) else "",
        reports_usage=reports_usage,
        thinks=known.thinks,
        window=await _window(endpoint, model),
    )


def _is_ready(text: str) -> bool:
    try:
        return "ready" in json.loads(text[text.find("{") : text.rfind("}") + 1])
    except (ValueError, TypeError):
        return False


async def _window(endpoint: Endpoint, model: str) -> int:
    """Tokens of the model's window by the server's list; 0 where it does not tell."""
    try:
        listed = object_of(await within(_LIST_S, endpoint.read("/models"))).get("data") or ()
        return _window_in([one for one in listed if one.get("id") == model] or listed[:1])
    except (ServiceError, *BREAKS):
        return 0


def _window_in(listed: Sequence[Mapping[str, Any]]) -> int:
    for entry in listed:
        told = {**(entry.get("meta") or {}), **entry}
        for name in _WINDOWS:
            if isinstance(told.get(name), int):
                return int(told[name])
    return 0
