"""Puts the engine together from settings: services, model, store."""

import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import date
from typing import Protocol
from urllib.parse import urlsplit

from pellucid_gateway.adapters.model import LlmAnswerModel
from pellucid_gateway.adapters.services import open_services
from pellucid_gateway.domain.notices import wording_for
from pellucid_gateway.domain.ports import EvidenceStore
from pellucid_gateway.domain.services import Services
from pellucid_gateway.domain.standing import Standings
from pellucid_gateway.domain.state_ports import SearchQuota
from pellucid_gateway.load_shedding.latency_signal import LatencySignal, WatchedScorer
from pellucid_gateway.question.fallback_decision import load_phrases
from pellucid_gateway.turn.dependencies import Dependencies
from pellucid_gateway.turn.orchestrator import Engine
from pellucid_gateway.turn_context.budgets import budgets_with
from pellucid_gateway.turn_context.plans import plans_with
from pellucid_gateway.verification.judge import load_claim_tables
from pellucid_language.terms import function_terms
from pellucid_runtime.clock import Clock
from pellucid_runtime.llm.openai import open_llm
from pellucid_runtime.llm.probe import log_findings, probe
from pellucid_runtime.llm.settings import LlmSettings
from pellucid_runtime.supervision import supervise

_ID_BYTES = 16


class EngineSettings(Protocol):
    """Settings of the gateway that the engine depends on, besides those of models and store."""

    @property
    def decision_target(self) -> str:
        """Target of the decision service."""
        ...

    @property
    def search_target(self) -> str:
        """Target of the search service."""
        ...

    @property
    def scorer_target(self) -> str:
        """Target of the scorer."""
        ...

    @property
    def fetcher_target(self) -> str:
        """Target of the fetcher."""
        ...

    @property
    def llm_window_tokens(self) -> int:
        """Prompt and answer of the answer model together."""
        ...

    @property
    def citations_llm(self) -> str:
        """`open` lets the fast model be asked about claims that words leave open."""
        ...

    @property
    def gateway_plan(self) -> str:
        """`lean` lets turns of standard depth use that row."""
        ...

    @property
    def gateway_depths(self) -> Mapping[str, Mapping[str, float]]:
        """Changed cells of the table of depths."""
        ...

    @property
    def gateway_budgets(self) -> Mapping[str, float]:
        """Changed longest times of stages."""
        ...

    @property
    def llm_knowledge_cutoff(self) -> date:
        """First day that the answer model knows nothing of."""
        ...

    @property
    def llm_redact_secrets(self) -> bool:
        """Prompts of the native face to an external model show no secrets."""
        ...


async def open_engine(
    wiring: EngineSettings,
    runtime: LlmSettings,
    stack: AsyncExitStack,
    clock: Clock,
    *,
    evidence: EvidenceStore,
    quota: SearchQuota,
    standings: Standings,
    latency_signal: LatencySignal,
) -> tuple[Engine, Services]:
    """The engine and the services that it stands on, closed with the stack.

    Args:
        wiring: Where the services are, and what the model does not know.
        runtime: Model endpoints; the same object in practice.
        stack: Closes everything.
        clock: Present instant and stopwatch.
        evidence: Keeps what stands behind answers.
        quota: Searching turns of a person.
        standings: How sources stand with a person.
        latency_signal: Told how slow the scorer's answers to turns are.
    """
    services = await open_services(
        stack,
        decision=wiring.decision_target,
        search=wiring.search_target,
        scorer=wiring.scorer_target,
        fetcher=wiring.fetcher_target,
        tls=runtime.tls_files,
    )
    # Read now, so that the first turn does not wait for files.
    wording_for("en")
    load_phrases()
    load_claim_tables()
    function_terms()
    budgets = budgets_with(wiring.gateway_budgets)
    watched = WatchedScorer(
        services.scorer, latency_signal=latency_signal, budgets=budgets, clock=clock
    )
    dependencies = Dependencies(
        services=replace(services, scorer=watched),
        model=await _open_model(runtime, stack, wiring.llm_window_tokens),
        evidence=evidence,
        clock=clock,
        budgets=budgets,
        plans=plans_with(wiring.gateway_depths, lean=wiring.gateway_plan == "lean"),
        knowledge_cutoff=wiring.llm_knowledge_cutoff,
        new_id=lambda: secrets.token_hex(_ID_BYTES),
        quota=quota,
        standings=standings,
        fast_model=runtime.llm_fast_model or "",
        redacts_secrets=wiring.llm_redact_secrets,
        asks_on_claims=wiring.citations_llm == "open",
    )
    return Engine(dependencies), services


async def tried_models(settings: LlmSettings) -> AsyncIterator[str]:
    """What the configured models can do, one line each; each is tried with one short call."""
    async with AsyncExitStack() as stack:
        client = await open_llm(settings, stack)
        if client is not None:
            async for finding in probe(client, settings):
                yield str(finding)


async def _open_model(
    settings: LlmSettings, stack: AsyncExitStack, window_tokens: int
) -> LlmAnswerModel | None:
    client = await open_llm(settings, stack)
    if client is None:
        return None
    if settings.llm_probe:
        supervise(stack, "model-probe", lambda: log_findings(client, settings))
    host = urlsplit(settings.openai_base_url).hostname or ""
    return LlmAnswerModel(
        client,
        name=settings.llm_model,
        receiver="" if settings.llm_internal else host,
        window_tokens=window_tokens,
    )
