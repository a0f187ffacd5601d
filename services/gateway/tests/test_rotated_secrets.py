"""A model server's key that is replaced in its file is used with the next request."""

import asyncio
import os
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from aiohttp import web

from pellucid_gateway.adapters.model_server import open_model_server
from pellucid_gateway.settings import GatewaySettings
from pellucid_runtime.settings import load_settings

WITHIN_S = 30.0


async def test_a_rotated_key_needs_no_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    async def models(request: web.Request) -> web.Response:
        seen.append(request.headers.get("authorization", ""))
        return web.json_response({"data": []})

    app = web.Application()
    app.router.add_get("/v1/models", models)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    path = tmp_path / "openai_api_key"
    path.write_text("first", encoding="utf-8")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("SECRETS_DIR", str(tmp_path))
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{runner.addresses[0][1]}/v1")
    try:
        async with AsyncExitStack() as stack, asyncio.timeout(WITHIN_S):
            server = await open_model_server(load_settings(GatewaySettings), stack)
            assert server is not None
            await server.models()
            path.write_text("second", encoding="utf-8")
            os.utime(path, (1, 1))
            while seen[-1] != "Bearer second":
                await server.models()
                await asyncio.sleep(0.1)
    finally:
        await runner.cleanup()

    assert seen[0] == "Bearer first"
