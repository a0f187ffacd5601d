"""Composition root of the decision service: the only reader of its settings."""

import asyncio
from contextlib import AsyncExitStack, suppress
from datetime import datetime
from urllib.parse import urlsplit

import grpc
from pellucid.decision.v1.decision_pb2_grpc import add_DecisionServiceServicer_to_server

from pellucid_decision import metrics
from pellucid_decision.adapters.chat_model import ChatModel
from pellucid_decision.adapters.rules_folder import PACKAGED_RULES, RulesFolder
from pellucid_decision.adapters.scorer_encoder import SERVICE_NAME as SCORER
from pellucid_decision.adapters.scorer_encoder import ScorerEncoder
from pellucid_decision.desk import Desk
from pellucid_decision.errors import RulesError, WeightsError
from pellucid_decision.queries.model_reflection import ModelReflector
from pellucid_decision.question.frequency import load_frequencies
from pellucid_decision.question.morphology import load_analysers
from pellucid_decision.question.rarity import load_dictionaries
from pellucid_decision.reuse import DecisionCache
from pellucid_decision.server import SERVICE_NAME, DecisionServicer
from pellucid_decision.settings import DecisionSettings
from pellucid_decision.stages.cascade import Cascade
from pellucid_decision.stages.classifier import Classifier
from pellucid_decision.stages.model_queries import QueryWriter
from pellucid_decision.stages.model_stage import ModelStage
from pellucid_decision.stages.weights import load_weights
from pellucid_decision.text import gloss
from pellucid_decision.text.conversation import Ask, WebMode
from pellucid_decision.text.han import load_characters
from pellucid_runtime.clock import clock_from
from pellucid_runtime.domains import registrable_domain
from pellucid_runtime.health import Health
from pellucid_runtime.listener import StartError
from pellucid_runtime.llm.openai import open_llm
from pellucid_runtime.rpc.channel import open_channel
from pellucid_runtime.rpc.server import GrpcServer
from pellucid_runtime.service import Service
from pellucid_runtime.telemetry.metrics import MetricsServer


async def build(settings: DecisionSettings, stack: AsyncExitStack) -> Service:
    """Open and wire everything.

    Raises:
        StartError: The rules files or the classifier's weights cannot be used.
    """
    rules = _rules(settings)
    await _watch(rules, settings, stack)
    clock = clock_from(settings)
    await _warm_up(rules, clock.now(), settings)
    cache = DecisionCache(clock)
    metrics.CACHED.set_function(lambda: len(cache))
    model = await _model(settings, stack)
    desk = Desk(
        cascade=Cascade(
            rules,
            _classifier(settings, stack),
            ModelStage(model, settings.decision_llm_timeout_s) if model else None,
            QueryWriter(
                model, settings.decision_llm_queries, settings.decision_llm_queries_timeout_s
            )
            if model
            else None,
        ),
        cache=cache,
        rules=rules,
        clock=clock,
        observe=metrics.observe,
        reused=metrics.REUSED.inc,
        reflected=metrics.observe_reflection,
        reflector=ModelReflector(model, settings.decision_reflect_timeout_s) if model else None,
    )
    servicer = DecisionServicer(
        decide=desk.decide,
        write=desk.write,
        reflect=desk.reflect,
        clock=clock,
        cutoff=settings.cutoff,
    )
    return _service(settings, servicer)


def _classifier(settings: DecisionSettings, stack: AsyncExitStack) -> Classifier:
    try:
        weights = load_weights()
    except WeightsError as error:
        raise StartError(f"classifier: {error}") from error
    _read_tables()
    channel = open_channel(settings.scorer_target, service=SCORER, tls=settings.tls_files)
    stack.push_async_callback(channel.close)
    channel.get_state(try_to_connect=True)  # the first message must not wait for a handshake
    return Classifier(weights, ScorerEncoder(channel, settings.decision_embed_timeout_s))


async def _warm_up(rules: RulesFolder, now: datetime, settings: DecisionSettings) -> None:
    """Decide once in each language: the first person must not wait for lists and patterns."""
    cascade = Cascade(rules)
    message = "see www.pellucid.example, price and opening hours?"
    for code in rules.book.languages:
        ask = Ask(message, now, settings.cutoff, web_mode=WebMode.ON, language=code)
        await cascade.decide(ask)


def _read_tables() -> None:
    """Read what the first message that needs it would wait for: word lists and public suffixes."""
    for language in gloss.LANGUAGES:
        gloss.glossary_of(language)
    load_dictionaries()
    load_frequencies()
    load_analysers()
    load_characters()
    registrable_domain("example.com")


async def _model(settings: DecisionSettings, stack: AsyncExitStack) -> ChatModel | None:
    client = await open_llm(settings, stack)
    if client is None:
        return None
    return ChatModel(
        client,
        host=urlsplit(settings.openai_base_url).hostname or "llm",
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


async def _watch(rules: RulesFolder, settings: DecisionSettings, stack: AsyncExitStack) -> None:
    task = asyncio.create_task(rules.watch(settings.decision_rules_reload_s), name="rules-watch")

    async def stop() -> None:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    stack.push_async_callback(stop)


def _service(settings: DecisionSettings, servicer: DecisionServicer) -> Service:
    health = Health()
    health.component("rules", ready=True)

    def register(server: grpc.aio.Server) -> None:
        add_DecisionServiceServicer_to_server(servicer, server)

    grpc_server = GrpcServer(settings, register=[register], services=[SERVICE_NAME], health=health)
    return Service(
        name="decision", listeners=[grpc_server, MetricsServer(settings, health)], health=health
    )
