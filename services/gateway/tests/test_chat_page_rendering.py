"""How the chat page renders the Markdown of an answer; real Chromium."""

from dataclasses import replace

import pytest
from api_fakes import RESULT, FakeEngine, turn_events
from playwright.async_api import Page, expect
from test_chat_page import ask, violations

from pellucid_gateway.domain.events import Delta, Done

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.timeout(120),
    pytest.mark.asyncio(loop_scope="session"),
]

TABLE = """Tolls:

| Vehicle | Toll |
| :-- | --: |
| Cars | **4.20** crowns |
| Trucks \\| buses | |

After it.
"""
LISTS = """1. Install it:
   ```bash
   if true; then
     make run
   fi
   ```
2. Compare
   - cars
     - on Sundays
   - bicycles

3. Done, which
   is all.

   A paragraph of the third.
- another list
"""


async def answered(page: Page, engine: FakeEngine, text: str, claim: str = "") -> None:
    """Let the page show an answer, in which a claim is cited."""
    start = text.index(claim)
    citation = replace(RESULT.citations[0], start=start, end=start + len(claim))
    result = replace(RESULT, answer=text, citations=(citation,) if claim else ())
    pieces = [Delta(text[at : at + 7]) for at in range(0, len(text), 7)]
    engine.events = [*turn_events()[:9], *pieces, Done(result)]
    await ask(page)
    await expect(page.locator(".answer__foot")).to_be_visible()


async def test_a_table_is_a_table_with_its_citation(page: Page, engine: FakeEngine) -> None:
    await answered(page, engine, TABLE, claim="Cars | **4.20** crowns |")

    rows = page.locator(".prose tr")
    await expect(rows).to_have_count(3)
    await expect(rows.nth(0).locator("th")).to_have_text(["Vehicle", "Toll"])
    await expect(rows.nth(1).locator("td").nth(1)).to_have_text("4.20 crowns\u20601")
    await expect(rows.nth(1).locator("td").nth(1)).to_have_css("text-align", "end")
    await expect(rows.nth(2).locator("td")).to_have_text(["Trucks | buses", ""])
    await expect(page.locator(".prose > p")).to_have_text(["Tolls:", "After it."])
    await rows.nth(1).locator(".cite").hover()
    lit = await page.locator(".claim.is-lit").all_inner_texts()
    assert "".join(lit) == "Cars4.20 crowns"
    assert await violations(page) == []


async def test_lists_keep_what_is_inside_their_items(page: Page, engine: FakeEngine) -> None:
    await answered(page, engine, LISTS, claim="on Sundays")

    items = page.locator(".prose > ol > li")
    await expect(items).to_have_count(3)
    await expect(items.nth(0).locator("pre")).to_have_text("if true; then\n  make run\nfi")
    await expect(items.nth(1).locator(":scope > ul > li")).to_have_count(2)
    await expect(items.nth(1).locator("ul ul > li")).to_have_text("on Sundays\u20601")
    await expect(items.nth(2)).to_contain_text("Done, which is all.")
    await expect(items.nth(2).locator("p")).to_have_text("A paragraph of the third.")
    await expect(page.locator(".prose > ul > li")).to_have_text(["another list"])


async def test_code_is_copied_as_it_is(page: Page, engine: FakeEngine) -> None:
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    code = 'x = {"a": 1}  # **not bold** [1](http://a.example/)\n\ny = x'
    await answered(page, engine, f"Try:\n\n```python\n{code}\n```\n\n---\n\n#### Why\n\nSo.")

    block = page.locator(".code")
    await expect(block.locator("span")).to_have_text("python")
    await block.get_by_role("button", name="Copy").click()
    assert await page.evaluate("navigator.clipboard.readText()") == code
    await expect(page.locator(".prose hr")).to_have_count(1)
    await expect(page.locator(".prose h3")).to_have_text("Why")
    assert await violations(page) == []


async def test_what_only_looks_like_a_table_is_text(page: Page, engine: FakeEngine) -> None:
    await answered(page, engine, "a | b\n--- | --- | ---\n\n| x |\n\nOne | two")

    await expect(page.locator(".prose table")).to_have_count(0)
