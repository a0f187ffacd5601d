"""Runs the checks of one client: every function whose name begins with `check_`."""

import asyncio
import inspect
import sys
import traceback
from collections.abc import Mapping
from typing import Any

ANSWER = "4.50 crowns"
QUESTION = "What is the toll for cars on the Skerry Bridge?"


def run(names: Mapping[str, Any]) -> None:
    """Run the checks with the gateway's address and print which hold."""
    base = sys.argv[1]
    for name, check in names.items():
        if not name.startswith("check_"):
            continue
        try:
            done = check(base)
            if inspect.iscoroutine(done):
                asyncio.run(done)
        except Exception:  # a check may fail in any way, and the others go on
            print(f"fails: {name}")
            traceback.print_exc()
        else:
            print(f"holds: {name}")
