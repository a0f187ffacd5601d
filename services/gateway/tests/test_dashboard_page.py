"""The dashboard in a real browser, with the numbers of a real gateway behind it."""

import re
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from axe_playwright_python.async_playwright import Axe
from kept_rig import Plan, open_gateway
from playwright.async_api import Browser, Page, expect
from port_fakes import QUESTION

from pellucid_gateway.access.api_keys import ApiKey
from pellucid_runtime.http_server import HttpServer

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.timeout(120),
    pytest.mark.asyncio(loop_scope="session"),
]


async def _served(stack: AsyncExitStack, plan: Plan) -> str:
    gateway = await open_gateway(stack, plan)
    async with gateway.client(headers={"authorization": "Bearer k"}) as http:
        for _ in range(3):
            await http.post("/v1/chat", json={"message": QUESTION, "user_id": "ada"})
    await gateway.kept.counting.flush()
    server = HttpServer(gateway.app, "127.0.0.1", 0)
    await server.start()
    stack.push_async_callback(server.stop)
    return f"http://127.0.0.1:{server.port}/dashboard"


async def _tiles(page: Page) -> dict[str, str]:
    await page.wait_for_selector(".tile")
    names = await page.locator(".tile dt").all_inner_texts()
    values = await page.locator(".tile dd").all_inner_texts()
    return {name: value.split("\n")[0] for name, value in zip(names, values, strict=True)}


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (360, "dark")])
async def test_it_shows_the_last_day_to_everybody(
    tmp_path: Path, browser: Browser, width: int, theme: str
) -> None:
    async with AsyncExitStack() as stack:
        address = await _served(stack, Plan(tmp_path))
        viewport = {"width": width, "height": 800}
        page = await browser.new_page(viewport=viewport, color_scheme=theme)  # type: ignore[arg-type]
        troubles: list[str] = []
        page.on("console", lambda message: troubles.append(message.text))
        await page.goto(address)
        tiles = await _tiles(page)
        charts = await page.locator("svg.chart[role=img]").count()
        wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        violations = (await Axe().run(page)).response["violations"]
        await page.close()

    assert tiles["Turns"] == tiles["Searches"] == "3"
    assert tiles["Turns that searched"] == "100 %"
    assert tiles["Relevance of sources"] == "0.80"
    assert tiles["Citations confirmed"] == "–", "no judge read the excerpts"
    assert charts >= 3
    assert wider <= 0
    assert [violation["id"] for violation in violations] == []
    assert troubles == []


async def test_a_reader_of_korean_finds_no_english(tmp_path: Path, browser: Browser) -> None:
    async with AsyncExitStack() as stack:
        address = await _served(stack, Plan(tmp_path))
        page = await browser.new_page(locale="ko-KR")
        await page.goto(address)
        await _tiles(page)
        shown = [await page.title(), await page.locator("main").inner_text()]
        shown += await page.locator("[aria-label]").evaluate_all(
            "all => all.map((node) => node.getAttribute('aria-label'))"
        )
        await page.close()

    # Of this page English are names of providers and components, and the beginnings of ids.
    own = {"Pellucid", "CSV", "ms", "brave", "local"}
    ids = re.compile(r"\b(?=\w*\d)[0-9a-f]{8}\b|p\d\d")
    assert set(re.findall(r"[A-Za-z]{2,}", ids.sub("", " ".join(shown)))) <= own


async def test_it_asks_for_a_key_and_refreshes_by_itself(tmp_path: Path, browser: Browser) -> None:
    keys = {"k": ApiKey("k", None)}
    async with AsyncExitStack() as stack:
        address = await _served(stack, Plan(tmp_path, find_key=keys.get))
        page = await browser.new_page()
        await page.clock.install()
        await page.goto(address)
        await page.get_by_label("This dashboard needs a key").fill("k")
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".tile")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        async with page.expect_response("**/v1/stats/turns**"):
            await page.clock.fast_forward(11_000)
        form = await page.locator("#key-form").is_visible()
        await page.close()

    assert not form
    assert [url.rpartition("/v1/")[2] for url in asked] == ["stats", "stats/turns?of=slow"]


async def test_a_number_leads_to_the_turns_behind_it(tmp_path: Path, browser: Browser) -> None:
    async with AsyncExitStack() as stack:
        address = await _served(stack, Plan(tmp_path))
        page = await browser.new_page()
        await page.goto(address)
        rows = page.locator("#behind tbody tr")
        await expect(rows).to_have_count(3)
        evidence = await rows.first.get_by_role("link").get_attribute("href")
        async with page.expect_download() as saved:
            await page.get_by_role("button", name="Save as CSV").click()
        text = (await (await saved.value).path()).read_text("utf-8")
        await page.get_by_label("Turns to list").select_option("degraded")
        await expect(page.locator("#behind .none")).to_be_visible()
        await page.close()

    assert evidence is not None
    assert evidence.startswith("v1/evidence/")
    head, *lines = text.splitlines()
    assert head.startswith("evidence_id,at,searched")
    assert len(lines) == 3
    assert QUESTION not in text
