"""Counts what Redis keeps by kind: keys, bytes of a key with all that it costs, and the sum.

    python bench/state_bytes.py --redis redis://127.0.0.1:6379/0

Reads only; a million keys take some minutes. Kinds of records are those of the gateway.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator

import redis

_PER_CALL = 1_000


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--redis", required=True, help="address of the server")
    server = redis.Redis.from_url(options.parse_args().redis)
    keys: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for kind, size in measured(server):
        keys[kind] += 1
        sizes[kind] += size
    sys.stdout.write(f"{'kind':40} {'keys':>9} {'bytes each':>11} {'MB':>8}\n")
    for kind, size in sizes.most_common():
        each = size / keys[kind]
        sys.stdout.write(f"{kind:40} {keys[kind]:9} {each:11.0f} {size / 1e6:8.2f}\n")


def measured(server: "redis.Redis") -> Iterator[tuple[str, int]]:
    """Kind and bytes of every key of ours."""
    batch: list[bytes] = []
    for key in server.scan_iter("*:v1:*", count=_PER_CALL):
        batch.append(key)
        if len(batch) == _PER_CALL:
            yield from _sized(server, batch)
            batch = []
    yield from _sized(server, batch)


def _sized(server: "redis.Redis", keys: list[bytes]) -> Iterator[tuple[str, int]]:
    pipe = server.pipeline(transaction=False)
    for key in keys:
        pipe.memory_usage(key, samples=0)
    for key, size in zip(keys, pipe.execute(), strict=True):
        if size is not None:
            yield kind_of(key.decode()), size


def kind_of(key: str) -> str:
    """What a key belongs to, without the names of people.

    >>> kind_of("pellucid:v1:record:{ab12}:evidence:9f")
    'record evidence'
    >>> kind_of("pellucid:v1:record:{ab12}:index:memory")
    'record index'
    >>> kind_of("pellucid:v1:sum:2026-11-22")
    'sum'
    """
    parts = key.split(":")[2:]
    if parts[0] == "record" and len(parts) > 2:  # noqa: PLR2004 - record, owner, kind
        return f"record {parts[2]}"
    return parts[0]


if __name__ == "__main__":
    main()
