"""An authority that is renewed with its key: certificates of before and after trust each other.

As cert-manager does it with `rotationPolicy: Never`: the authority gets a new certificate for the
same key, then each service gets a new pair and the new authority in its own time, in any order.
"""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pellucid.scorer.v1 import scorer_pb2_grpc

from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.rpc import tls
from pellucid_runtime.rpc.channel import open_channel
from pellucid_runtime.rpc.tls import TlsFiles
from pellucid_runtime.settings import ServiceSettings

SCORER = "pellucid.scorer.v1.ScorerService"
NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "pellucid")])
CALL_EVERY_S = 0.1
_PEM = serialization.Encoding.PEM


def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


@dataclass
class Authority:
    """A key and its certificate of now."""

    key: ec.EllipticCurvePrivateKey = field(default_factory=_key)

    def __post_init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """A new certificate for the same key."""
        self.certificate = self._signed(
            NAME,
            self.key,
            x509.BasicConstraints(ca=True, path_length=None),
            x509.SubjectKeyIdentifier.from_public_key(self.key.public_key()),
        )

    def _signed(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        *extensions: x509.ExtensionType,
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(NAME)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(minutes=5))
            .not_valid_after(now + timedelta(hours=1))
        )
        for extension in extensions:
            is_basic = isinstance(extension, x509.BasicConstraints)
            builder = builder.add_extension(extension, critical=is_basic)
        return builder.sign(self.key, hashes.SHA256())

    def issue(self, files: TlsFiles) -> None:
        """A new pair for 127.0.0.1, with this authority beside it."""
        key = _key()
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        names = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
        leaf = self._signed(x509.Name([]), key, issuer, names)
        private = key.private_bytes(
            _PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        files.certificate.write_bytes(leaf.public_bytes(_PEM))
        files.key.write_bytes(private)
        files.authority.write_bytes(self.certificate.public_bytes(_PEM))


def place(folder: Path) -> TlsFiles:
    folder.mkdir()
    return TlsFiles(folder / "tls.crt", folder / "tls.key", folder / "ca.crt")


def settings_of(files: TlsFiles) -> ServiceSettings:
    return ServiceSettings(
        grpc_tls_cert_file=files.certificate,
        grpc_tls_key_file=files.key,
        grpc_tls_ca_file=files.authority,
    )


@pytest.mark.parametrize("first", ["server", "caller"])
async def test_authority_and_leaves_are_renewed_while_a_call_runs_every_100_ms(
    start_rig: Any, ask: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    monkeypatch.setattr(tls, "_LOOK_PERIOD_S", 0.2)
    authority = Authority()
    server, caller = place(tmp_path / "server"), place(tmp_path / "caller")
    authority.issue(server)
    authority.issue(caller)
    rig = await start_rig(with_settings=settings_of(server))
    async with open_channel(rig.server.target, service=SCORER, tls=caller) as channel:
        stub = scorer_pb2_grpc.ScorerServiceStub(channel)
        stopping = asyncio.Event()

        async def call() -> int:
            count = 0
            while not stopping.is_set():
                await stub.Similarity(ask, timeout=5)
                count += 1
                await asyncio.sleep(CALL_EVERY_S)
            return count

        calling = asyncio.create_task(call())
        before = authority.certificate
        authority.renew()
        assert authority.certificate != before
        for files in (server, caller) if first == "server" else (caller, server):
            authority.issue(files)
            await asyncio.sleep(1.0)
        stopping.set()
        assert await calling > 5


async def test_an_authority_with_a_new_key_would_cut_callers_off(
    start_rig: Any, ask: Any, tmp_path: Path
) -> None:
    """So that the test above can fail: what `rotationPolicy: Always` would do without a bundle."""
    server, caller = place(tmp_path / "server"), place(tmp_path / "caller")
    Authority().issue(server)
    Authority().issue(caller)
    rig = await start_rig(with_settings=settings_of(server))
    async with open_channel(rig.server.target, service=SCORER, tls=caller) as channel:
        with pytest.raises(DependencyDownError):
            await scorer_pb2_grpc.ScorerServiceStub(channel).Similarity(ask, timeout=5)
