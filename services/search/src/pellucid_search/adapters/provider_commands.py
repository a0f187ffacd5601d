"""What operators ask about providers: `python -m pellucid_search.providers_cli`.

It talks to a running search service, so it shows what that replica knows: inside a pod, or
wherever `GRPC_PORT` is set, to the one beside it, else to `SEARCH_TARGET`. With `GRPC_TLS_*_FILE`
set, as in the pod, it presents the service's own certificate.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from pellucid.search.v1 import search_pb2 as pb
from pellucid.search.v1 import search_pb2_grpc

from pellucid_runtime.errors import ServiceError
from pellucid_runtime.rpc.channel import open_channel
from pellucid_runtime.rpc.tls import TlsFiles
from pellucid_runtime.settings import ServiceSettings, WrongSettingError, load_settings

SERVICE = "pellucid.search.v1.SearchService"
_DEFAULT_PORT = 50052
_TIMEOUT_S = 10.0
_MICRO = 1_000_000
_HEADINGS = ("provider", "state", "breaker", "left", "quota left", "p50 ms", "p95 ms", "USD today")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0: done, 1: the service or the provider failed, 2: a wrong setting."""
    options = _parser().parse_args(arguments)
    try:
        return asyncio.run(_run(options, load_settings(ServiceSettings).tls_files))
    except WrongSettingError as error:
        sys.stderr.write(f"wrong setting: {error}\n")
        return 2
    except ServiceError as error:
        sys.stderr.write(f"{error.message}\n")
        return 1


def _default_target() -> str:
    """By name, for that is what certificates are made out to."""
    if own_port := os.environ.get("GRPC_PORT"):
        return f"localhost:{own_port}"
    return os.environ.get("SEARCH_TARGET") or f"localhost:{_DEFAULT_PORT}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="providers", description=__doc__)
    parser.add_argument("--target", default=_default_target())
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="health, breaker, buckets and spend of every provider")
    usage = commands.add_parser("usage", help="calls and cost by day")
    usage.add_argument("--caller", default="", help="hash of one user")
    test = commands.add_parser("test", help="ask one provider one query, past the cache")
    test.add_argument("provider")
    test.add_argument("query")
    return parser


async def _run(options: argparse.Namespace, tls: TlsFiles | None) -> int:
    channel = open_channel(options.target, service=SERVICE, tls=tls)
    try:
        stub: Any = search_pb2_grpc.SearchServiceStub(channel)
        match options.command:
            case "list":
                return await _list(stub)
            case "usage":
                return await _usage(stub, options.caller)
            case _:
                return await _test(stub, options.provider, options.query)
    finally:
        await channel.close()


async def _list(stub: Any) -> int:
    answer = await stub.ListProviders(pb.ListProvidersRequest(), timeout=_TIMEOUT_S)
    _write_table(_HEADINGS, (_row(state) for state in answer.providers))
    return 0


def _row(state: pb.ProviderState) -> tuple[str, ...]:
    waiting = f" {state.breaker_retry_in_s:.0f}s" if state.breaker != "closed" else ""
    return (
        state.name,
        "ready" if state.enabled else f"off: {state.disabled_reason}",
        f"{state.breaker}{waiting}",
        _known(state.remaining_short),
        _known(state.remaining_long),
        str(state.latency_p50_ms),
        str(state.latency_p95_ms),
        f"{state.spent_today_micro_usd / _MICRO:.4f}",
    )


def _known(number: int) -> str:
    return "-" if number < 0 else str(number)


async def _usage(stub: Any, caller: str) -> int:
    answer = await stub.GetUsage(pb.GetUsageRequest(caller_hash=caller), timeout=_TIMEOUT_S)
    rows = (
        (
            row.day,
            row.provider,
            str(row.calls),
            str(row.results),
            f"{row.cost_micro_usd / _MICRO:.4f}",
        )
        for row in answer.rows
    )
    _write_table(("day", "provider", "calls", "results", "USD"), rows)
    return 0


async def _test(stub: Any, provider: str, query: str) -> int:
    request = pb.SearchRequest(
        queries=[pb.SearchQuery(text=query)], providers=[provider], bypass_cache=True, count=5
    )
    answer = await stub.Search(request, timeout=_TIMEOUT_S)
    report = answer.providers[0]
    status = pb.ProviderStatus.Name(report.status).removeprefix("PROVIDER_STATUS_").lower()
    said = f" ({report.detail})" if report.detail else ""
    sys.stdout.write(
        f"{provider}: {status}{said}, {report.results} results in {report.latency_ms} ms\n"
    )
    for hit in answer.hits:
        sys.stdout.write(f"  {hit.title}\n    {hit.url}\n")
    return 0 if report.status == pb.PROVIDER_STATUS_OK else 1


def _write_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = [tuple(headings), *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(headings))]
    for row in table:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write("  ".join(cells).rstrip() + "\n")
