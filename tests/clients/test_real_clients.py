"""Clients of other products, pinned and in environments of their own, against the gateway.

Each script runs its checks and prints one line for each; all of them hold.
"""

import asyncio
import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PYTHON = HERE.parents[1] / ".venv-clients/bin/python"
BY_NPM = HERE.glob("npm/*_client.mjs") if (HERE / "npm/node_modules").is_dir() else ()
SCRIPTS = sorted((*HERE.glob("pypi/*_client.py"), *BY_NPM))

pytestmark = [pytest.mark.clients, pytest.mark.timeout(300)]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
async def test_a_client_works(gateway: str, script: Path) -> None:
    program = "node" if script.suffix == ".mjs" else str(PYTHON)
    bare = {name: value for name, value in os.environ.items() if "PROXY" not in name.upper()}
    process = await asyncio.create_subprocess_exec(
        program,
        str(script),
        gateway,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=bare | {"OPENAI_AGENTS_DISABLE_TRACING": "1", "AI_SDK_LOG_WARNINGS": "false"},
    )
    output, _ = await process.communicate()
    told = output.decode()
    held = [line for line in told.splitlines() if line.startswith("holds: ")]
    failed = [line for line in told.splitlines() if line.startswith("fails: ")]
    sys.stdout.write(f"{script.stem}: {len(held)} of {len(held) + len(failed)}\n")

    assert process.returncode == 0, told
    assert held, told
    assert failed == [], told
