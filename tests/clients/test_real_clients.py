"""Clients of other products, pinned and in environments of their own, against the gateway.

Each script runs its checks and prints one line for each; all of them hold.
"""

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from scripted_gateway import opened_gateway

HERE = Path(__file__).parent
PYTHON = HERE.parents[1] / ".venv-clients/bin/python"
BY_NPM = HERE.glob("npm/*_client.mjs") if (HERE / "npm/node_modules").is_dir() else ()
SCRIPTS = sorted((*HERE.glob("pypi/*_client.py"), *BY_NPM))

pytestmark = [pytest.mark.clients, pytest.mark.timeout(300)]


BARE = {name: value for name, value in os.environ.items() if "PROXY" not in name.upper()}
STARTS_WITHIN_S = 240
THROUGH_LITELLM = (
    "check_chat_with_annotations",
    "check_chat_stream",
    "check_a_message_that_needs_no_search",
    "check_responses_with_the_tool",
    "check_errors_keep_status_code_and_wait",
)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
async def test_a_client_works(gateway: str, script: Path) -> None:
    await _holds(script.stem, script, gateway)


async def test_litellm_stands_in_front(gateway: str, tmp_path: Path) -> None:
    async with _litellm(f"{gateway}/v1", tmp_path) as proxy:
        await _holds("litellm in front", HERE / "pypi/openai_client.py", proxy, *THROUGH_LITELLM)


async def test_litellm_stands_behind(model: str, tmp_path: Path) -> None:
    async with _litellm(model, tmp_path) as proxy, opened_gateway(f"{proxy}/v1") as gateway:
        await _holds("litellm behind", HERE / "pypi/openai_client.py", gateway, *THROUGH_LITELLM)


async def _holds(name: str, script: Path, *arguments: str) -> None:
    """Run the checks of a script; all of them hold, or those that are named."""
    process = await asyncio.create_subprocess_exec(
        "node" if script.suffix == ".mjs" else str(PYTHON),
        str(script),
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=BARE | {"OPENAI_AGENTS_DISABLE_TRACING": "1", "AI_SDK_LOG_WARNINGS": "false"},
    )
    output, _ = await process.communicate()
    told = output.decode()
    held = [line for line in told.splitlines() if line.startswith("holds: ")]
    failed = [line for line in told.splitlines() if line.startswith("fails: ")]
    sys.stdout.write(f"{name}: {len(held)} of {len(held) + len(failed)}\n")

    assert process.returncode == 0, told
    assert held, told
    assert failed == [], told


@asynccontextmanager
async def _litellm(base: str, folder: Path) -> AsyncIterator[str]:
    """Run LiteLLM's proxy before a server that speaks OpenAI's API; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    there = {"model": "openai/*", "api_base": base, "api_key": "key", "max_retries": 0}
    config = folder / "litellm.json"
    listed = [{"model_name": "*", "litellm_params": there}]
    settings = {"model_list": listed, "litellm_settings": {"num_retries": 0}}
    config.write_text(json.dumps(settings), "utf-8")
    with (folder / "litellm.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            str(PYTHON.with_name("litellm")),
            *("--config", str(config), "--host", "127.0.0.1", "--port", str(port)),
            *("--telemetry", "False"),
            stdout=log,
            stderr=log,
            env=BARE,
        )
    try:
        await _answers(f"http://127.0.0.1:{port}/health/liveliness")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.wait()


async def _answers(url: str) -> None:
    """Wait until a server answers."""
    async with asyncio.timeout(STARTS_WITHIN_S), httpx.AsyncClient(trust_env=False) as client:
        while True:
            try:
                if (await client.get(url)).is_success:
                    return
            except httpx.TransportError:
                await asyncio.sleep(0.5)
