"""The journeys of the chat page with the keyboard alone; real Chromium and a real store."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio
from kept_rig import KeptGateway, Plan, open_gateway
from playwright.async_api import Browser, Locator, Page, expect
from port_fakes import QUESTION

from pellucid_runtime.http_server import HttpServer
from rig.waiting import eventually

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.timeout(120),
    pytest.mark.asyncio(loop_scope="session"),
]

# More presses than the page has places to stop at: Tab has been round once.
MOST_STOPS = 60


@pytest_asyncio.fixture(loop_scope="session")
async def kept(tmp_path: Path) -> AsyncIterator[KeptGateway]:
    async with AsyncExitStack() as stack:
        yield await open_gateway(stack, Plan(tmp_path))


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser, kept: KeptGateway) -> AsyncIterator[Page]:
    """A page with one answer."""
    server = HttpServer(kept.app, "127.0.0.1", 0)
    await server.start()
    context = await browser.new_context()
    opened = await context.new_page()
    await opened.goto(f"http://127.0.0.1:{server.port}/")
    await opened.wait_for_load_state("networkidle")
    await expect(opened.get_by_label("Your question")).to_be_focused()
    await opened.keyboard.type(QUESTION)
    await opened.keyboard.press("Enter")
    await expect(opened.locator(".answer__foot")).to_be_visible()
    yield opened
    await context.close()
    await server.stop(0)


async def press(page: Page, target: Locator) -> None:
    """Go to something with Tab and press Enter there."""
    await expect(target).to_be_visible()
    for _ in range(MOST_STOPS):
        if await target.evaluate("all => all === document.activeElement"):
            break
        await page.keyboard.press("Tab")
    await expect(target).to_be_focused()
    await page.keyboard.press("Enter")


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


async def test_a_question_is_edited_and_sent_again(page: Page) -> None:
    await press(page, button(page, "Edit"))
    await expect(page.get_by_label("Edit the question")).to_be_focused()
    await page.keyboard.press("ControlOrMeta+A")
    await page.keyboard.type("And for ferries?")
    await page.keyboard.press("Enter")

    await expect(page.locator(".question")).to_have_text(["And for ferries?"])
    await expect(page.locator(".answer__foot")).to_be_visible()


async def test_an_answer_is_written_again(page: Page, kept: KeptGateway) -> None:
    await press(page, button(page, "Answer again"))
    await eventually(lambda: len(kept.rig.decision.calls) == 2)

    await expect(page.locator(".answer")).to_have_attribute("aria-busy", "false")
    await expect(page.locator(".answer__foot")).to_have_count(1)


async def test_an_answer_is_copied(page: Page) -> None:
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await press(page, button(page, "Copy"))

    await expect(page.locator("#announcer")).to_have_text("Copied")
    assert "4.50 crowns.[1]" in await page.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize("name", ["Why this answer", "Settings", "Conversations"])
async def test_a_dialog_gives_the_focus_back(page: Page, name: str) -> None:
    opener = button(page, name)
    await press(page, opener)
    await expect(page.locator("dialog[open]")).to_have_count(1)
    await page.keyboard.press("Escape")

    await expect(page.locator("dialog[open]")).to_have_count(0)
    await expect(opener).to_be_focused()


async def test_conversations_are_renamed_reopened_and_deleted(page: Page) -> None:
    await press(page, button(page, "New chat"))
    await expect(page.get_by_label("Your question")).to_be_focused()
    await press(page, button(page, "Conversations"))
    await press(page, button(page, f"Rename “{QUESTION}”"))
    await page.keyboard.type("Tolls")
    await page.keyboard.press("Enter")
    await press(page, page.get_by_role("link", name="Tolls"))
    await expect(page.locator(".question")).to_have_text(QUESTION)

    await press(page, button(page, "Conversations"))
    await press(page, button(page, "Delete “Tolls”"))
    await press(page, button(page, "Delete"))
    await expect(page.locator("#conversations")).to_have_text("No conversations yet.")
    await expect(page.locator("#menu-close")).to_be_focused()


async def test_the_dashboard_is_opened(page: Page) -> None:
    await press(page, button(page, "Conversations"))
    await press(page, page.get_by_role("link", name="Dashboard"))

    await page.wait_for_url("**/dashboard")
