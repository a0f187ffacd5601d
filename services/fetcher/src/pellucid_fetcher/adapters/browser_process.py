"""The processes of one Chromium: found, watched, killed and buried as a group.

Playwright starts a browser in a process group of its own and tells nobody which; a flag that means
nothing to Chromium marks it. What has outlived its parent is adopted by this service, so that no
dead process stays behind where the first process of a container collects none.
"""

import asyncio
import ctypes
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_PR_SET_CHILD_SUBREAPER: Final = 36  # linux/prctl.h
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_BURIAL_S: Final = 2.0
_BURIAL_STEP_S: Final = 0.05
_PROC: Final = Path("/proc")
# Fields of /proc/<pid>/stat after the command's closing bracket: state, parent, group.
_STATE, _PARENT, _GROUP = 0, 1, 2


def adopt_orphans() -> None:
    """Become the parent of whatever a killed browser leaves behind; Linux only, else nothing."""
    try:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        return


def find_group(mark: str) -> int | None:
    """Return the process group of the browser that was started with a mark among its flags."""
    wanted = mark.encode()
    for entry in _processes():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if wanted in words and not any(word.startswith(b"--type=") for word in words):
            return _group_of(int(entry.name))
    return None


def memory_bytes(group: int) -> int:
    """Return what a group's processes hold for themselves, shared pages not counted."""
    return sum(_own_memory(entry) for entry, fields in _stats() if int(fields[_GROUP]) == group)


def is_alive(group: int) -> bool:
    """Tell whether the browser itself, the leader of its group, still runs."""
    try:
        text = (_PROC / str(group) / "stat").read_text("utf-8", "replace")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[_STATE] not in ("Z", "X")


def kill(group: int) -> None:
    """End a group at once."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def drivers() -> frozenset[int]:
    """Return the processes of Playwright's driver that this service has started."""
    own = str(os.getpid())
    return frozenset(
        int(entry.name)
        for entry, fields in _stats()
        if fields[_PARENT] == own and _is_driver(entry)
    )


def _is_driver(entry: Path) -> bool:
    try:
        return b"run-driver" in (entry / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def kill_tree(process: int) -> None:
    """End a process and all that it has started, which need not be a group of their own."""
    parents = {int(entry.name): int(fields[_PARENT]) for entry, fields in _stats()}
    tree = {process}
    while more := {child for child, parent in parents.items() if parent in tree} - tree:
        tree |= more
    for member in tree:
        with suppress(ProcessLookupError):
            os.kill(member, signal.SIGKILL)


async def bury(group: int) -> None:
    """Wait until nothing of a killed group is left, and collect what was adopted."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + _BURIAL_S
    while _collect_dead(group) and loop.time() < ends:  # noqa: ASYNC110 - the system sends no event
        await asyncio.sleep(_BURIAL_STEP_S)


def _collect_dead(group: int) -> bool:
    """Collect adopted dead browser processes; tell whether any of this group is left."""
    left = False
    for entry, fields in _stats():
        left |= int(fields[_GROUP]) == group
        adopted = fields[_STATE] == "Z" and int(fields[_PARENT]) == os.getpid()
        # Other children of this service are waited for by whoever started them.
        if adopted and _command(entry).startswith("chrom"):
            with suppress(ChildProcessError):
                os.waitpid(int(entry.name), os.WNOHANG)
    return left


def _command(entry: Path) -> str:
    try:
        return (entry / "comm").read_text("utf-8", "replace")
    except OSError:
        return ""


def _group_of(pid: int) -> int | None:
    """Return the group of a process that leads one; nothing for a stranger's."""
    try:
        return pid if os.getpgid(pid) == pid else None
    except ProcessLookupError:
        return None


def _processes() -> Iterator[Path]:
    return (
        (entry for entry in _PROC.iterdir() if entry.name.isdigit()) if _PROC.is_dir() else iter(())
    )


def _stats() -> Iterator[tuple[Path, list[str]]]:
    for entry in _processes():
        try:
            text = (entry / "stat").read_text("utf-8", "replace")
        except OSError:
            continue
        yield entry, text.rpartition(")")[2].split()


def _own_memory(entry: Path) -> int:
    try:
        resident, shared = map(int, (entry / "statm").read_text("ascii").split()[1:3])
    except (OSError, ValueError):
        return 0
    return max(0, resident - shared) * _PAGE_BYTES
