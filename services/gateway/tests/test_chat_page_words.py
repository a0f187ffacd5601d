"""The chat page in seven languages; real Chromium."""

import re
from importlib.resources import files

import pytest
from api_fakes import FakeEngine
from playwright.async_api import Browser, Page, expect

from rig.sample import nightly_except

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.timeout(120),
    pytest.mark.asyncio(loop_scope="session"),
]

LANGUAGES = ("de", "en", "es", "fr", "ja", "ko", "zh")
STATIC = files("pellucid_gateway") / "static"
Words = dict[str, str | dict[str, str]]


async def words(page: Page, language: str) -> Words:
    found: Words = await page.evaluate(
        "async (name) => (await import(`./static/js/words/${name}.js`)).default", language
    )
    return found


def placeholders(said: str | dict[str, str]) -> set[str]:
    forms = [said] if isinstance(said, str) else said.values()
    return set(re.findall(r"\{(\w+)\}", " ".join(forms)))


async def test_every_language_has_every_word_with_its_placeholders(page: Page) -> None:
    english = await words(page, "en")
    assert english
    for language in LANGUAGES:
        said = await words(page, language)
        assert said.keys() == english.keys(), language
        for key, form in said.items():
            assert placeholders(form) == placeholders(english[key]), (language, key)
            assert isinstance(form, str) == isinstance(english[key], str), (language, key)
            assert isinstance(form, str) or "other" in form


async def test_every_word_that_the_page_names_exists_and_is_used(page: Page) -> None:
    english = await words(page, "en")
    scripts = (*(STATIC / "js").iterdir(), *(STATIC / "dashboard").iterdir())
    sources = [path for path in scripts if path.name.endswith(".js")]
    pages = (STATIC / "index.html", STATIC / "dashboard.html")
    text = "".join(path.read_text("utf-8") for path in (*sources, *pages))
    named = set(re.findall(r'\bt\("(\w+)"|data-t(?:-\w+)?="(\w+)"', text))
    for key in (first or second for first, second in named):
        assert key in english, key
    for key in english:
        prefix = key.partition("_")[0]
        by_code = re.search(rf'tCode\("{prefix}"|`{prefix}_\$', text)
        assert re.search(rf'"{key}"', text) or ("_" in key and by_code), key


@pytest.mark.parametrize("language", nightly_except({"ko-KR"}, ("ja-JP", "ko-KR", "zh-CN")))
async def test_a_reader_of_another_script_finds_no_english_on_the_page(
    browser: Browser, address: str, engine: FakeEngine, language: str
) -> None:
    engine.events = [engine.events[0]]
    context = await browser.new_context(locale=language)
    page = await context.new_page()
    await page.goto(address)
    await page.wait_for_load_state("networkidle")
    shown = await page.locator("body").inner_text()
    for opener in ("#menu-open", "#settings-open"):
        await page.locator(opener).click()
        shown += await page.locator("dialog[open]").inner_text()
        await page.keyboard.press("Escape")
    names = await page.locator("[aria-label]").evaluate_all(
        "all => all.map((node) => node.getAttribute('aria-label'))"
    )

    own = {"Pellucid", "API", "PDF", "Python", "Deutsch", "English", "Español", "Français"}
    assert set(re.findall(r"[A-Za-zÀ-ÿ]{2,}", " ".join([shown, *names]))) <= own
    assert await page.evaluate("document.documentElement.lang") == language[:2]
    await context.close()


async def test_the_language_of_the_page_is_chosen_and_kept(page: Page) -> None:
    await page.get_by_role("button", name="Settings").click()
    await page.get_by_label("Language of this page").select_option("Deutsch")
    await expect(page.get_by_role("button", name="Einstellungen")).to_be_visible()
    await page.reload()

    await expect(page.locator("#welcome-title")).to_contain_text("Fragen")


async def test_answers_come_in_the_chosen_language_style_and_depth(
    page: Page, engine: FakeEngine
) -> None:
    await page.get_by_role("button", name="Settings").click()
    await page.get_by_label("Language of answers").select_option("Français")
    await page.get_by_label("Sources in the text").select_option("Numbers only")
    await page.get_by_role("button", name="Close").click()
    await page.get_by_label("Deep", exact=True).check()
    await page.reload()
    await expect(page.get_by_label("Deep", exact=True)).to_be_checked()
    await page.get_by_label("Your question").fill("What is the toll?")
    await page.keyboard.press("Enter")
    await expect(page.locator(".answer__foot")).to_be_visible()

    turn = engine.turns[0]
    assert (turn.language, turn.citation_style, turn.depth) == ("fr", "none", "deep")


async def test_a_model_is_chosen_where_several_are_served(page: Page, engine: FakeEngine) -> None:
    served = {"data": [{"id": "pellucid"}, {"id": "small"}, {"id": "large"}]}
    await page.route("**/v1/version", lambda route: route.fulfill(json={"features": ["model"]}))
    await page.route("**/v1/models", lambda route: route.fulfill(json=served))
    await page.reload()
    await page.wait_for_load_state("networkidle")
    await page.get_by_role("button", name="Settings").click()
    model = page.get_by_label("Model")
    await expect(model.locator("option")).to_have_text(["The server's choice", "small", "large"])
    await model.select_option("large")
    await page.keyboard.press("Escape")
    await page.get_by_label("Your question").fill("What is the toll?")
    await page.keyboard.press("Enter")
    await expect(page.locator(".answer__foot")).to_be_visible()

    assert engine.turns[0].model == "large"


async def test_single_keys_act_outside_of_fields_until_they_are_turned_off(page: Page) -> None:
    await page.locator("#main").click()
    await page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    await expect(keys).to_contain_text("Edit the last question")
    await page.keyboard.press("Escape")
    await expect(keys).to_be_hidden()
    await page.keyboard.press("c")
    await expect(page.get_by_role("dialog", name="Conversations")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.locator("#main").click()
    await page.keyboard.press("/")
    await expect(page.get_by_label("Your question")).to_be_focused()
    await page.keyboard.type("?c/")
    await expect(page.get_by_label("Your question")).to_have_value("?c/")

    await page.get_by_role("button", name="Settings").click()
    await page.get_by_label("Single-key shortcuts").uncheck()
    await page.keyboard.press("Escape")
    await page.locator("#main").click()
    await page.keyboard.press("?")
    await expect(keys).to_be_hidden()
