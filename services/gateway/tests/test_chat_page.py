"""The chat page in a real Chromium, against a scripted engine."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from api_fakes import RESULT, FakeEngine, MakeApp, forced_events, turn_events
from playwright.async_api import Browser, Page, expect

from pellucid_gateway.domain.citation import CitationCheck, Span
from pellucid_gateway.domain.decision import WebMode
from pellucid_gateway.domain.events import Delta, Done, Failed
from pellucid_gateway.domain.request import Depth
from pellucid_runtime.http_server import HttpServer

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.timeout(120),
    pytest.mark.asyncio(loop_scope="session"),
]

PHONE = {"width": 360, "height": 720}
QUESTION = "What is the latest toll for cars?"


async def ask(page: Page, question: str = QUESTION) -> None:
    await expect(page.locator("dialog[open]")).to_have_count(0)
    await page.get_by_label("Your question").fill(question)
    await page.keyboard.press("Enter")


async def test_a_question_shows_steps_then_the_answer_with_sources(
    page: Page, engine: FakeEngine
) -> None:
    engine.pause_s = 0.08
    await ask(page)

    await expect(page.locator(".steps__state")).to_contain_text("Searching")
    await expect(page.locator(".steps q").first).to_have_text("Skerry Bridge car toll 2026")
    await expect(page.get_by_role("button", name="Stop the answer")).to_be_visible()
    await expect(page.locator(".answer")).to_have_attribute("aria-busy", "false")
    await expect(page.locator(".prose p")).to_contain_text("rose to 4.20 on 1 March 2026.")
    await expect(page.locator(".prose strong")).to_have_text("Harbour Post")
    await expect(page.locator(".prose ul > li")).to_have_count(2)
    await expect(page.locator(".source")).to_have_count(3)
    await expect(page.locator(".steps__state")).to_contain_text("3 sources")
    await expect(page.get_by_text("do without provider brave")).to_be_visible()
    await expect(page.get_by_role("button", name="Send the question")).to_be_visible()


async def test_text_from_outside_is_never_markup(page: Page, engine: FakeEngine) -> None:
    evil = "<img src=x onerror=alert(1)> [link](javascript:alert(1)) ![i](http://evil.example/x) "
    foreign = "[away](http://evil.example/) [here](http://harbourpost.localhost:8099/toll)"
    answer = evil + foreign
    engine.events = [
        *turn_events()[:9],
        Delta(answer),
        Done(replace(RESULT, answer=answer, citations=())),
    ]
    await ask(page)
    await expect(page.locator(".answer__foot")).to_be_visible()

    assert await page.locator(".prose img, .prose script").count() == 0
    links = await page.locator(".prose a").evaluate_all("all => all.map(a => a.href)")
    assert links == ["http://harbourpost.localhost:8099/toll"]
    await expect(page.locator(".source__title").nth(2)).to_contain_text("<b>Skerry</b> Bridge")


async def test_a_citation_stands_behind_the_marks_that_close_its_claim(
    page: Page, engine: FakeEngine
) -> None:
    quoted = [
        "„Die Maut stieg.“",
        "“The toll rose.”",
        "« Le péage monte.\u00a0»",
        "「橋は開いた。」",
    ]
    answer = "\n\n".join(quoted)
    ends = [answer.index(mark) for mark in (".“", ".”", ".\u00a0»", "。」")]
    citations = tuple(replace(RESULT.citations[0], start=end - 2, end=end) for end in ends)
    engine.events = [
        *turn_events()[:9],
        Delta(answer),
        Done(replace(RESULT, answer=answer, citations=citations)),
    ]
    await ask(page)
    await expect(page.locator(".answer__foot")).to_be_visible()

    paragraphs = await page.locator(".prose p").all_text_contents()
    assert [text.rstrip("\u20600123456789") for text in paragraphs] == quoted
    assert all(text[-1].isdigit() for text in paragraphs)


async def test_citations_show_their_passage_to_mouse_and_keyboard(page: Page) -> None:
    await ask(page)
    await expect(page.locator(".answer__foot")).to_be_visible()
    chips = page.locator(".cite")
    await expect(chips).to_have_count(2)
    passage = page.locator("#passage")

    await chips.nth(1).hover()
    await expect(passage).to_contain_text("raised the car toll by 20 cents")
    lit = page.locator(".claim.is-lit")
    assert "".join(await lit.all_inner_texts()) == "The council 👍 raised it by 20 cents."
    await page.mouse.move(5, 400)
    await expect(passage).to_be_hidden()

    await chips.first.focus()
    await page.keyboard.press("Enter")
    await expect(passage).to_contain_text("Bridge toll rises to 4.20 in March")
    await expect(chips.first).to_have_attribute("aria-expanded", "true")
    await page.keyboard.press("Tab")
    await expect(passage.get_by_role("link")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(passage).to_be_hidden()


async def test_what_was_not_judged_and_what_no_source_says_look_different(
    page: Page, engine: FakeEngine
) -> None:
    first, second = RESULT.citations
    judged = (replace(first, check=CitationCheck.SUPPORTED), second)
    answer = f"{RESULT.answer}\n\nFerries are free."
    loose = Span(len(answer) - len("Ferries are free."), len(answer) - 1)
    result = replace(RESULT, answer=answer, citations=judged, unsupported=(loose,))
    engine.events = [*turn_events()[:9], Delta(answer), Done(result)]
    await ask(page)
    await expect(page.locator(".answer__foot")).to_be_visible()

    await expect(page.locator(".cite").first).not_to_have_class(re.compile("cite--open"))
    await expect(page.locator(".cite").nth(1)).to_have_class(re.compile("cite--open"))
    await expect(page.locator(".cite").nth(1)).to_have_attribute("title", re.compile("not judged"))
    await expect(page.locator(".unsupported")).to_have_text("Ferries are free")
    await expect(page.locator(".unsupported")).to_have_attribute("title", "Not from the sources")


async def test_the_evidence_drawer_tells_everything_and_gives_focus_back(page: Page) -> None:
    await ask(page)
    button = page.get_by_role("button", name="Why this answer")
    await button.click()

    drawer = page.get_by_role("dialog", name="Why this answer")
    for text in (
        "93 % sure",
        "time word",
        "+0.60",
        "local · query",
        "failed: timeout",
        "412 ms",
    ):
        await expect(drawer).to_contain_text(text)
    await page.keyboard.press("Escape")
    await expect(drawer).to_be_hidden()
    await expect(button).to_be_focused()


async def test_a_forced_search_shows_a_card(page: Page, engine: FakeEngine) -> None:
    engine.events = forced_events()
    await page.get_by_label("Results only").check()
    await page.get_by_label("On", exact=True).check()
    await page.get_by_label("Quick", exact=True).check()
    await ask(page, "bridge toll")

    card = page.get_by_role("group", name="Search results")
    await expect(card).to_contain_text("Skerry Bridge car toll 2026")
    await expect(card.locator(".source")).to_have_count(3)
    turn = engine.turns[0]
    assert turn.force_search
    assert (turn.web_mode, turn.depth) == (WebMode.ON, Depth.QUICK)


async def test_stop_ends_the_turn_on_both_sides(page: Page, engine: FakeEngine) -> None:
    engine.pause_s = 0.4
    await ask(page)
    await page.get_by_role("button", name="Stop the answer").click()

    await expect(page.locator(".steps__state")).to_have_text("Stopped")
    await asyncio.wait_for(engine.cancelled.wait(), 10)
    await expect(page.get_by_label("Your question")).to_be_focused()


async def test_an_error_can_be_tried_again(page: Page, engine: FakeEngine) -> None:
    good = engine.events
    engine.events = [good[0], Failed("SEARCH_FAILED", "No provider answered.", retryable=True)]
    await ask(page)
    await expect(page.locator(".note--bad")).to_contain_text("No provider answered.")

    engine.events = good
    await page.get_by_role("button", name="Try again").click()

    await expect(page.locator(".answer__label")).to_have_text("Quoted from the sources")
    await expect(page.locator(".turn")).to_have_count(1)


async def test_a_text_too_long_is_told_in_words_and_stays(page: Page, engine: FakeEngine) -> None:
    await ask(page, "가" * 20_000)

    told = page.get_by_role("alert")
    await expect(told).to_contain_text("20,000 characters; about 10,837 can be sent")
    await expect(page.get_by_label("Your question")).to_have_value("가" * 20_000)
    assert engine.turns == []
    await ask(page)
    await expect(told).to_be_hidden()
    await expect(page.locator(".answer__foot")).to_be_visible()
    assert len(engine.turns) == 1


async def test_a_follow_up_sends_the_conversation(page: Page, engine: FakeEngine) -> None:
    await ask(page)
    await expect(page.locator(".answer__foot")).to_be_visible()
    await ask(page, "And for bicycles?")
    await expect(page.locator(".answer__foot")).to_have_count(2)

    turn = engine.turns[1]
    assert [message.content for message in turn.messages] == [
        QUESTION,
        RESULT.answer,
        "And for bicycles?",
    ]
    assert turn.conversation_id == RESULT.conversation_id


async def test_it_works_by_keyboard_alone(page: Page) -> None:
    await expect(page.get_by_label("Your question")).to_be_focused()
    await page.keyboard.type(QUESTION)
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("please")
    await page.keyboard.press("Enter")
    await expect(page.locator(".question")).to_have_text(f"{QUESTION}\nplease")
    await expect(page.locator(".answer__foot")).to_be_visible()

    reached = []
    await page.locator(".brand").focus()
    for _ in range(24):
        await page.keyboard.press("Tab")
        reached.append(
            await page.evaluate(
                "document.activeElement.getAttribute('aria-label')"
                " || document.activeElement.textContent.trim()"
            )
        )
    for name in ("New chat", "Edit", "Why this answer", "Copy", "Answer again", "How it scored"):
        assert name in reached


@pytest.mark.parametrize("scheme", ["dark", pytest.param("light", marks=pytest.mark.nightly)])
async def test_nothing_overflows_on_a_phone(browser: Browser, address: str, scheme: str) -> None:
    context = await browser.new_context(viewport=PHONE, color_scheme=scheme)
    page = await context.new_page()
    await page.goto(address)
    assert await page.evaluate("document.documentElement.dataset.theme") == scheme
    await ask(page, "a" * 200)
    await expect(page.locator(".answer__foot")).to_be_visible()

    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert await page.evaluate(wide) <= 0
    small = await page.locator("button:visible").evaluate_all(
        "all => all.filter(b => !b.matches('.cite')).map(b => b.getBoundingClientRect())"
        ".filter(r => r.height && (r.height < 24 || r.width < 24)).length"
    )
    assert small == 0
    await page.get_by_role("button", name="Why this answer").click()
    drawer = page.locator("#evidence-body")
    assert await drawer.evaluate("node => node.scrollWidth - node.clientWidth") <= 0
    await context.close()


class Memory:
    """Evidence of every answer, and the thumbs given."""

    def __init__(self) -> None:
        self.given: list[tuple[str, str]] = []

    async def load(self, evidence_id: str, owner: str) -> dict[str, str]:
        return {"id": evidence_id, "owner": owner}

    async def keep(
        self, answer: str, owner: str, feedback: Mapping[str, Any], record: Mapping[str, Any]
    ) -> None:
        del owner, record
        self.given.append((answer, feedback["rating"]))


async def test_thumbs_appear_where_feedback_is_taken(browser: Browser, make_app: MakeApp) -> None:
    memory = Memory()
    server = HttpServer(make_app(evidence=memory, feedback=memory), "127.0.0.1", 0)
    await server.start()
    page = await browser.new_page()
    await page.goto(f"http://127.0.0.1:{server.port}/")
    await page.wait_for_load_state("networkidle")
    await ask(page)

    down = page.get_by_role("button", name="Bad answer")
    await down.click()

    await expect(down).to_have_attribute("aria-pressed", "true")
    assert memory.given == [(RESULT.id, "down")]
    await page.get_by_role("button", name="Why this answer").click()
    record = page.get_by_role("link", name="The whole record as JSON")
    await expect(record).to_have_attribute("href", f"v1/evidence/{RESULT.evidence_id}")
    await page.close()
    await server.stop(0)


async def violations(page: Page) -> list[str]:
    """What axe-core finds wrong on the page as it stands."""
    await page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text("utf-8"))
    found = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [f"{rule['id']}: {rule['nodes'][0]['target']}" for rule in found["violations"]]


async def settled(page: Page) -> None:
    """Colours are judged once what opened has slid in."""
    await page.wait_for_timeout(300)
    await page.evaluate("Promise.all(document.getAnimations().map((each) => each.finished))")


@pytest.mark.parametrize("scheme", [pytest.param("dark", marks=pytest.mark.nightly), "light"])
async def test_axe_finds_nothing_in_any_state(
    browser: Browser, address: str, engine: FakeEngine, scheme: str
) -> None:
    context = await browser.new_context(viewport=PHONE, color_scheme=scheme)
    page = await context.new_page()
    await page.goto(address)
    assert await violations(page) == []
    for opener in ("#menu-open", "#settings-open"):
        await page.locator(opener).click()
        await settled(page)
        assert await violations(page) == []
        await page.keyboard.press("Escape")

    await ask(page)
    await expect(page.locator(".answer__foot")).to_be_visible()
    await page.get_by_text("How it scored").first.click()
    await page.locator(".cite").first.click()
    await expect(page.locator("#passage")).to_be_visible()
    assert await violations(page) == []

    await page.keyboard.press("Escape")
    await ask(page)
    await expect(page.locator(".answer__foot")).to_have_count(2)
    assert await violations(page) == []
    await page.get_by_role("button", name="Why this answer").last.click()
    await settled(page)
    assert await violations(page) == []

    await page.keyboard.press("Escape")
    engine.events = [Failed("SEARCH_FAILED", "No provider answered.", retryable=True)]
    await ask(page)
    await expect(page.locator(".note--bad")).to_be_visible()
    assert await violations(page) == []
    for path in ("docs", "nowhere"):
        await page.goto(f"{address}{path}")
        assert await violations(page) == []
    await context.close()


async def test_the_theme_switch_is_kept(page: Page) -> None:
    before = await page.evaluate("document.documentElement.dataset.theme")
    await page.locator("#theme").click()
    await page.reload()

    assert await page.evaluate("document.documentElement.dataset.theme") != before


async def test_the_text_does_not_jump_while_it_is_read(page: Page, engine: FakeEngine) -> None:
    engine.pause_s = 0.06
    await ask(page)
    await expect(page.locator(".prose p")).to_be_visible()
    await page.wait_for_timeout(400)  # the first scroll of the question to the top is smooth
    top = "document.querySelector('.prose').getBoundingClientRect().top"
    await page.wait_for_function(
        f"() => {{ const was = window.was; window.was = {top}; return window.was === was; }}",
        polling=100,
    )
    first = await page.evaluate(top)
    await expect(page.locator(".answer__foot")).to_be_visible()

    assert abs(await page.evaluate(top) - first) < 2
