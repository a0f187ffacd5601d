"""Mutual TLS between services, from files that may be replaced while the service runs.

Both sides present a certificate of one private authority; whoever has none is not let in. The
files are looked at again when a connection is made, so a rotation needs no restart. A pair that
does not fit together, as in the middle of a rotation, is passed over: the one before stays in use.
"""

import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import grpc
import structlog

# How long a look at the files is believed; a rotation has to be seen soon, not at once.
_LOOK_PERIOD_S = 1.0

_log = structlog.get_logger("pellucid_runtime.rpc.tls")


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Paths of PEM files.

    Attributes:
        certificate: This service's certificate, followed by intermediate ones.
        key: Its private key, not encrypted.
        authority: Certificates of the authority that signs every service's.
    """

    certificate: Path
    key: Path
    authority: Path

    def check(self) -> None:
        """Read all three once.

        Raises:
            OSError: A file cannot be read, or certificate and key do not fit (`ssl.SSLError`).
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_cert_chain(self.certificate, self.key)
        context.load_verify_locations(self.authority)


@dataclass(frozen=True, slots=True)
class TlsMaterial:
    """Contents of the three files at one moment."""

    certificate: bytes = field(repr=False)
    key: bytes = field(repr=False)
    authority: bytes = field(repr=False)


class WatchedFiles:
    """The newest usable contents of `TlsFiles`.

    Args:
        files: Where they are; usable at the start.
        monotonic: Seconds, only ever growing.

    Raises:
        OSError: A file cannot be used.
    """

    def __init__(self, files: TlsFiles, monotonic: Callable[[], float] = time.monotonic) -> None:
        files.check()
        self._files = files
        self._monotonic = monotonic
        self._looked_s = monotonic()
        self._refused: TlsMaterial | None = None
        self._material = self._read()

    def current(self) -> TlsMaterial:
        """The contents to use; the same object until they change."""
        now_s = self._monotonic()
        if now_s - self._looked_s >= _LOOK_PERIOD_S:
            self._looked_s = now_s
            self._look()
        return self._material

    def _look(self) -> None:
        try:
            found = self._read()
            if found in (self._material, self._refused):
                return
            self._refused = found
            self._files.check()
        except OSError as error:
            _log.warning("tls_files_not_usable", error=str(error))
            return
        self._material, self._refused = found, None
        _log.info("tls_files_reloaded")

    def _read(self) -> TlsMaterial:
        files = self._files
        return TlsMaterial(
            files.certificate.read_bytes(), files.key.read_bytes(), files.authority.read_bytes()
        )


def server_credentials(files: TlsFiles) -> grpc.ServerCredentials:
    """What a server shows, and whom it lets in; renewed with the files.

    Raises:
        OSError: A file cannot be used.
    """
    watched = WatchedFiles(files)
    return grpc.dynamic_ssl_server_credentials(
        _server_configuration(watched.current()),
        lambda: _server_configuration(watched.current()),
        require_client_authentication=True,
    )


def _server_configuration(material: TlsMaterial) -> grpc.ServerCertificateConfiguration:
    return grpc.ssl_server_certificate_configuration(
        [(material.key, material.certificate)], root_certificates=material.authority
    )


def channel_credentials(material: TlsMaterial) -> grpc.ChannelCredentials:
    """What a caller shows, and whom it believes."""
    return grpc.ssl_channel_credentials(
        root_certificates=material.authority,
        private_key=material.key,
        certificate_chain=material.certificate,
    )
