"""Playwright's driver, a process of its own: started in time, or ended with all that it started."""

import asyncio
from typing import Final

from playwright.async_api import Error, Playwright, async_playwright

from pellucid_fetcher.adapters import browser_process

# A driver takes about a second.
DRIVER_S: Final = 10.0


class DriverDownError(Error):
    """Playwright's driver, a process of its own, does not start or has ended."""


async def started_driver() -> Playwright:
    """Start Playwright's driver.

    Raises:
        DriverDownError: It ended at once, cannot be run, or says nothing in time.
    """
    before = browser_process.drivers()
    try:
        async with asyncio.timeout(DRIVER_S):
            return await async_playwright().start()
    except (TimeoutError, asyncio.CancelledError) as error:
        for driver in browser_process.drivers() - before:
            browser_process.kill_tree(driver)
        if isinstance(error, asyncio.CancelledError):
            raise
        raise DriverDownError(f"the driver said nothing for {DRIVER_S:g} s") from error
    except Error as error:
        raise DriverDownError(error.message) from error
    except Exception as error:  # Playwright raises a bare Exception when its driver ends at once
        raise DriverDownError(str(error)) from error
