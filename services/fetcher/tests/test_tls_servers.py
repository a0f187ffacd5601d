"""Encrypted servers that are not to be trusted, with an authority of the test's own."""

import asyncio
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trustme
from bad_server_rows import TEXT

from pellucid_fetcher.outcome import FetchStatus

URL = "https://bad.test/"
NOW = datetime.now(UTC)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
async def trusting_rig(open_rig: Any, authority: trustme.CA, tmp_path: Path) -> Any:
    """A fetcher that knows the authority, by the setting for further ones."""
    bundle = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(bundle))
    return await open_rig(fetcher_ca_bundle=str(bundle), fetcher_connect_timeout_s=0.6)


def _context(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


async def _serve(rig: Any, http: Any, context: ssl.SSLContext) -> list[bytes]:
    heads: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(http(TEXT))

    await rig.serve(answer, port=443, ssl=context)
    return heads


def _self_signed(folder: Path) -> ssl.SSLContext:
    # The root's own certificate, served by its own key: signed by nobody else.
    root = trustme.CA()
    key, certificate = folder / "root.key", folder / "root.pem"
    root.private_key_pem.write_to_path(str(key))
    root.cert_pem.write_to_path(str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def _old(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = _context(certificate)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1
    return context


def _picky(certificate: trustme.LeafCert) -> ssl.SSLContext:
    """Knows no such name."""
    context = _context(certificate)
    context.sni_callback = lambda *_: ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
    return context


async def test_a_known_authority_is_trusted(trusting_rig: Any, http: Any, authority: Any) -> None:
    heads = await _serve(trusting_rig, http, _context(authority.issue_cert("bad.test")))
    page = await trusting_rig.fetch(URL)
    assert page.status is FetchStatus.OK
    assert len(heads) == 1
    assert "insecure_tls" not in page.warnings


@pytest.mark.parametrize(
    "reason",
    ["expired", "not_yet_valid", "self_signed", "wrong_host", "unknown_issuer", "name_alert"],
)
async def test_what_is_not_trusted(
    trusting_rig: Any, http: Any, authority: trustme.CA, tmp_path: Path, reason: str
) -> None:
    """Row 38: named, with its reason, and never asked again without verification."""
    day = timedelta(days=1)
    issue = authority.issue_cert
    contexts = {
        "expired": lambda: _context(
            issue("bad.test", not_before=NOW - 9 * day, not_after=NOW - day)
        ),
        "not_yet_valid": lambda: _context(issue("bad.test", not_before=NOW + day)),
        "self_signed": lambda: _self_signed(tmp_path),
        "wrong_host": lambda: _context(issue("other.test")),
        "unknown_issuer": lambda: _context(trustme.CA().issue_cert("bad.test")),
        "name_alert": lambda: _picky(issue("bad.test")),
    }
    heads = await _serve(trusting_rig, http, contexts[reason]())
    trusting_rig.dialler.dialled.clear()
    page = await trusting_rig.fetch(URL)
    assert page.status is FetchStatus.TLS_ERROR
    # How an alert reads depends on whether the reset behind it overtakes it.
    assert page.reason in {"name_alert": ("wrong_host", "handshake")}.get(reason, (reason,))
    assert not page.retryable
    assert page.error
    assert heads == []
    assert len(trusting_rig.dialler.dialled) == 1


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
async def test_outdated_encryption(trusting_rig: Any, http: Any, authority: Any) -> None:
    """Row 38: no downgrade."""
    heads = await _serve(trusting_rig, http, _old(authority.issue_cert("bad.test")))
    page = await trusting_rig.fetch(URL)
    assert page.status is FetchStatus.TLS_ERROR
    assert page.reason in ("old_protocol", "handshake")  # a reset may overtake the alert
    assert heads == []


@pytest.mark.parametrize(
    ("greeting", "reason"), [(b"", "handshake_timeout"), (b"220 mail ESMTP\r\n", "not_tls")]
)
async def test_a_handshake_that_does_not_end(
    trusting_rig: Any, greeting: bytes, reason: str
) -> None:
    """Row 38: the time for a connection holds for its encryption too."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(greeting)
        await writer.drain()
        await reader.read()

    await trusting_rig.serve(greet, port=443)
    page = await trusting_rig.fetch(URL)
    assert (page.status, page.reason) == (FetchStatus.TLS_ERROR, reason)
    assert page.timings.total_ms < 4000


async def test_a_named_host_without_verification_is_marked(
    open_rig: Any, http: Any, tmp_path: Path
) -> None:
    rig = await open_rig(fetcher_insecure_hosts="bad.test")
    await _serve(rig, http, _self_signed(tmp_path))
    page = await rig.fetch(URL)
    assert page.status is FetchStatus.OK
    assert "insecure_tls" in page.warnings
    assert (await rig.fetch("https://other.test/")).status is FetchStatus.TLS_ERROR
