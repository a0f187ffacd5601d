"""Headless Chromium for pages that only a script fills.

A pool of browsers, each with one page at a time in a fresh context; images, media and fonts are not
loaded, and every byte goes through the egress proxy that has the page's reach. A page that crashes,
hangs or takes too much memory costs its own browser, which is killed with all its processes and
started anew beside the others.
"""

import asyncio
import os
import uuid
from collections.abc import Awaitable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Self

from playwright.async_api import (
    Browser,
    BrowserContext,
    Error,
    Page,
    Playwright,
    ProxySettings,
    Route,
)

from pellucid_fetcher.adapters import browser_process
from pellucid_fetcher.adapters.browser_driver import DriverDownError, started_driver
from pellucid_fetcher.adapters.browser_page import read_page
from pellucid_fetcher.adapters.egress_proxy import EgressProxy
from pellucid_fetcher.egress.clearance import Reach
from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.metrics import BROWSER_AVAILABLE, BROWSER_PAGES, BROWSER_RESTARTS
from pellucid_fetcher.outcome import FetchStatus
from pellucid_fetcher.ports import Rendered

PAGES_PER_BROWSER: Final = 100
_CLOSE_S: Final = 1.0
_LAUNCH_S: Final = 15.0
_WATCH_S: Final = 0.25
_MIB: Final = 1024 * 1024
_BLOCKED_KINDS: Final = frozenset({"image", "media", "font", "eventsource", "websocket"})
_FLAGS: Final = (
    # No name is ever resolved by the browser itself; loopback goes through the proxy as well.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    # Two spellings: Chromium reads the first, its headless shell the second.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--js-flags=--max-old-space-size=256",
)
# Chromium asks its maker for updates every few minutes, in spite of the switches against it.
_NOWHERE: Final[ProxySettings] = {"server": "http://nowhere.invalid", "bypass": "<-loopback>"}
# Playwright would let every page open windows; a reader needs none.
_UNWANTED_DEFAULTS: Final = ("--disable-popup-blocking",)


@dataclass(slots=True)
class _Seat:
    """One browser of the pool; none until its first page."""

    browser: Browser | None = None
    group: int | None = None
    served: int = 0
    lost: bool = False

    @property
    def usable(self) -> bool:
        """Whether another page may be opened; Playwright does not notice every death."""
        dead = self.group is not None and not browser_process.is_alive(self.group)
        return self.browser is not None and self.browser.is_connected() and not (dead or self.lost)

    def lose(self) -> None:
        """Note that its page has crashed."""
        self.lost = True


class ChromiumRenderer:
    """Renders pages; an asynchronous context manager. Chromium starts with the first page.

    Whether a browser can be used is told by the last launch, not by the file being there.

    Args:
        executable: Path of Chromium.
        proxies: The only ways out, one for each reach.
        concurrency: Pages, and browsers, at the same time.
        memory_mib: A browser that takes more than this is killed.
    """

    def __init__(
        self,
        executable: str,
        proxies: Mapping[Reach, EgressProxy],
        concurrency: int,
        memory_mib: int,
    ) -> None:
        self._executable = executable
        self._proxies = proxies
        self._memory_bytes = memory_mib * _MIB
        self._free: asyncio.LifoQueue[_Seat] = asyncio.LifoQueue()
        self._seats = tuple(_Seat() for _ in range(concurrency))
        for seat in self._seats:
            self._free.put_nowait(seat)
        self._starting: asyncio.Task[Playwright] | None = None
        self._playwright: Playwright | None = None
        self._cleaning: set[asyncio.Task[Any]] = set()
        self._closing = False

    async def __aenter__(self) -> Self:
        browser_process.adopt_orphans()
        return self

    def probe(self) -> None:
        """Begin a launch before the first page, so that it is known whether one succeeds."""
        self._later(self._probe())

    async def _probe(self) -> None:
        seat = await self._free.get()
        try:
            await self._prepare(seat)
        finally:
            self._free.put_nowait(seat)

    async def __aexit__(self, *_: object) -> None:
        self._closing = True
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait({self._starting})
        await asyncio.gather(*self._cleaning, return_exceptions=True)
        for seat in self._seats:
            await self._discard(seat)
        await asyncio.gather(*self._cleaning, return_exceptions=True)
        await self._stop_playwright()

    async def render(self, url: str, reach: Reach, *, timeout_s: float) -> Rendered:
        """Load a page and let its scripts run; nothing it asks for lies beyond its reach.

        Raises:
            FetchFault: TOTAL_TIMEOUT, or CONNECT_ERROR when the browser or the page failed.
        """
        try:
            async with asyncio.timeout(timeout_s):
                seat = await self._free.get()
                with BROWSER_PAGES.track_inprogress():
                    return await self._seated(seat, url, reach, timeout_s)
        except TimeoutError as error:
            raise FetchFault(FetchStatus.TOTAL_TIMEOUT) from error
        except Error as error:
            raise FetchFault(FetchStatus.CONNECT_ERROR) from error

    async def _seated(self, seat: _Seat, url: str, reach: Reach, timeout_s: float) -> Rendered:
        context: BrowserContext | None = None
        try:
            browser = await self._ready(seat)
            context = await browser.new_context(
                service_workers="block", accept_downloads=False, proxy=self._way_out(reach)
            )
            return await self._watched(seat, _open(seat, context, url, timeout_s))
        finally:
            # The answer does not wait for the cleaning; the seat does.
            self._later(self._clean(seat, context))

    def _way_out(self, reach: Reach) -> ProxySettings:
        # Loopback goes this way as well.
        return {"server": f"http://127.0.0.1:{self._proxies[reach].port}", "bypass": "<-loopback>"}

    def _later(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(work, name="browser-cleaning")
        self._cleaning.add(task)
        task.add_done_callback(self._cleaning.discard)

    async def _watched(self, seat: _Seat, work: Awaitable[Rendered]) -> Rendered:
        """Carry on while the browser lives and stays within its memory.

        Raises:
            FetchFault: CONNECT_ERROR when it does not.
        """
        task = asyncio.ensure_future(work)
        try:
            while not (await asyncio.wait({task}, timeout=_WATCH_S))[0]:
                self._check_memory(seat)
                if not seat.usable:
                    raise FetchFault(FetchStatus.CONNECT_ERROR)
            return task.result()
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError, Error):
                await task

    def _check_memory(self, seat: _Seat) -> None:
        group = seat.group
        if group is not None and browser_process.memory_bytes(group) > self._memory_bytes:
            BROWSER_RESTARTS.labels("memory").inc()
            browser_process.kill(group)
            seat.lose()

    async def _clean(self, seat: _Seat, context: BrowserContext | None) -> None:
        """Close a context; where that fails the browser is hung or dead, and goes as well."""
        try:
            healthy = seat.usable and context is not None and await _closes(context.close())
            seat.served += 1
            if not healthy:
                BROWSER_RESTARTS.labels("failure").inc()
            if not healthy or seat.served >= PAGES_PER_BROWSER:
                await self._discard(seat)
                if context is not None and not self._closing:
                    await self._prepare(seat)
        finally:
            self._free.put_nowait(seat)

    async def _prepare(self, seat: _Seat) -> None:
        """Start the next browser before somebody waits for it."""
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(_LAUNCH_S):
                await self._ready(seat)

    async def _ready(self, seat: _Seat) -> Browser:
        if seat.browser is not None and seat.usable:
            return seat.browser
        await self._discard(seat)
        mark = f"--pellucid-seat={uuid.uuid4().hex}"
        try:
            seat.browser = await self._launched(mark)
        except (Error, TimeoutError):
            BROWSER_AVAILABLE.set(0)
            raise
        BROWSER_AVAILABLE.set(1)
        seat.group = browser_process.find_group(mark)
        seat.served = 0
        return seat.browser

    async def _launched(self, mark: str) -> Browser:
        try:
            return await self._launch(mark)
        except DriverDownError:
            raise
        except Error:
            # The driver itself may have died with all browsers; a second one gets one try.
            await self._stop_playwright()
            return await self._launch(mark)

    async def _driver(self) -> Playwright:
        if self._playwright is not None:
            return self._playwright
        if self._starting is None:
            self._starting = asyncio.create_task(self._start(), name="browser-driver")
            # Who waited for it may be gone by then.
            self._starting.add_done_callback(lambda task: task.cancelled() or task.exception())
        return await asyncio.shield(self._starting)

    async def _start(self) -> Playwright:
        """Start the driver for all who wait; a page that runs out of time does not end it."""
        try:
            self._playwright = await started_driver()
        except DriverDownError:
            BROWSER_AVAILABLE.set(0)
            raise
        finally:
            self._starting = None
        return self._playwright

    async def _launch(self, mark: str) -> Browser:
        playwright = await self._driver()
        return await playwright.chromium.launch(
            executable_path=self._executable,
            chromium_sandbox=os.geteuid() != 0,
            args=[*_FLAGS, mark],
            ignore_default_args=list(_UNWANTED_DEFAULTS),
            proxy=_NOWHERE,  # of whatever belongs to no page
            timeout=_LAUNCH_S * 1000,
            handle_sigint=False,
            handle_sigterm=False,
        )

    async def _discard(self, seat: _Seat) -> None:
        browser, group, usable = seat.browser, seat.group, seat.usable
        seat.browser = seat.group = None
        seat.lost = False
        if browser is not None and usable:
            await _closes(browser.close())
        if group is not None:
            browser_process.kill(group)
            await browser_process.bury(group)
        if browser is not None and not usable:
            # Playwright still has to be told; nobody waits for it to understand.
            self._later(_closes(browser.close()))

    async def _stop_playwright(self) -> None:
        playwright, self._playwright = self._playwright, None
        if playwright is not None:
            await _closes(playwright.stop())


async def _closes(closing: Awaitable[None]) -> bool:
    """Wait for something to close; tell whether it did in time."""
    try:
        await asyncio.wait_for(closing, _CLOSE_S)
    except (Error, TimeoutError):
        return False
    return True


async def _open(seat: _Seat, context: BrowserContext, url: str, timeout_s: float) -> Rendered:
    page = await context.new_page()
    page.on("crash", lambda _: seat.lose())
    context.on("page", _close_window)
    await page.route("**/*", _only_what_text_needs)
    return await read_page(page, url, timeout_s)


async def _close_window(window: Page) -> None:
    with suppress(Error):
        await window.close()


async def _only_what_text_needs(route: Route) -> None:
    if route.request.resource_type in _BLOCKED_KINDS:
        await route.abort()
    else:
        await route.continue_()
