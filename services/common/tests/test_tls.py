"""Mutual TLS: who is let in, and a rotation that no call notices."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from pellucid.scorer.v1 import scorer_pb2_grpc

from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.rpc import tls
from pellucid_runtime.rpc.channel import open_channel
from pellucid_runtime.rpc.tls import TlsFiles, WatchedFiles
from pellucid_runtime.settings import ServiceSettings, WrongSettingError, load_settings

SCORER = "pellucid.scorer.v1.ScorerService"


class Folder:
    """The three files as they are mounted, and whoever replaces them."""

    def __init__(self, path: Path) -> None:
        path.mkdir()
        self.files = TlsFiles(path / "tls.crt", path / "tls.key", path / "ca.crt")

    def put(self, *, signed_by: trustme.CA, trusting: tuple[trustme.CA, ...]) -> None:
        """Write a fresh certificate for 127.0.0.1."""
        certificate = signed_by.issue_cert("127.0.0.1", "scorer")
        self.files.certificate.write_bytes(certificate.cert_chain_pems[0].bytes())
        self.files.key.write_bytes(certificate.private_key_pem.bytes())
        self.files.authority.write_bytes(b"".join(ca.cert_pem.bytes() for ca in trusting))

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables that name the files."""
        return {
            "GRPC_TLS_CERT_FILE": str(self.files.certificate),
            "GRPC_TLS_KEY_FILE": str(self.files.key),
            "GRPC_TLS_CA_FILE": str(self.files.authority),
        }

    @property
    def settings(self) -> ServiceSettings:
        """Settings of a service that uses the files."""
        files = self.files
        return ServiceSettings(
            grpc_tls_cert_file=files.certificate,
            grpc_tls_key_file=files.key,
            grpc_tls_ca_file=files.authority,
        )


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def folder(tmp_path: Path, authority: trustme.CA) -> Iterator[Folder]:
    made = Folder(tmp_path / "tls")
    made.put(signed_by=authority, trusting=(authority,))
    yield made
    shutil.rmtree(tmp_path / "tls")


async def similarity(channel: Any, ask: Any) -> Any:
    return await scorer_pb2_grpc.ScorerServiceStub(channel).Similarity(ask, timeout=5)


async def test_both_sides_with_a_certificate_talk(start_rig: Any, ask: Any, folder: Folder) -> None:
    rig = await start_rig(with_settings=folder.settings)
    async with open_channel(rig.server.target, service=SCORER, tls=folder.files) as channel:
        assert (await similarity(channel, ask)).similarities == [1.0]


async def test_a_caller_without_a_certificate_is_not_let_in(
    start_rig: Any, ask: Any, folder: Folder
) -> None:
    rig = await start_rig(with_settings=folder.settings)
    async with open_channel(rig.server.target, service=SCORER) as channel:
        with pytest.raises(DependencyDownError):
            await similarity(channel, ask)
    assert rig.handlers.calls == 0


async def test_a_certificate_of_another_authority_is_not_let_in(
    start_rig: Any, ask: Any, folder: Folder, tmp_path: Path, authority: trustme.CA
) -> None:
    rig = await start_rig(with_settings=folder.settings)
    foreign = Folder(tmp_path / "foreign")
    foreign.put(signed_by=trustme.CA(), trusting=(authority,))
    async with open_channel(rig.server.target, service=SCORER, tls=foreign.files) as channel:
        with pytest.raises(DependencyDownError):
            await similarity(channel, ask)
    assert rig.handlers.calls == 0


async def test_a_server_of_another_authority_is_not_believed(
    start_rig: Any, ask: Any, folder: Folder, tmp_path: Path, authority: trustme.CA
) -> None:
    rig = await start_rig(with_settings=folder.settings)
    elsewhere = Folder(tmp_path / "elsewhere")
    elsewhere.put(signed_by=authority, trusting=(trustme.CA(),))
    async with open_channel(rig.server.target, service=SCORER, tls=elsewhere.files) as channel:
        with pytest.raises(DependencyDownError):
            await similarity(channel, ask)
    assert rig.handlers.calls == 0


async def test_a_rotation_to_another_authority_under_load_fails_no_call(  # noqa: PLR0917 - fixtures
    start_rig: Any, ask: Any, folder: Folder, tmp_path: Path, authority: trustme.CA,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """First both authorities are believed, then both sides get new certificates, then one goes."""
    monkeypatch.setattr(tls, "_LOOK_PERIOD_S", 0.2)  # the pauses are long beside it
    rig = await start_rig(with_settings=folder.settings)
    caller = Folder(tmp_path / "caller")
    caller.put(signed_by=authority, trusting=(authority,))
    successor = trustme.CA()
    both = (authority, successor)
    steps = ((authority, both), (successor, both), (successor, (successor,)))
    async with open_channel(rig.server.target, service=SCORER, tls=caller.files) as channel:
        stub = scorer_pb2_grpc.ScorerServiceStub(channel)
        stopping = asyncio.Event()

        async def load() -> int:
            count = 0
            while not stopping.is_set():
                await stub.Similarity(ask, timeout=5)
                count += 1
                await asyncio.sleep(0.01)
            return count

        loading = asyncio.create_task(load())
        for signed_by, trusting in steps:
            for place in (folder, caller):
                place.put(signed_by=signed_by, trusting=trusting)
                await asyncio.sleep(1.2)
        stopping.set()
        assert await loading > 20
        # Who kept the old certificate is out now: the new one is in use, not just accepted.
        old = Folder(tmp_path / "old")
        old.put(signed_by=authority, trusting=both)
        async with open_channel(rig.server.target, service=SCORER, tls=old.files) as late:
            with pytest.raises(DependencyDownError):
                await similarity(late, ask)


def test_a_pair_that_does_not_fit_is_passed_over(folder: Folder, authority: trustme.CA) -> None:
    now = [0.0]
    watched = WatchedFiles(folder.files, lambda: now[0])
    first = watched.current()
    key = folder.files.key.read_bytes()
    folder.put(signed_by=authority, trusting=(authority,))
    new_key = folder.files.key.read_bytes()
    folder.files.key.write_bytes(key)  # the certificate is new already, the key is not
    now[0] += 2
    assert watched.current() is first
    folder.files.key.write_bytes(new_key)
    assert watched.current() is first  # not looked at again so soon
    now[0] += 2
    assert watched.current().key == new_key


def test_a_file_that_went_away_leaves_the_last_in_use(folder: Folder) -> None:
    now = [0.0]
    watched = WatchedFiles(folder.files, lambda: now[0])
    first = watched.current()
    folder.files.key.unlink()
    now[0] += 2
    assert watched.current() is first


@pytest.mark.parametrize("missing", ["CERT", "KEY", "CA"])
def test_all_three_files_or_none(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    for name, path in folder.variables.items():
        monkeypatch.setenv(name, path)
    assert load_settings(ServiceSettings).tls_files == folder.files
    monkeypatch.delenv(f"GRPC_TLS_{missing}_FILE")
    with pytest.raises(WrongSettingError, match="set all or none"):
        load_settings(ServiceSettings)


def test_files_that_cannot_be_used_stop_the_start(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, path in folder.variables.items():
        monkeypatch.setenv(name, path)
    folder.files.key.write_text("not a key")
    with pytest.raises(WrongSettingError, match="GRPC_TLS"):
        load_settings(ServiceSettings)
