"""Take the README's picture of the chat page: `make picture`, beside a running `make run`.

Asks the sample corpus a question in a real browser, opens the card of the first citation and writes
`docs/images/answer.png`.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "answer.png"
QUESTION = "When did the Ondry Bridge open?"
VIEWPORT = {"width": 1120, "height": 760}
ANSWERED_WITHIN_MS = 60_000


def take(url: str) -> None:
    """Write the picture.

    Args:
        url: Address of the chat page.
    """
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport=VIEWPORT, color_scheme="light")
        page.goto(url)
        page.locator("textarea").first.fill(QUESTION)
        page.keyboard.press("Enter")
        page.locator(".cite").first.wait_for(timeout=ANSWERED_WITHIN_MS)
        page.wait_for_load_state("networkidle")
        page.locator(".cite").first.click()
        page.wait_for_timeout(500)
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    take(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080")
