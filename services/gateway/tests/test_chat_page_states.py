"""The chat page when something is unusual: keys, a lost server, little motion; real Chromium."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from api_fakes import RESULT, FakeEngine, MakeApp
from playwright.async_api import Browser, Page, Route, expect

from pellucid_gateway.access.api_keys import ApiKey
from pellucid_gateway.domain.account import Degradation, Notice
from pellucid_gateway.domain.events import AnswerKind, Done, Noticed
from pellucid_gateway.domain.findings import ProviderStatus
from pellucid_runtime.http_server import HttpServer

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.timeout(120),
    pytest.mark.asyncio(loop_scope="session"),
]

QUESTION = "What is the latest toll for cars?"


async def ask(page: Page, question: str = QUESTION) -> None:
    await page.get_by_label("Your question").fill(question)
    await page.keyboard.press("Enter")


async def test_with_keys_on_a_key_is_asked_for_once(
    browser: Browser, make_app: MakeApp, engine: FakeEngine
) -> None:
    key = ApiKey("desk", None)
    app = make_app(find_key=lambda token: key if token == "plc_right" else None)
    server = HttpServer(app, "127.0.0.1", 0)
    await server.start()
    page = await browser.new_page()
    await page.goto(f"http://127.0.0.1:{server.port}/")
    await ask(page)

    dialog = page.locator("#key-dialog")
    await expect(dialog).to_be_visible()
    assert engine.turns == []
    await page.locator("#key").fill("plc_right")
    await page.keyboard.press("Enter")
    await expect(dialog).to_be_hidden()
    await expect(page.locator(".answer__foot")).to_have_count(1)
    await expect(page.locator(".question")).to_have_text(QUESTION)

    await ask(page, "And for bicycles?")
    await expect(page.locator(".answer__foot")).to_have_count(2)
    await expect(dialog).to_be_hidden()
    assert await page.evaluate("localStorage.length + document.cookie.length") == 0
    await page.close()
    await server.stop(0)


async def test_a_server_that_goes_away_is_told_and_what_was_read_stays(
    browser: Browser, make_app: MakeApp, engine: FakeEngine
) -> None:
    server = HttpServer(make_app(), "127.0.0.1", 0)
    await server.start()
    page = await browser.new_page()
    await page.goto(f"http://127.0.0.1:{server.port}/")
    engine.pause_s = 0.1
    engine.events = [*engine.events[:-1], *([engine.events[10]] * 200)]
    await ask(page)
    await expect(page.locator(".prose p").first).to_contain_text("Harbour Post")
    await server.stop(0)

    await expect(page.locator(".note--bad")).to_be_visible()
    await expect(page.get_by_role("button", name="Try again")).to_be_visible()
    await expect(page.locator(".prose p").first).to_contain_text("Harbour Post")
    await expect(page.locator(".answer")).to_have_attribute("aria-busy", "false")
    await page.close()


@pytest.mark.parametrize(
    ("code", "warned"),
    [
        ("page_unreachable", "provider brave, page reading"),
        ("web_unavailable", "page reading"),
        ("search_busy", "page reading"),
    ],
)
async def test_a_lost_web_is_told_once(
    page: Page, engine: FakeEngine, code: str, warned: str
) -> None:
    result = replace(
        RESULT,
        degraded=(Degradation("provider:brave", "timeout"), Degradation("fetcher", "gone")),
        notices=(Notice(code, "Told by the server."),),
    )
    engine.events = [*engine.events[:-1], Done(result)]
    await ask(page)

    warning = page.locator(".notes .is-warning")
    await expect(warning).to_have_text(f"This answer had to do without {warned}.")


@pytest.mark.parametrize(
    ("kind", "code", "shown"),
    [
        (
            AnswerKind.MODEL,
            "unconfirmed",
            "This answer had to do without the language model's help with the search.",
        ),
        (AnswerKind.EXTRACTIVE, "model_failed", "Told by the server."),
    ],
)
async def test_an_answer_of_the_model_never_says_that_it_did_without_it(
    page: Page, engine: FakeEngine, kind: AnswerKind, code: str, shown: str
) -> None:
    result = replace(
        RESULT,
        answer_kind=kind,
        degraded=(Degradation("llm", "unavailable"),),
        notices=(Notice(code, "Told by the server."),),
    )
    engine.events = [*engine.events[:9], *engine.events[10:-1], Done(result)]
    await ask(page)
    await expect(page.locator(".answer__foot")).to_be_visible()

    assert (await page.locator(".notes p:visible").all_inner_texts())[0] == shown


async def test_a_notice_that_the_answer_has_is_not_shown_twice(
    page: Page, engine: FakeEngine
) -> None:
    said = Notice("sources_disagree", "The council 👍 raised it by 20 cents.")
    heard = Notice("simple_decision", "A rule decided.")
    lost = (Degradation("decision", "late"), Degradation("fetcher", "gone"))
    result = replace(RESULT, notices=(said, heard), degraded=lost)
    engine.events = [*engine.events[:9], Noticed(said), *engine.events[10:-1], Done(result)]
    await ask(page)
    await expect(page.locator(".answer__foot")).to_be_visible()

    shown = await page.locator(".notes p:visible").all_inner_texts()
    assert shown == ["This answer had to do without page reading.", "A rule decided."]


async def test_sources_that_were_not_quoted_suggest_what_to_ask_next(
    page: Page, engine: FakeEngine
) -> None:
    await ask(page)
    suggested = page.get_by_role("group", name="Ask about").get_by_role("button")
    await expect(suggested).to_have_text([RESULT.sources[2].title])
    await suggested.click()
    await expect(page.locator(".answer__foot")).to_have_count(2)

    assert engine.turns[1].message == RESULT.sources[2].title


async def test_the_fast_model_suggests_and_what_it_is_sent_is_listed(
    browser: Browser, make_app: MakeApp
) -> None:
    server = HttpServer(make_app(fast_model="small"), "127.0.0.1", 0)
    await server.start()
    page = await browser.new_page()
    asked: list[dict[str, Any]] = []

    async def write(route: Route) -> None:
        asked.append(route.request.post_data_json)
        questions = {"questions": ["And at night?", 7, "See http://evil.example/", "x" * 200]}
        message = {"content": json.dumps(questions)}
        await route.fulfill(json={"choices": [{"message": message}]})

    await page.route("**/v1/chat/completions", write)
    await page.goto(f"http://127.0.0.1:{server.port}/")
    await page.wait_for_load_state("networkidle")
    await ask(page)

    suggested = page.get_by_role("group", name="Ask next").get_by_role("button")
    await expect(suggested).to_have_text(["And at night?"])
    assert (asked[0]["model"], asked[0]["pellucid"]) == ("small", {"web_mode": "off"})
    assert asked[0]["messages"][1]["content"] == f"{QUESTION}\n\n{RESULT.answer}"
    await page.get_by_role("button", name="Why this answer").click()
    await expect(page.get_by_role("dialog")).to_contain_text("small · prompt")
    await page.close()
    await server.stop(0)


FAILED = replace(RESULT.providers[0], status=ProviderStatus.FAILED)
WEB = replace(RESULT.providers[0], name="brave")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"providers": (WEB, RESULT.providers[0])}, "Searched the web · 1 query · 3 sources"),
        ({"providers": RESULT.providers}, "Searched local documents"),
        ({"providers": (FAILED,), "sources": ()}, "The search failed · 1 query"),
        ({"providers": (), "iterations": 0}, "Answered from earlier sources · 3 sources"),
        ({"providers": (), "iterations": 0, "sources": ()}, "Answered without a search"),
    ],
)
async def test_the_line_of_steps_says_what_happened(
    page: Page, engine: FakeEngine, changes: dict[str, Any], told: str
) -> None:
    engine.events = [*engine.events[:-1], Done(replace(RESULT, **changes))]
    await ask(page)
    await expect(page.locator(".answer__foot")).to_be_visible()

    await expect(page.locator(".steps__state")).to_contain_text(told)


async def test_who_wants_little_motion_sees_none(
    browser: Browser, address: str, engine: FakeEngine
) -> None:
    moving = "document.getAnimations().filter(a => a.effect.getTiming().duration > 1).length"
    engine.pause_s = 0.15
    counts = {}
    for wish in ("reduce", "no-preference"):
        context = await browser.new_context(reduced_motion=wish)
        page = await context.new_page()
        await page.goto(address)
        await ask(page)
        await expect(page.locator(".steps__state")).to_contain_text("Searching")
        counts[wish] = await page.evaluate(moving)
        await expect(page.locator(".answer__foot")).to_be_visible()
        await context.close()

    assert counts["reduce"] == 0
    assert counts["no-preference"] > 0


async def test_nothing_flickers_while_the_answer_comes(page: Page, engine: FakeEngine) -> None:
    """What was shown stays the same element in the same place until the end."""
    engine.pause_s = 0.05
    await page.evaluate(
        """() => {
          window.lost = [];
          new MutationObserver((all) => {
            for (const change of all)
              for (const node of change.removedNodes)
                if (node.matches?.(".turn, .question, .steps, .sources, .answer, .prose"))
                  window.lost.push(node.className);
          }).observe(document.body, { childList: true, subtree: true });
        }"""
    )
    await ask(page)
    await expect(page.locator(".prose p").first).to_be_visible()
    await page.evaluate("window.kept = document.querySelector('.prose p')")
    await expect(page.locator(".answer__foot")).to_be_visible()
    await asyncio.sleep(0.1)

    assert await page.evaluate("window.lost") == []
    assert await page.evaluate("window.kept.isConnected")
    assert RESULT.answer.split()[0].strip("*") in await page.locator(".prose").inner_text()
