"""`make images-check`: build, look into, and run the five images; prints a table, exits with 1.

Needs root and the Debian packages buildah, debootstrap, runc and redis-server. Folders:
`IMAGES_CHECK_DIR` keeps the stand-in and the images for the next time (some 15 GB with buildah's
plain storage); unset: a temporary one, removed at the end.
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from images.building import SERVICES, Workshop, own
from images.inspecting import Contents, inspect
from images.running import SCRIPTED, Running, serve

_NEEDED = ("buildah", "debootstrap", "runc", "redis-server", "unshare", "ip")
_INSIDE = "PELLUCID_IMAGES_INSIDE"
_SCRIPT_URL = "http://lanterns.localhost:8082/log"
# A busy machine may lose a part of the first one, while models and channels are cold.
_TRIES = 3
_QUESTION = "Who is the current CEO of Pelkadan Cells?"
# With the browser and its fonts; the others carry Python, gRPC and what they need.
_MOST_MIB = {"fetcher": 1_800, "scorer": 1_100}


def main() -> int:
    """Run; returns the exit status."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--built", action="store_true", help="take the images as they are")
    asked = options.parse_args()
    lacking = [name for name in _NEEDED if shutil.which(name) is None]
    if lacking or os.geteuid() != 0:
        sys.stderr.write(f"images-check: needs root and {', '.join(lacking or _NEEDED)}\n")
        return 1
    kept = os.environ.get("IMAGES_CHECK_DIR")
    with tempfile.TemporaryDirectory(prefix="images-check-") as made:
        folder = Path(kept or made)
        folder.mkdir(parents=True, exist_ok=True)
        if os.environ.get(_INSIDE):
            return _run(Workshop(folder))
        wrong = _build(Workshop(folder), skip=asked.built)
        return _run_apart(folder) or wrong


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _build(workshop: Workshop, *, skip: bool) -> int:
    wrong = 0
    if not skip:
        workshop.make_base()
    _say(f"{'image':10} {'built s':>8} {'MiB':>7} {'linked':>7}  findings")
    for service in SERVICES:
        begun = time.monotonic()
        if not skip:
            workshop.build(service)
        took_s = time.monotonic() - begun
        with workshop.opened(own(service)) as root:
            found = inspect(root)
        findings = _findings(service, found)
        wrong |= bool(findings)
        row = f"{service:10} {took_s:8.0f} {found.size_mib:7.0f} {found.linked:7}"
        _say(f"{row}  {'; '.join(findings) or 'none'}")
    return int(wrong)


def _findings(service: str, found: Contents) -> list[str]:
    most = _MOST_MIB.get(service, 600)
    too_large = [f"larger than {most} MiB"] if found.size_mib > most else []
    return [*found.missing, *found.unwanted, *too_large]


def _run_apart(folder: Path) -> int:
    """This program once more, in a network that has no way out and no ports in use."""
    inside = {**os.environ, _INSIDE: "1", "IMAGES_CHECK_DIR": str(folder)}
    up = 'ip link set lo up && exec "$@"'
    command = ["unshare", "--net", "sh", "-c", up, "sh", sys.executable, "-m", "images"]
    return subprocess.run(command, env=inside, check=False).returncode


def _run(workshop: Workshop) -> int:
    with tempfile.TemporaryDirectory(prefix="images-run-") as made:
        folder = Path(made)
        folder.chmod(0o755)
        outcomes = asyncio.run(_asked(workshop, folder))
    for said, good in outcomes:
        _say(f"{'held    ' if good else 'NOT HELD'}  {said}")
    return int(not all(good for _, good in outcomes))


async def _asked(workshop: Workshop, folder: Path) -> tuple[tuple[str, bool], ...]:
    async with serve(workshop, folder) as running:
        for _ in range(_TRIES):
            turn = await _whole_turn(running)
            if turn[1]:
                break
        return turn, await _scripted_page(running)


async def _whole_turn(running: Running) -> tuple[str, bool]:
    begun = time.monotonic()
    async with running.client() as client:
        reply = await client.post("/v1/chat", json={"message": _QUESTION, "stream": False})
    turn = reply.json()
    cited = len(turn.get("citations") or ())
    if not cited:
        sys.stderr.write(f"{turn.get('answer')}\n")
    lost = turn.get("degraded") or []
    said = f"a turn: {reply.status_code}, {cited} citations, lost parts: {lost or 'none'}"
    took = f", {time.monotonic() - begun:.1f} s"
    return said + took, reply.status_code == 200 and cited > 0 and not lost


async def _scripted_page(running: Running) -> tuple[str, bool]:
    begun = time.monotonic()
    async with running.client() as client:
        reply = await client.post("/v1/fetch", json={"urls": [_SCRIPT_URL]})
    [page] = reply.json().get("results") or [{}]
    rendered = SCRIPTED in json.dumps(page) and page.get("method") == "browser"
    why = page.get("status") or reply.text[:300]
    said = f"a page that a script fills: {why} by {page.get('method')}"
    return f"{said}, {time.monotonic() - begun:.1f} s", rendered


if __name__ == "__main__":
    sys.exit(main())
