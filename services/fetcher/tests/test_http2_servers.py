"""HTTP/2 on raw bytes: agreed on inside TLS, read whole, and watched no longer than its headers."""

import asyncio
import ssl
from pathlib import Path
from typing import Any

import httpcore
import pytest
import trustme
from bad_server_rows import TEXT
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived, WindowUpdated

from pellucid_fetcher.adapters.dialling import WatchedStream
from pellucid_fetcher.outcome import FetchStatus

# Frames, and HTTP/1 whose lines end plainly.
HEADS = (b"\x00\x00\x12\x04\x00", b"HTTP/1.1 200 OK\ncontent-type: text/html\n\n")


class _Server:
    """One HTTP/2 connection that answers every request with the same page."""

    def __init__(self, body: bytes) -> None:
        self._connection = H2Connection(H2Configuration(client_side=False))
        self._left = body
        self._stream = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connection.initiate_connection()
        writer.write(self._connection.data_to_send())
        while data := await reader.read(65_536):
            for event in self._connection.receive_data(data):
                if isinstance(event, RequestReceived):
                    self._begin(event.stream_id or 0)
                if isinstance(event, RequestReceived | WindowUpdated):
                    self._send()
            writer.write(self._connection.data_to_send())
            await writer.drain()

    def _begin(self, stream: int) -> None:
        self._stream = stream
        headers = [(":status", "200"), ("content-type", "text/html; charset=utf-8")]
        self._connection.send_headers(stream, headers)

    def _send(self) -> None:
        connection = self._connection
        while (
            self._stream
            and self._left
            and (room := connection.local_flow_control_window(self._stream))
        ):
            size = min(room, connection.max_outbound_frame_size)
            piece, self._left = self._left[:size], self._left[size:]
            connection.send_data(self._stream, piece, end_stream=not self._left)


async def test_a_long_page_over_http2(open_rig: Any, tmp_path: Path) -> None:
    authority, bundle = trustme.CA(), tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(bundle))
    rig = await open_rig(fetcher_ca_bundle=str(bundle))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("bad.test").configure_cert(context)
    context.set_alpn_protocols(["h2"])
    body = TEXT.replace(b"</main>", b"<!--" + b"x" * 300_000 + b"--></main>")
    await rig.serve(lambda *ends: _Server(body).serve(*ends), port=443, ssl=context)
    page = await rig.fetch("https://bad.test/")
    assert page.status is FetchStatus.OK
    assert page.bytes_decoded == len(body)


@pytest.mark.parametrize("head", HEADS)
async def test_a_body_is_not_gathered_in_search_of_its_first_line(head: bytes) -> None:
    """Without the usual end of headers each packet would be searched with all before it."""
    stream = WatchedStream(httpcore.AsyncMockStream([head, *[b"x" * 16_384] * 40]))
    await stream.read(65_536)
    stream.headers_complete = True
    for _ in range(40):
        await stream.read(65_536)
    assert len(stream._head) <= 16_384
