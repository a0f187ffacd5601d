"""One key of names for all gateways, whichever of them and the store starts first."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import ValidationError
from state_fakes import RedisServer, well_again

from pellucid_gateway.access.callers import PROVISIONAL
from pellucid_gateway.adapters.identity_key import KEY_BYTES, SharedIdentityKey
from pellucid_gateway.adapters.redis_breaker import RedisBreaker
from pellucid_gateway.adapters.redis_state import RedisState
from pellucid_gateway.api.http.identity import Identity, OwnCallers
from pellucid_gateway.domain.state_ports import Entry
from pellucid_gateway.settings import GatewaySettings
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.store import RedisStore

pytestmark = pytest.mark.redis


@dataclass
class Replica:
    """What a gateway's names and records stand on."""

    names: Identity
    key: SharedIdentityKey
    breaker: RedisBreaker
    records: RedisState

    @property
    def ada(self) -> str:
        return self.names.of_user("ada")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    redis = RedisServer(tmp_path)
    redis.start()
    yield redis
    redis.kill()


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as opened:
        yield opened


async def replica(stack: AsyncExitStack, server: RedisServer, letter: bytes) -> Replica:
    names = Identity(letter * KEY_BYTES, provisional=True)
    store = await stack.enter_async_context(RedisStore(server.url, namespace="identity"))
    key = SharedIdentityKey(store, names)
    breaker = await stack.enter_async_context(RedisBreaker(server.url, key.settle))
    records = await stack.enter_async_context(RedisState(server.url, breaker))
    return Replica(names, key, breaker, records)


async def keep(one: Replica) -> None:
    await one.records.put(one.ada, "memory", Entry("m", b"of ada"), ttl_s=60)


async def kept(one: Replica) -> bytes | None:
    return await one.records.get(one.ada, "memory", "m")


async def test_the_first_makes_the_key_and_the_second_takes_it(
    stack: AsyncExitStack, server: RedisServer
) -> None:
    first = await replica(stack, server, b"a")
    second = await replica(stack, server, b"b")

    assert first.ada == second.ada
    await keep(first)
    assert await kept(second) == b"of ada"


async def test_gateways_before_redis_agree_when_it_comes(
    stack: AsyncExitStack, server: RedisServer
) -> None:
    server.kill()
    first = await replica(stack, server, b"a")
    second = await replica(stack, server, b"b")
    early = first.ada
    assert early.startswith(PROVISIONAL)
    assert second.ada != early

    server.start()
    await well_again(first.breaker)
    await well_again(second.breaker)

    assert first.ada == second.ada
    assert not first.ada.startswith(PROVISIONAL)
    await keep(first)
    assert await kept(second) == b"of ada"


async def test_nothing_is_kept_under_a_name_that_nobody_will_know(
    stack: AsyncExitStack, server: RedisServer
) -> None:
    """A turn that began before Redis came ends after it."""
    server.kill()
    one = await replica(stack, server, b"a")
    early = one.ada
    server.start()
    await well_again(one.breaker)

    with pytest.raises(DependencyDownError):
        await one.records.put(early, "memory", Entry("m", b"lost"), ttl_s=60)
    assert b"~" not in server.command("KEYS", "*")


async def test_a_wiped_store_gets_the_key_back_and_newcomers_take_it(
    stack: AsyncExitStack, server: RedisServer
) -> None:
    first = await replica(stack, server, b"a")
    before = first.ada
    server.command("FLUSHALL")
    await first.key.settle()
    second = await replica(stack, server, b"b")

    assert first.ada == second.ada == before


async def test_replicas_that_differ_after_a_wipe_agree_again(
    stack: AsyncExitStack, server: RedisServer
) -> None:
    """A newcomer is quicker than those who know the old key."""
    first = await replica(stack, server, b"a")
    server.command("FLUSHALL")
    second = await replica(stack, server, b"b")
    assert first.ada != second.ada

    await asyncio.gather(first.key.settle(), second.key.settle())
    assert first.ada == second.ada


async def test_garbage_is_no_key(stack: AsyncExitStack, server: RedisServer) -> None:
    first = await replica(stack, server, b"a")
    server.command("SET", "pellucid:v1:identity:hmac-key", "x")
    second = await replica(stack, server, b"b")
    await first.key.settle()

    assert first.ada == second.ada
    assert first.names.key != b"x"


async def test_a_full_store_that_has_the_key_is_read(
    stack: AsyncExitStack, server: RedisServer
) -> None:
    first = await replica(stack, server, b"a")
    server.command("CONFIG", "SET", "maxmemory", "1")
    second = await replica(stack, server, b"b")

    assert second.breaker.lets_through()
    assert first.ada == second.ada


def test_own_callers_follow_the_key() -> None:
    names = Identity(b"a" * KEY_BYTES, provisional=True)
    own = OwnCallers(names)
    assert names.of_address("127.0.0.1") in own
    names.settle(b"b" * KEY_BYTES)

    assert names.of_address("127.0.0.1") in own
    assert names.of_user("") in own
    assert names.of_user("ada") not in own


def test_a_short_key_of_an_operator_is_refused() -> None:
    with pytest.raises(ValidationError, match="32 characters"):
        GatewaySettings(gateway_identity_key="too short")
