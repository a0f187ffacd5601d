"""The service as a process of its own, which a test may kill."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import grpc
from pellucid.search.v1 import search_pb2_grpc

from pellucid_runtime.rpc.channel import open_channel
from pellucid_search import app


@dataclass(slots=True)
class ReplicaProcess:
    """A replica over some folder; its settings are environment variables."""

    folder: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self, **settings: str) -> str:
        """Start it and return its address once it listens."""
        own = {"GRPC_PORT": "0", "METRICS_PORT": "0", "DATA_DIR": str(self.folder)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pellucid_search"],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], **own, **settings},
            stderr=subprocess.PIPE,
        )
        assert self.process.stderr is not None
        for line in self.process.stderr:
            said = json.loads(line)
            if said["event"] == "listening":
                return f"127.0.0.1:{said['grpc']}"
        raise AssertionError("the replica ended before it listened")

    def kill(self) -> None:
        """End it at once, as a lost machine does; nothing when it has ended."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def open_stub(target: str) -> tuple[search_pb2_grpc.SearchServiceStub, grpc.aio.Channel]:
    """Return a client and the channel that is to be closed."""
    channel = open_channel(target, service=app.SERVICE)
    return search_pb2_grpc.SearchServiceStub(channel), channel
