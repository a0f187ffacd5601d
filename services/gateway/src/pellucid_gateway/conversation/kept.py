"""Everything that is kept between requests, and counted of them."""

from dataclasses import dataclass

from pellucid_gateway.analytics.counting import Counting
from pellucid_gateway.analytics.habits import Habits
from pellucid_gateway.analytics.learned_trust import LearnedTrust
from pellucid_gateway.analytics.query_log import QueryLog
from pellucid_gateway.analytics.stats_reader import StatsReader
from pellucid_gateway.analytics.turn_log import TurnLog
from pellucid_gateway.conversation.conversations import Conversations
from pellucid_gateway.conversation.memories import Memories
from pellucid_gateway.conversation.source_preferences import SourcePreferences
from pellucid_gateway.domain.state_ports import State
from pellucid_runtime.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is kept, as the engine and the APIs use it; None: the operator keeps none of it.

    Attributes:
        state: Where all of it is.
        clock: When.
    """

    state: State
    clock: Clock
    counting: Counting
    stats: StatsReader
    habits: Habits
    conversations: Conversations | None
    memories: Memories
    preferences: SourcePreferences
    query_log: QueryLog | None
    turns: TurnLog
    learned: LearnedTrust | None
