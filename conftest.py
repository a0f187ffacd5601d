"""What every process of the tests does first, so that its time goes into the tests themselves."""

import asyncio
import atexit
import gc
import os
import ssl
import tempfile
from pathlib import Path
from types import SimpleNamespace

import certifi
import uvicorn.server

# Half of the time to load all tests went into looking through what stays for the whole run.
gc.disable()


async def _shortly(delay_s: float) -> None:
    await asyncio.sleep(delay_s / 20)


# A server looks every 0.1 s whether it is to end, and again whether its connections have.
uvicorn.server.asyncio = SimpleNamespace(**vars(asyncio) | {"sleep": _shortly})


def _trust_one_authority() -> None:
    """Every new HTTP client reads all public authorities, 30 ms each time; no test meets one."""
    first, end, _ = Path(certifi.where()).read_text("ascii").partition(ssl.PEM_FOOTER)
    handle, path = tempfile.mkstemp(suffix=".pem")
    os.write(handle, f"{first}{end}\n".encode())
    os.close(handle)
    atexit.register(Path(path).unlink)
    os.environ["SSL_CERT_FILE"] = certifi.core._CACERT_PATH = path  # noqa: SLF001 - what `where` says


_trust_one_authority()


def pytest_collection_finish() -> None:
    """Collect only what the tests themselves leave."""
    gc.freeze()
    gc.enable()
