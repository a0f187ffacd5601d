"""Files on the chat page: attached, shown by name, sent with each question, gone with the tab."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio
from kept_rig import KeptGateway, Plan, open_gateway
from playwright.async_api import Browser, Page, expect
from port_fakes import FakeDecision, FakeFetcher, FakeModel, answer_decision
from turn_fakes import Rig

from pellucid_gateway.domain.attachment import MOST_BYTES, Attachment
from pellucid_gateway.domain.decision import Action
from pellucid_runtime.http_server import HttpServer

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.timeout(120),
    pytest.mark.asyncio(loop_scope="session"),
]

TEXT = "The repair of the chapel roof costs 18,400 crowns."
FILE = Attachment("minutes.txt", TEXT.encode())
CHOSEN = {"name": FILE.name, "mimeType": "text/plain", "buffer": FILE.content}


@pytest_asyncio.fixture(loop_scope="session")
async def kept(tmp_path: Path) -> AsyncIterator[KeptGateway]:
    rig = Rig(
        decision=FakeDecision(replace(answer_decision(), action=Action.FETCH, urls=(FILE.url,))),
        fetcher=FakeFetcher(texts={FILE.url: TEXT}),
        model=FakeModel(pieces=("It costs 18,400 crowns [1].",)),
    )
    async with AsyncExitStack() as stack:
        yield await open_gateway(stack, Plan(tmp_path, rig=rig))


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


async def attach(page: Page, *files: object) -> None:
    await page.locator("#files").set_input_files(list(files))


async def ask(page: Page, question: str) -> None:
    await page.get_by_label("Your question").fill(question)
    await page.keyboard.press("Enter")
    await expect(page.locator(".turn:last-child .answer__foot")).to_be_visible()


async def test_a_file_goes_along_and_is_a_source_by_its_name(page: Page, kept: KeptGateway) -> None:
    async with page.expect_file_chooser():
        await page.get_by_role("button", name="Attach a text or PDF").press("Enter")
    await attach(page, CHOSEN)
    await expect(page.locator("#attached li")).to_have_text([FILE.name])
    await ask(page, "What does the roof cost?")

    await expect(page.locator("#attached li")).to_have_count(0)
    await expect(page.locator(".asked .files li")).to_have_text([FILE.name])
    await expect(page.locator(".question")).to_have_text("What does the roof cost?")
    await expect(page.locator(".source")).to_contain_text(f"1. {FILE.name}")
    await expect(page.locator(".source__meta")).to_have_text("Attachment")
    await expect(page.locator(".source a, .passage a")).to_have_count(0)
    assert "attachment.invalid" not in await page.locator("body").inner_text()

    await ask(page, "and who decided that?")
    assert [call.attachments for call in kept.rig.fetcher.calls] == [(FILE,), (FILE,)]
    assert kept.rig.decision.calls[-1].history[-1].about_named_page


async def test_it_stays_with_its_question_when_that_is_asked_again(
    page: Page, kept: KeptGateway
) -> None:
    await attach(page, CHOSEN)
    await ask(page, "What does the roof cost?")
    await page.get_by_role("button", name="Answer again").click()
    await expect(page.locator(".turn .answer__foot")).to_have_count(1)
    await expect(page.locator(".asked .files li")).to_have_text([FILE.name])

    assert [call.attachments for call in kept.rig.fetcher.calls] == [(FILE,), (FILE,)]


async def test_after_a_reload_it_is_gone_and_that_is_told(page: Page, kept: KeptGateway) -> None:
    await attach(page, CHOSEN)
    await ask(page, "What does the roof cost?")
    await page.reload()
    await expect(page.locator(".asked .files li")).to_have_text(["Attachment"])
    await expect(page.locator(".question")).to_have_text("What does the roof cost?")
    await ask(page, "and who decided that?")

    await expect(page.locator(".turn:last-child .notes").first).to_contain_text("Attach it again")
    assert len(kept.rig.fetcher.calls) == 1


async def test_it_can_be_taken_away_and_what_is_too_much_is_told(page: Page) -> None:
    await attach(page, CHOSEN)
    large = {"name": "large.txt", "mimeType": "text/plain", "buffer": bytes(MOST_BYTES)}
    await attach(page, large)
    await expect(page.locator("#composer-note")).to_contain_text("10 MB together")
    await attach(page, *(CHOSEN | {"name": f"{n}.txt"} for n in range(3)))
    await expect(page.locator("#composer-note")).to_contain_text("At most 3 files")
    await expect(page.locator("#attached li")).to_have_text([FILE.name])

    await page.get_by_role("button", name=f"Remove “{FILE.name}”").press("Enter")
    await expect(page.locator("#attached li")).to_have_count(0)
    await expect(page.get_by_role("button", name="Attach a text or PDF")).to_be_focused()


async def test_a_dropped_file_is_attached(page: Page) -> None:
    await page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["High water"], "tides.md"));
          const how = { dataTransfer: data, bubbles: true, cancelable: true };
          document.querySelector("#question").dispatchEvent(new DragEvent("drop", how));
        }"""
    )
    await expect(page.locator("#attached li")).to_have_text(["tides.md"])
