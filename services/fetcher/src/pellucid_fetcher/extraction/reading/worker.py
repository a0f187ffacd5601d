"""A worker process: documents come in on one pipe, results go out on another.

Frames are a JSON header's length and a body's length (two big-endian 32-bit numbers), the header,
the body. The process bounds its own memory and knows nothing but this; whoever started it kills it
when a document takes too long.
"""

import json
import resource
import struct
import sys
from typing import BinaryIO, Final

from pellucid_fetcher.document import Document, to_json
from pellucid_fetcher.extraction.reading.dispatch import open_readers, read

FRAME: Final = struct.Struct(">II")
MEMORY_BYTES: Final = 1024 * 1024 * 1024
READY: Final = b"\x01"


def main() -> None:
    """Serve documents until the input ends."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    readers = open_readers()
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sink.write(READY)
    sink.flush()
    while (frame := source.read(FRAME.size)) and len(frame) == FRAME.size:
        document = _receive(source, frame)
        _send(sink, to_json(read(readers, document)))


def _receive(source: BinaryIO, frame: bytes) -> Document:
    header_size, body_size = FRAME.unpack(frame)
    header = json.loads(source.read(header_size))
    return Document(body=source.read(body_size), **header)


def _send(sink: BinaryIO, data: bytes) -> None:
    sink.write(FRAME.pack(len(data), 0))
    sink.write(data)
    sink.flush()


if __name__ == "__main__":
    main()
