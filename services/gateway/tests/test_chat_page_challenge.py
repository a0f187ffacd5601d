"""The challenge on the chat page, with the keyboard alone; real Chromium, gate and verifier."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from challenge_vendor import SECRET, SITE_KEY, Vendor, open_vendor
from kept_rig import KeptGateway, Plan, open_gateway
from playwright.async_api import Browser, Page, Request, expect
from port_fakes import QUESTION
from test_chat_page import ask, violations
from test_chat_page_keyboard import button, press

from pellucid_runtime.http_server import HttpServer
from rig.waiting import eventually

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.timeout(120),
    pytest.mark.asyncio(loop_scope="session"),
]


@dataclass(eq=False, repr=False)
class Visit:
    """A suspected person's page, and what it asked for."""

    page: Page
    gateway: KeptGateway
    vendor: Vendor
    requested: list[Request] = field(default_factory=list)

    def note(self, request: Request) -> None:
        self.requested.append(request)

    @property
    def solutions(self) -> list[str]:
        """Answers of challenges that were sent along with a question."""
        headers = (request.headers for request in self.requested)
        return [sent["x-pellucid-challenge"] for sent in headers if "x-pellucid-challenge" in sent]

    @property
    def foreign(self) -> list[str]:
        """What the page loaded from elsewhere than the gateway."""
        own = self.page.url.partition("#")[0]
        return [request.url for request in self.requested if not request.url.startswith(own)]

    async def answered(self) -> None:
        await expect(self.page.locator(".answer__foot")).to_be_visible()
        await expect(self.page.locator(".question")).to_have_text([QUESTION])


@pytest_asyncio.fixture(loop_scope="session")
async def vendor() -> AsyncIterator[Vendor]:
    async with open_vendor() as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session", params=["/api.js"])
async def visit(
    request: pytest.FixtureRequest, browser: Browser, vendor: Vendor, tmp_path: Path
) -> AsyncIterator[Visit]:
    """The page with a question that met a challenge; what its policy refuses is trouble."""
    script = {"gateway_challenge_script": vendor.address + request.param} if request.param else {}
    settings = {**vendor.settings, **script, "gateway_suspicion_threshold": 0.05}
    async with AsyncExitStack() as stack:
        gateway = await open_gateway(stack, Plan(tmp_path, settings=settings))
        server = HttpServer(gateway.app, "127.0.0.1", 0)
        await server.start()
        address = f"http://127.0.0.1:{server.port}/"
        async with httpx.AsyncClient(base_url=address) as http:
            while (await http.post("/v1/chat", json={"message": QUESTION})).status_code == 200:
                pass  # a person is not suspected for asking a few times
        page = await (await browser.new_context()).new_page()
        trouble: list[str] = []
        page.on("console", lambda m: trouble.append(m.text) if "Policy" in m.text else None)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        opened = Visit(page, gateway, vendor)
        page.on("request", opened.note)
        await page.goto(address)
        await page.wait_for_load_state("networkidle")
        assert opened.foreign == []
        await ask(page, QUESTION)
        yield opened
        await page.context.close()
        await server.stop(0)
        assert trouble == []


async def solve(page: Page, name: str = "I am a person") -> None:
    """Go on with Tab into the widget, which takes a moment to come, and press a button there."""
    await press(page, page.frame_locator("iframe").get_by_role("button", name=name))


async def test_the_same_question_is_sent_again_once_the_challenge_is_solved(visit: Visit) -> None:
    page = visit.page
    challenge = page.get_by_role("region", name="Check that you are not a program")
    await expect(challenge).to_contain_text("your question is then sent again")
    await expect(challenge.locator("p")).to_be_focused()
    assert await violations(page) == []
    before = len(visit.gateway.rig.decision.calls)
    await solve(page)
    await visit.answered()

    assert visit.solutions == ["right"]
    assert visit.vendor.site_keys == [SITE_KEY]
    assert [(form["secret"], form["response"]) for form in visit.vendor.forms] == [
        (SECRET, "right")
    ]
    assert len(visit.gateway.rig.decision.calls) == before + 1


async def test_a_refused_answer_is_told_and_never_sent_again_by_itself(visit: Visit) -> None:
    visit.vendor.tokens.append("wrong")
    page = visit.page
    await solve(page)
    await expect(page.locator(".challenge")).to_contain_text("The check was not accepted.")
    assert visit.solutions == ["wrong"]
    await press(page, button(page, "Try again"))
    await solve(page)
    await visit.answered()

    assert visit.solutions == ["wrong", "right"]


async def test_an_expired_challenge_is_begun_anew(visit: Visit) -> None:
    page = visit.page
    await solve(page, "Wait too long")
    await expect(page.locator(".challenge p")).to_have_text("The check expired. Try again.")
    await expect(page.locator(".challenge p")).to_be_focused()
    await press(page, button(page, "Try again"))
    await solve(page)

    await visit.answered()


@pytest.mark.parametrize("visit", ["/none.js"], indirect=True)
async def test_a_script_that_does_not_come_is_told_with_its_host(visit: Visit) -> None:
    page = visit.page
    host = visit.vendor.address.removeprefix("http://")
    told = page.locator(".challenge p")
    await expect(told).to_contain_text(f"The check of {host} could not be shown.")
    assert await violations(page) == []
    await press(page, button(page, "Try again"))
    await eventually(lambda: len(visit.foreign) == 2)
    await expect(button(page, "Try again")).to_be_visible()

    await expect(told).to_contain_text("could not be shown")


@pytest.mark.parametrize("visit", [""], indirect=True)
async def test_without_a_script_the_page_says_how_long_to_wait(visit: Visit) -> None:
    page = visit.page
    told = page.locator(".challenge p")
    await expect(told).to_contain_text("Wait ten minutes")
    await expect(told).to_contain_text("GATEWAY_CHALLENGE_SCRIPT")
    assert await violations(page) == []
    await press(page, button(page, "Try again"))
    await expect(page.locator(".turn")).to_have_count(1)
    await expect(told).to_be_focused()

    assert visit.foreign == []
