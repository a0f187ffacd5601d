"""A scorer that runs for the while, for measurements."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import grpc

from rig.ports import free_port

_READY_S = 120


@contextmanager
def scorer_at(target: str = "") -> Iterator[str]:
    """Yield `target`, or without one the address of a scorer that runs for the while.

    Raises:
        grpc.FutureTimeoutError: The scorer did not become ready.
    """
    if target:
        yield target
        return
    grpc_port, metrics_port = free_port(), free_port()
    ports = {"GRPC_PORT": str(grpc_port), "METRICS_PORT": str(metrics_port)}
    command = [sys.executable, "-m", "pellucid_scorer"]
    process = subprocess.Popen(command, env=os.environ | ports | {"LOG_LEVEL": "error"})
    try:
        with grpc.insecure_channel(f"127.0.0.1:{grpc_port}") as channel:
            grpc.channel_ready_future(channel).result(timeout=_READY_S)
        yield f"127.0.0.1:{grpc_port}"
    finally:
        process.terminate()
        process.wait()
