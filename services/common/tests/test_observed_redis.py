"""Commands to Redis are counted by how they ended, and drawn within a trace that is kept."""

import asyncio
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from prometheus_client import REGISTRY
from redis.exceptions import RedisError

from pellucid_runtime import redis_client
from pellucid_runtime.redis_client import open_redis

pytestmark = pytest.mark.redis


def counted(server: str, outcome: str) -> float:
    labels = {"server": server, "outcome": outcome}
    return REGISTRY.get_sample_value("pellucid_redis_seconds_count", labels) or 0.0


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Any:
    provider = TracerProvider(sampler=ALWAYS_ON, shutdown_on_exit=False)
    kept = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(redis_client, "TRACER", provider.get_tracer("test"))
    return provider.get_tracer("turn"), kept


async def test_outcomes_are_told_apart(redis_server: Any) -> None:
    before = {outcome: counted("cache", outcome) for outcome in ("ok", "full", "refused", "lost")}
    redis = open_redis(redis_server.url, timeout_s=0.5, server="cache")
    await redis.set("a", "b")
    async with redis.pipeline(transaction=True) as both:
        both.set("a", 1)
        both.incr("a")
        assert await both.execute() == [True, 2]
    with pytest.raises(RedisError):
        await redis.lpush("a", "not a list")
    await redis.config_set("maxmemory", "1")
    with pytest.raises(RedisError):
        await redis.set("c", "d")
    redis_server.kill()
    with pytest.raises((RedisError, OSError)):
        await redis.get("a")
    await redis.aclose()
    gained = {outcome: counted("cache", outcome) - count for outcome, count in before.items()}
    assert gained == {"ok": 3, "full": 1, "refused": 1, "lost": 1}


async def test_a_command_that_is_given_up_is_counted(redis_server: Any) -> None:
    before = counted("state", "cancelled")
    redis = open_redis(redis_server.url, timeout_s=None)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await redis.blpop(["nothing"], timeout=5)
    await redis.aclose()
    assert counted("state", "cancelled") - before == 1


async def test_a_span_names_the_command_and_neither_key_nor_value(
    redis_server: Any, spans: Any
) -> None:
    tracer, kept = spans
    redis = open_redis(redis_server.url, timeout_s=1)
    await redis.set("before-any-turn", "x")
    with tracer.start_as_current_span("turn"):
        await redis.set("secret-key", "secret-value")
    await redis.aclose()
    drawn = [span for span in kept.get_finished_spans() if span.name != "turn"]
    assert [span.name for span in drawn] == ["SET"]
    assert dict(drawn[0].attributes) == {
        "db.system.name": "redis",
        "db.operation.name": "SET",
        "db.namespace": "state",
        "pellucid.outcome": "ok",
    }
