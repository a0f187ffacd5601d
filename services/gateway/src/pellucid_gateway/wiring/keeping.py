"""Puts what is kept between requests around the engine: memory, counts, gate, limits."""

import asyncio
import secrets
from collections.abc import Container
from contextlib import AsyncExitStack
from dataclasses import dataclass

from pellucid_gateway.access.abuse import AbuseGate, ChallengeVerifier
from pellucid_gateway.adapters.challenge import HttpVerifier
from pellucid_gateway.adapters.state import State
from pellucid_gateway.analytics.counting import FLUSH_S, Counting
from pellucid_gateway.analytics.habits import Habits
from pellucid_gateway.analytics.learned_trust import LearnedTrust
from pellucid_gateway.analytics.query_log import QueryLog
from pellucid_gateway.analytics.stats_reader import StatsReader
from pellucid_gateway.analytics.turn_log import TurnLog
from pellucid_gateway.conversation.afterwards import Afterwards, Keepers
from pellucid_gateway.conversation.conversations import Conversations
from pellucid_gateway.conversation.memories import Memories
from pellucid_gateway.conversation.remembering import Past, RememberingEngine
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.events import Challenge
from pellucid_gateway.domain.ports import ScorerPort
from pellucid_gateway.metrics import observe_habit
from pellucid_gateway.settings import GatewaySettings
from pellucid_runtime.clock import Clock
from pellucid_runtime.supervision import supervise

DAY_S = 86_400.0
_ID_BYTES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """What is kept, as the engine and the APIs use it; None: the operator keeps none of it."""

    counting: Counting
    stats: StatsReader
    conversations: Conversations | None
    memories: Memories
    query_log: QueryLog | None
    turns: TurnLog
    afterwards: Afterwards
    state: State


def open_keeping(
    settings: GatewaySettings,
    stack: AsyncExitStack,
    clock: Clock,
    state: State,
    scorer: ScorerPort,
    *,
    learned: LearnedTrust | None = None,
) -> Keeping:
    """What is kept, by the settings; counted until the stack closes.

    Args:
        settings: How long things are kept.
        stack: Ends the counting.
        clock: When.
        state: Where.
        scorer: Compares questions.
        learned: Learns of sources from what happens; None: nothing does.
    """
    counting = Counting(state.rollups)
    conversations = _conversations(settings, state)
    query_log = _query_log(settings, state)
    turns = TurnLog(state.records)
    keepers = Keepers(
        counting=counting,
        habits=Habits(state.records, scorer),
        conversations=conversations,
        query_log=query_log,
        learned=learned,
        turns=turns,
        observe_habit=observe_habit,
    )
    afterwards = Afterwards(keepers, clock)
    stack.push_async_callback(afterwards.close)
    supervise(stack, "counting", lambda: _flush_for_ever(counting))
    return Keeping(
        counting=counting,
        stats=StatsReader(state.rollups, clock),
        conversations=conversations,
        memories=Memories(state.records, clock, lambda: secrets.token_hex(_ID_BYTES)),
        query_log=query_log,
        turns=turns,
        afterwards=afterwards,
        state=state,
    )


def _conversations(settings: GatewaySettings, state: State) -> Conversations | None:
    days = settings.gateway_conversation_ttl_days
    return Conversations(state.records, days * DAY_S) if days else None


def _query_log(settings: GatewaySettings, state: State) -> QueryLog | None:
    days = settings.gateway_query_log_ttl_days
    return QueryLog(state.records, state.rollups, days * DAY_S) if days else None


async def _flush_for_ever(counting: Counting) -> None:
    while True:
        await asyncio.sleep(FLUSH_S)
        await counting.flush()


async def remembering(
    engine: TurnEngine,
    settings: GatewaySettings,
    stack: AsyncExitStack,
    clock: Clock,
    *,
    keeping: Keeping,
    scorer: ScorerPort,
    exempt: Container[str],
) -> RememberingEngine:
    """The engine with everything that is kept around it.

    Args:
        engine: Runs the turns.
        settings: Challenges.
        stack: Closes the verifier.
        clock: When.
        keeping: What is kept.
        scorer: Compares memories.
        exempt: Callers that are never suspected.
    """
    gate = AbuseGate(
        keeping.state.limiter,
        keeping.state.records,
        clock,
        verifier=await _verifier(settings, stack),
        threshold=settings.gateway_suspicion_threshold,
        exempt=exempt,
    )
    past = Past(conversations=keeping.conversations, memories=keeping.memories, scorer=scorer)
    return RememberingEngine(
        engine,
        past=past,
        gate=gate,
        rollups=keeping.state.rollups,
        afterwards=keeping.afterwards,
        clock=clock,
    )


async def _verifier(settings: GatewaySettings, stack: AsyncExitStack) -> ChallengeVerifier | None:
    if settings.gateway_challenge_url is None:
        return None
    verifier = HttpVerifier(
        settings.gateway_challenge_url,
        settings.secret("gateway_challenge_secret"),
        Challenge(settings.gateway_challenge_site_key, settings.gateway_challenge_script),
    )
    return await stack.enter_async_context(verifier)
