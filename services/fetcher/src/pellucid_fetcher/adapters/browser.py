"""Headless Chromium for pages that only a script fills.

One fresh context per page, images, media and fonts not loaded, every byte through the egress proxy.
A page that outlasts its time costs at most the browser, which the next page starts anew.
"""

import asyncio
import os
from collections.abc import Awaitable
from typing import Final, Self

from playwright.async_api import (
    Browser,
    BrowserContext,
    Error,
    Page,
    Playwright,
    Route,
    async_playwright,
)

from pellucid_fetcher.adapters.egress_proxy import EgressProxy
from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.outcome import FetchStatus
from pellucid_fetcher.ports import Rendered

MAX_HTML_CHARS: Final = 4 * 1024 * 1024
PAGES_PER_BROWSER: Final = 100
_SETTLE_S: Final = 1.5
_CLOSE_S: Final = 2.0
_LAUNCH_S: Final = 15.0
_BLOCKED_KINDS: Final = frozenset({"image", "media", "font", "eventsource", "websocket"})
_FLAGS: Final = (
    # No name is ever resolved by the browser itself; loopback goes through the proxy as well.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--js-flags=--max-old-space-size=256",
)


class ChromiumRenderer:
    """Renders pages; an asynchronous context manager. Chromium starts with the first page.

    Args:
        executable: Path of Chromium.
        proxy: The only way out.
        concurrency: Pages at the same time.
    """

    def __init__(self, executable: str, proxy: EgressProxy, concurrency: int) -> None:
        self._executable = executable
        self._proxy = proxy
        self._slots = asyncio.Semaphore(concurrency)
        self._starting = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._served = 0
        self._cleaning: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.gather(*self._cleaning)
        await self._discard(self._browser)
        if self._playwright is not None:
            await self._playwright.stop()

    async def render(self, url: str, *, timeout_s: float) -> Rendered:
        """Load a page and let its scripts run.

        Raises:
            FetchFault: TOTAL_TIMEOUT, or CONNECT_ERROR when the browser or the page failed.
        """
        try:
            async with asyncio.timeout(timeout_s):
                await self._slots.acquire()
                return await self._in_slot(url, timeout_s)
        except TimeoutError as error:
            raise FetchFault(FetchStatus.TOTAL_TIMEOUT) from error
        except Error as error:
            raise FetchFault(FetchStatus.CONNECT_ERROR) from error

    async def _in_slot(self, url: str, timeout_s: float) -> Rendered:
        browser: Browser | None = None
        context: BrowserContext | None = None
        try:
            browser = await self._ready()
            context = await browser.new_context(service_workers="block", accept_downloads=False)
            return await _load(await context.new_page(), url, timeout_s)
        finally:
            # The answer does not wait for the cleaning; the slot does.
            task = asyncio.create_task(self._clean(browser, context), name="browser-cleaning")
            self._cleaning.add(task)
            task.add_done_callback(self._cleaning.discard)

    async def _clean(self, browser: Browser | None, context: BrowserContext | None) -> None:
        """Close a context; when that fails, the browser is hung or dead and goes as well."""
        try:
            healthy = context is not None and await _closes(context.close())
            self._served += 1
            if not healthy or self._served >= PAGES_PER_BROWSER:
                await self._discard(browser)
        finally:
            self._slots.release()

    async def _ready(self) -> Browser:
        async with self._starting:
            if self._browser is None or not self._browser.is_connected():
                self._browser = await self._launch()
                self._served = 0
            return self._browser

    async def _launch(self) -> Browser:
        if self._playwright is None:
            self._playwright = await async_playwright().start()
        return await self._playwright.chromium.launch(
            executable_path=self._executable,
            chromium_sandbox=os.geteuid() != 0,
            args=list(_FLAGS),
            proxy={"server": f"http://127.0.0.1:{self._proxy.port}", "bypass": "<-loopback>"},
            timeout=_LAUNCH_S * 1000,
            handle_sigint=False,
            handle_sigterm=False,
        )

    async def _discard(self, browser: Browser | None) -> None:
        if browser is None:
            return
        if self._browser is browser:
            self._browser = None
        await _closes(browser.close())


async def _closes(closing: Awaitable[None]) -> bool:
    """Wait for something to close; tell whether it did in time."""
    try:
        await asyncio.wait_for(closing, _CLOSE_S)
    except (Error, TimeoutError):
        return False
    return True


async def _load(page: Page, url: str, timeout_s: float) -> Rendered:
    await page.route("**/*", _only_what_text_needs)
    response = await page.goto(url, wait_until="domcontentloaded", timeout=timeout_s * 1000)
    try:
        await page.wait_for_load_state("networkidle", timeout=_SETTLE_S * 1000)
        await page.evaluate("window.scrollTo(0, document.body ? document.body.scrollHeight : 0)")
        await page.wait_for_load_state("networkidle", timeout=_SETTLE_S * 1000)
    except Error:
        pass  # a page that never falls silent is read as it stands
    html = await page.content()
    status = response.status if response is not None else 0
    return Rendered(html[:MAX_HTML_CHARS], page.url, status)


async def _only_what_text_needs(route: Route) -> None:
    if route.request.resource_type in _BLOCKED_KINDS:
        await route.abort()
    else:
        await route.continue_()
