"""Composition root of the decision service: the only reader of its settings."""

from contextlib import AsyncExitStack
from datetime import datetime
from urllib.parse import urlsplit

from pellucid.decision.v1.decision_pb2_grpc import add_DecisionServiceServicer_to_server

from pellucid_decision import metrics
from pellucid_decision.adapters.chat_model import ChatModel
from pellucid_decision.adapters.rules_folder import PACKAGED_RULES, RulesFolder
from pellucid_decision.adapters.scorer_understanding import SERVICE_NAME as SCORER
from pellucid_decision.adapters.scorer_understanding import ScorerUnderstanding
from pellucid_decision.decision_service import DecisionService
from pellucid_decision.errors import RulesError
from pellucid_decision.intent.cascade import Cascade
from pellucid_decision.llm.decision_stage import DecisionStage
from pellucid_decision.llm.leading import QueryLead
from pellucid_decision.llm.query_writer import QueryWriter, QueryWriting
from pellucid_decision.queries.model_reflection import ModelReflector
from pellucid_decision.reuse import DecisionCache
from pellucid_decision.server import SERVICE_NAME, DecisionServicer
from pellucid_decision.settings import DecisionSettings
from pellucid_decision.text.conversation import Ask, WebMode
from pellucid_runtime.clock import clock_from
from pellucid_runtime.domains import registrable_domain
from pellucid_runtime.health import Health
from pellucid_runtime.listener import StartError
from pellucid_runtime.llm.openai import open_llm
from pellucid_runtime.rpc.channel import open_channel
from pellucid_runtime.rpc.server import GrpcServer
from pellucid_runtime.service import Service
from pellucid_runtime.supervision import supervise
from pellucid_runtime.telemetry.metrics import MetricsServer

RULES_RELOAD_S = 5.0
"""Between two looks at the rules files."""


async def build(settings: DecisionSettings, stack: AsyncExitStack) -> Service:
    """Open and wire everything.

    Raises:
        StartError: The rules files cannot be used.
    """
    rules = _rules(settings)
    supervise(stack, "rules-watch", lambda: rules.watch(RULES_RELOAD_S))
    clock = clock_from(settings)
    await _warm_up(rules, clock.now(), settings)
    cache = DecisionCache(clock)
    metrics.CACHED.set_function(lambda: len(cache))
    llm = await _model(settings, stack)
    service = DecisionService(
        cascade=_cascade(rules, llm, settings, stack),
        cache=cache,
        clock=clock,
        observe=metrics.observe,
        reused=metrics.REUSED.inc,
        reflected=metrics.observe_reflection,
        reflector=ModelReflector(llm, settings.decision_reflect_timeout_s) if llm else None,
    )
    return _service(settings, DecisionServicer(service, clock, settings.cutoff))


def _cascade(
    rules: RulesFolder, llm: ChatModel | None, settings: DecisionSettings, stack: AsyncExitStack
) -> Cascade:
    """Wire the stages; which of them write queries is the operator's choice."""
    writing = settings.decision_llm_queries
    return Cascade(
        rules,
        _understanding(settings, stack),
        adviser=DecisionStage(llm, settings.decision_llm_timeout_s) if llm else None,
        lead=QueryLead(llm, settings.decision_llm_lead_timeout_s)
        if llm and writing is not QueryWriting.NEVER
        else None,
        writer=QueryWriter(llm, settings.decision_llm_queries_timeout_s)
        if llm and writing is QueryWriting.ALWAYS
        else None,
    )


def _understanding(settings: DecisionSettings, stack: AsyncExitStack) -> ScorerUnderstanding:
    channel = open_channel(settings.scorer_target, service=SCORER, tls=settings.tls_files)
    stack.push_async_callback(channel.close)
    channel.get_state(try_to_connect=True)  # the first message must not wait for a handshake
    return ScorerUnderstanding(channel, settings.decision_understand_timeout_s)


async def _warm_up(rules: RulesFolder, now: datetime, settings: DecisionSettings) -> None:
    """Decide once: the first person must not wait for lists and patterns."""
    message = "see www.pellucid.example or call 555-0143: price and opening hours?"
    ask = Ask(message, now, settings.cutoff, web_mode=WebMode.ON)
    await Cascade(rules).decide(ask)
    registrable_domain("example.com")  # reads the public suffixes


async def _model(settings: DecisionSettings, stack: AsyncExitStack) -> ChatModel | None:
    client = await open_llm(settings, stack)
    if client is None:
        return None
    return ChatModel(
        client,
        receiver=urlsplit(settings.openai_base_url).hostname or "llm",
        internal=settings.llm_internal,
        fast_model=settings.llm_fast_model or settings.llm_model,
        reasoning_model=settings.llm_reasoning_model or settings.llm_model,
    )


def _rules(settings: DecisionSettings) -> RulesFolder:
    try:
        return RulesFolder(
            settings.decision_rules_dir or PACKAGED_RULES,
            settings.decision_matrix_file,
            lambda outcome: metrics.RELOADS.labels(outcome).inc(),
        )
    except RulesError as error:
        raise StartError(f"rules: {error}") from error


def _service(settings: DecisionSettings, servicer: DecisionServicer) -> Service:
    health = Health()
    health.component("rules", ready=True)
    grpc_server = GrpcServer(
        settings,
        register=[lambda server: add_DecisionServiceServicer_to_server(servicer, server)],
        services=[SERVICE_NAME],
        health=health,
    )
    return Service("decision", [grpc_server, MetricsServer(settings, health)], health)
