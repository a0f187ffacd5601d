"""Conversations on the chat page, kept by a real store; real Chromium."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio
from kept_rig import KeptGateway, Plan, open_gateway
from playwright.async_api import Browser, Page, expect
from port_fakes import QUESTION

from pellucid_runtime.http_server import HttpServer

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.timeout(120),
    pytest.mark.asyncio(loop_scope="session"),
]

FURTHER = "and for trucks?"


@pytest_asyncio.fixture(loop_scope="session")
async def kept(tmp_path: Path) -> AsyncIterator[KeptGateway]:
    async with AsyncExitStack() as stack:
        yield await open_gateway(stack, Plan(tmp_path))


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser, kept: KeptGateway) -> AsyncIterator[Page]:
    server = HttpServer(kept.app, "127.0.0.1", 0)
    await server.start()
    context = await browser.new_context()
    opened = await context.new_page()
    trouble: list[str] = []
    opened.on("pageerror", lambda error: trouble.append(str(error)))
    await opened.goto(f"http://127.0.0.1:{server.port}/")
    await opened.wait_for_load_state("networkidle")
    yield opened
    await context.close()
    await server.stop(0)
    assert trouble == []


async def ask(page: Page, question: str = QUESTION) -> None:
    await expect(page.locator("dialog[open]")).to_have_count(0)
    await page.get_by_label("Your question").fill(question)
    await page.keyboard.press("Enter")
    await expect(page.locator(".turn:last-child .answer__foot")).to_be_visible()


async def open_menu(page: Page) -> None:
    await page.get_by_role("button", name="Conversations").click()


def questions(kept: KeptGateway) -> list[str]:
    """What the last decision knew of the conversation."""
    return [message.content for message in kept.rig.decision.calls[-1].history]


async def test_a_reload_shows_the_conversation_with_its_citations(
    page: Page, kept: KeptGateway
) -> None:
    await ask(page)
    await ask(page, FURTHER)
    shown = page.locator(".turn .prose, .turn .source")
    before = await shown.all_inner_texts()
    await page.reload()

    await expect(page.locator(".question").first).to_have_text(QUESTION)
    await expect(shown).to_have_text(before, use_inner_text=True)
    await expect(page.locator(".steps__state").first).to_contain_text("3 sources")
    await page.locator(".cite").first.click()
    await expect(page.locator("#passage")).to_contain_text("4.50 crowns")
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Why this answer").first.click()
    await expect(page.get_by_role("dialog")).to_contain_text("Skerry Bridge toll cars")
    await page.keyboard.press("Escape")
    await ask(page, "and for bicycles?")
    assert len(questions(kept)) == 4


async def test_conversations_are_opened_renamed_and_deleted(page: Page) -> None:
    await ask(page)
    await page.get_by_role("button", name="New chat").click()
    await expect(page.locator(".turn")).to_have_count(0)
    await ask(page, "Another matter")

    await open_menu(page)
    rows = page.locator(".conversation b")
    await expect(rows).to_have_text(["Another matter", QUESTION])
    await page.get_by_role("button", name=f"Rename “{QUESTION}”").click()
    await page.keyboard.type("Tolls")
    await page.keyboard.press("Enter")
    await expect(rows).to_have_text(["Another matter", "Tolls"])
    await page.get_by_role("link", name="Tolls").click()
    await expect(page.locator(".question")).to_have_text(QUESTION)

    await open_menu(page)
    await page.get_by_role("button", name="Delete “Tolls”").click()
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(rows).to_have_text(["Another matter"])
    await page.keyboard.press("Escape")
    await expect(page.locator("#welcome")).to_be_visible()
    await page.reload()
    await expect(page.locator(".turn")).to_have_count(0)


async def test_going_back_opens_the_conversation_before(page: Page) -> None:
    await ask(page)
    await page.get_by_role("button", name="New chat").click()
    await page.go_back()

    await expect(page.locator(".question")).to_have_text(QUESTION)


async def test_a_question_is_edited_and_what_followed_is_forgotten(
    page: Page, kept: KeptGateway
) -> None:
    await ask(page)
    await ask(page, FURTHER)
    await page.get_by_role("button", name="Edit", exact=True).first.click()
    field = page.get_by_label("Edit the question")
    await expect(field).to_be_focused()
    await field.fill("And for ferries?")
    await page.keyboard.press("Enter")
    await expect(page.locator(".turn .answer__foot")).to_have_count(1)

    assert questions(kept) == []
    await page.reload()
    await expect(page.locator(".question")).to_have_text(["And for ferries?"])


async def test_an_edit_is_given_up_with_escape(page: Page) -> None:
    await ask(page)
    edit = page.get_by_role("button", name="Edit", exact=True)
    await edit.click()
    await page.keyboard.type(" now")
    await page.keyboard.press("Escape")

    await expect(page.locator(".question")).to_have_text(QUESTION)
    await expect(edit).to_be_focused()


async def test_an_answer_is_written_again_in_its_place(page: Page, kept: KeptGateway) -> None:
    await ask(page)
    await ask(page, FURTHER)
    await page.get_by_role("button", name="Answer again").last.click()
    await expect(page.locator(".turn .answer__foot")).to_have_count(2)

    assert len(kept.rig.decision.calls) == 3
    assert len(questions(kept)) == 2
    await page.reload()
    await expect(page.locator(".question")).to_have_text([QUESTION, FURTHER])


async def test_an_answer_is_copied_with_its_citations_and_sources(page: Page) -> None:
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await ask(page)
    await page.get_by_role("button", name="Copy", exact=True).click()
    copied = await page.evaluate("navigator.clipboard.readText()")

    assert copied == (
        "The toll is 4.50 crowns.[1]\n\nSources:\n\n"
        "1. [Skerry Bridge page 1](<http://harbourpost.example/page-1>) "
        "(harbourpost.example, Oct 3, 2026)"
    )


async def test_a_conversation_is_downloaded_as_markdown(page: Page) -> None:
    await ask(page)
    async with page.expect_download() as coming:
        await page.get_by_role("button", name="Download the conversation").click()
    download = await coming.value
    text = (await download.path()).read_text("utf-8")

    assert download.suggested_filename == "pellucid.md"
    assert text.startswith(f"# {QUESTION}\n\n## {QUESTION}\n\nThe toll is 4.50 crowns.[1]")
    assert "(<http://harbourpost.example/page-1>)" in text


async def test_sources_are_preferred_and_avoided(page: Page) -> None:
    await ask(page)
    await page.get_by_text("How it scored").first.click()
    prefer = page.get_by_role("button", name="Prefer harbourpost.example")
    await prefer.click()
    await expect(prefer).to_have_attribute("aria-pressed", "true")

    await page.get_by_role("button", name="Settings").click()
    listed = page.locator("#stances li")
    await expect(listed).to_have_text(["harbourpost.examplePrefer"])
    await page.get_by_label("Site", exact=True).fill("not a host")
    await page.get_by_role("button", name="Add", exact=True).click()
    await expect(page.get_by_role("alert")).to_contain_text("domain")
    await page.get_by_label("Site", exact=True).fill("Tabloid.example")
    await page.get_by_label("What you think of it").select_option("Avoid")
    await page.get_by_role("button", name="Add", exact=True).click()
    await expect(listed).to_have_text(["tabloid.exampleAvoid", "harbourpost.examplePrefer"])
    await expect(page.get_by_role("alert")).to_be_empty()
    await page.get_by_role("button", name="Delete “harbourpost.example”").click()
    await expect(listed).to_have_text(["tabloid.exampleAvoid"])


async def test_everything_that_is_kept_is_deleted_after_a_question(page: Page) -> None:
    await ask(page)
    await expect(page).to_have_title(f"{QUESTION} · Pellucid")
    await page.get_by_role("button", name="Settings").click()
    forget = page.get_by_role("button", name="Delete everything kept about me")
    await forget.click()
    await expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(forget).to_be_focused()
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Delete", exact=True).click()

    await expect(page.locator("#welcome")).to_be_visible()
    await open_menu(page)
    await expect(page.locator("#conversations")).to_have_text("No conversations yet.")
