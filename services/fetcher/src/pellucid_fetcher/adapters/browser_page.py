"""One page in the browser: loaded, scrolled to its end, read."""

import asyncio
from typing import Final

from playwright.async_api import Error, Page, Request, Response

from pellucid_fetcher.ports import Rendered

MAX_HTML_CHARS: Final = 4 * 1024 * 1024
_SETTLE_S: Final = 1.5
_SCROLLS: Final = 8  # screens of an endless page that are waited for
_SCROLL_PAUSE_S: Final = 0.15
# Scrolls one screen on and tells whether there was anything left below.
_SCROLL: Final = """() => {
  const root = document.scrollingElement || document.documentElement;
  if (!root) return false;
  const before = root.scrollTop;
  root.scrollTop = before + Math.max(200, window.innerHeight);
  return root.scrollTop > before;
}"""


class _Journey:
    """Where the page itself went, whoever sent it there."""

    def __init__(self, page: Page, start: str) -> None:
        self._page = page
        self.last = start
        self.status = 0
        page.on("request", self._asked)
        page.on("response", self._answered)

    def _asked(self, request: Request) -> None:
        if self._is_own(request):
            self.last, self.status = request.url, 0

    def _answered(self, response: Response) -> None:
        if self._is_own(response.request):
            self.status = response.status

    def _is_own(self, request: Request) -> bool:
        """Tell navigations of the page from those of its frames."""
        return request.is_navigation_request() and request.frame == self._page.main_frame


async def read_page(page: Page, url: str, timeout_s: float) -> Rendered:
    """Load a page, let its scripts run, scroll to its end and take the document.

    Raises:
        playwright Error: It did not load, or went away meanwhile.
    """
    journey = _Journey(page, url)
    await page.goto(url, wait_until="domcontentloaded", timeout=timeout_s * 1000)
    await _settle(page)
    if await _scrolled(page):
        await _settle(page)
    html = await page.content()
    return Rendered(html[:MAX_HTML_CHARS], journey.last.partition("#")[0], journey.status)


async def _settle(page: Page) -> None:
    try:
        await page.wait_for_load_state("networkidle", timeout=_SETTLE_S * 1000)
    except Error:
        return  # a page that never falls silent is read as it stands


async def _scrolled(page: Page) -> bool:
    """Scroll screen by screen, so that what loads on sight is seen; tell whether it went down."""
    moved = False
    try:
        for _ in range(_SCROLLS):
            if not await page.evaluate(_SCROLL):
                break
            moved = True
            await asyncio.sleep(_SCROLL_PAUSE_S)
    except Error:
        return moved  # it navigates meanwhile
    return moved
