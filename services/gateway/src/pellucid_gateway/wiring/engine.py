"""Puts the engine together from settings: services, model, store."""

import secrets
from contextlib import AsyncExitStack
from dataclasses import replace
from urllib.parse import urlsplit

from pellucid_gateway.adapters.model import LlmAnswerModel
from pellucid_gateway.adapters.services import open_services
from pellucid_gateway.domain.notices import wording_for
from pellucid_gateway.domain.ports import EvidenceStore, Services
from pellucid_gateway.domain.standing import Standings
from pellucid_gateway.domain.state_ports import SearchQuota
from pellucid_gateway.load_shedding.latency_signal import LatencySignal, WatchedScorer
from pellucid_gateway.question.fallback_decision import load_phrases
from pellucid_gateway.settings import GatewaySettings
from pellucid_gateway.turn.dependencies import Dependencies
from pellucid_gateway.turn.orchestrator import Engine
from pellucid_gateway.turn_context.budgets import budgets_with
from pellucid_gateway.turn_context.plans import plans_with
from pellucid_gateway.verification.judge import load_claim_tables
from pellucid_language.terms import function_terms
from pellucid_runtime.clock import Clock
from pellucid_runtime.llm.openai import open_llm
from pellucid_runtime.llm.probe import log_findings
from pellucid_runtime.supervision import supervise

_ID_BYTES = 16


async def open_engine(
    settings: GatewaySettings,
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
        settings: Where services and models are, and what the model does not know.
        stack: Closes everything.
        clock: Present instant and stopwatch.
        evidence: Keeps what stands behind answers.
        quota: Searching turns of a person.
        standings: How sources stand with a person.
        latency_signal: Told how slow the scorer's answers to turns are.
    """
    services = await open_services(
        stack,
        decision=settings.decision_target,
        search=settings.search_target,
        scorer=settings.scorer_target,
        fetcher=settings.fetcher_target,
        tls=settings.tls_files,
    )
    # Read now, so that the first turn does not wait for files.
    wording_for("en")
    load_phrases()
    load_claim_tables()
    function_terms()
    budgets = budgets_with(settings.gateway_budgets)
    watched = WatchedScorer(
        services.scorer, latency_signal=latency_signal, budgets=budgets, clock=clock
    )
    dependencies = Dependencies(
        services=replace(services, scorer=watched),
        model=await _open_model(settings, stack, settings.llm_window_tokens),
        evidence=evidence,
        clock=clock,
        budgets=budgets,
        plans=plans_with(settings.gateway_depths, lean=settings.gateway_plan == "lean"),
        knowledge_cutoff=settings.llm_knowledge_cutoff,
        new_id=lambda: secrets.token_hex(_ID_BYTES),
        quota=quota,
        standings=standings,
        fast_model=settings.llm_fast_model or "",
        redacts_secrets=settings.llm_redact_secrets,
        judges_citations=settings.citations_llm == "open",
    )
    return Engine(dependencies), services


async def _open_model(
    settings: GatewaySettings, stack: AsyncExitStack, window_tokens: int
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
