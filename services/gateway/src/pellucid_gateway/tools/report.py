"""Prints the weekly report: `pellucid-gateway-report [--format markdown|html|json|csv]`.

Reads the store of the gateways (REDIS_URL, else DATA_DIR), so it runs beside them, for example once
a week; nothing of it goes through a gateway.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

import orjson

from pellucid_gateway.adapters.state import open_state
from pellucid_gateway.analytics.query_log import QueryLog
from pellucid_gateway.analytics.report_text import as_markdown, as_page
from pellucid_gateway.analytics.stats_reader import StatsReader
from pellucid_gateway.analytics.turn_log import as_csv
from pellucid_gateway.analytics.weekly_report import weekly_report
from pellucid_gateway.settings import GatewaySettings
from pellucid_runtime.clock import clock_from
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.settings import WrongSettingError, load_settings

_DAY_S = 86_400.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the report; exits with 2 and one line when that cannot be done."""
    parser = argparse.ArgumentParser(prog="pellucid-gateway-report", description=__doc__)
    parser.add_argument("--format", choices=("markdown", "html", "json", "csv"), default="markdown")
    wanted = parser.parse_args(arguments).format
    try:
        report = asyncio.run(_report(load_settings(GatewaySettings)))
    except (WrongSettingError, DependencyDownError) as error:
        parser.error(str(error))
    write = {"markdown": as_markdown, "html": as_page, "json": _as_json, "csv": _by_day}[wanted]
    sys.stdout.write(write(report) + "\n")


async def _report(settings: GatewaySettings) -> dict[str, Any]:
    clock = clock_from(settings)
    days = settings.gateway_query_log_ttl_days
    async with AsyncExitStack() as stack:
        state = await open_state(settings, stack, clock, replicas=1)
        log = QueryLog(state.records, state.rollups, days * _DAY_S) if days else None
        return await weekly_report(StatsReader(state.rollups, clock), log, clock.now())


def _by_day(report: dict[str, Any]) -> str:
    return as_csv(report["days"]).rstrip()


def _as_json(report: dict[str, Any]) -> str:
    return orjson.dumps(report, option=orjson.OPT_INDENT_2).decode()


if __name__ == "__main__":
    main()
