"""Puts what is kept between requests around the engine: memory, counts, gate, limits."""

import asyncio
import secrets
from collections.abc import Container
from contextlib import AsyncExitStack

from pellucid_gateway.access.abuse import AbuseGate, ChallengeVerifier
from pellucid_gateway.adapters.challenge import HttpVerifier
from pellucid_gateway.analytics.counting import FLUSH_S, Counting
from pellucid_gateway.analytics.habits import Habits
from pellucid_gateway.analytics.learned_trust import LearnedTrust
from pellucid_gateway.analytics.query_log import QueryLog
from pellucid_gateway.analytics.stats_reader import StatsReader
from pellucid_gateway.analytics.turn_log import TurnLog
from pellucid_gateway.conversation.afterwards import Afterwards, Kept
from pellucid_gateway.conversation.conversations import Conversations
from pellucid_gateway.conversation.memories import Memories
from pellucid_gateway.conversation.remembering import RememberingEngine
from pellucid_gateway.conversation.source_preferences import SourcePreferences
from pellucid_gateway.domain.engine import TurnEngine
from pellucid_gateway.domain.events import Challenge
from pellucid_gateway.domain.ports import ScorerPort
from pellucid_gateway.domain.state_ports import State
from pellucid_gateway.settings import GatewaySettings
from pellucid_runtime.clock import Clock
from pellucid_runtime.supervision import supervise

DAY_S = 86_400.0
_ID_BYTES = 16


def open_keeping(
    settings: GatewaySettings,
    stack: AsyncExitStack,
    clock: Clock,
    state: State,
    scorer: ScorerPort,
    *,
    learned: LearnedTrust | None = None,
) -> Kept:
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
    supervise(stack, "counting", lambda: _flush_for_ever(counting))
    return Kept(
        state=state,
        clock=clock,
        counting=counting,
        stats=StatsReader(state.rollups, clock),
        habits=Habits(state.records, scorer),
        conversations=_conversations(settings, state),
        memories=Memories(state.records, clock, lambda: secrets.token_hex(_ID_BYTES)),
        preferences=SourcePreferences(state.records, clock),
        query_log=_query_log(settings, state),
        turns=TurnLog(state.records),
        learned=learned,
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
    *,
    kept: Kept,
    scorer: ScorerPort,
    exempt: Container[str],
) -> tuple[RememberingEngine, Afterwards]:
    """The engine with everything that is kept around it, and what counts its turns.

    Args:
        engine: Runs the turns.
        settings: Challenges.
        stack: Closes the verifier, and lets what goes on afterwards end.
        kept: What is kept.
        scorer: Compares memories.
        exempt: Callers that are never suspected.
    """
    afterwards = Afterwards(kept)
    stack.push_async_callback(afterwards.close)
    gate = AbuseGate(
        kept.state.limiter,
        kept.state.records,
        kept.clock,
        verifier=await _verifier(settings, stack),
        threshold=settings.gateway_suspicion_threshold,
        exempt=exempt,
    )
    remembering = RememberingEngine(
        engine, kept=kept, scorer=scorer, gate=gate, afterwards=afterwards
    )
    return remembering, afterwards


async def _verifier(settings: GatewaySettings, stack: AsyncExitStack) -> ChallengeVerifier | None:
    if settings.gateway_challenge_url is None:
        return None
    verifier = HttpVerifier(
        settings.gateway_challenge_url,
        settings.secret("gateway_challenge_secret"),
        Challenge(settings.gateway_challenge_site_key, settings.gateway_challenge_script),
    )
    return await stack.enter_async_context(verifier)
