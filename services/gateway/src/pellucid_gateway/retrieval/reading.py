"""Reads pages for a turn: bounded in time, and honest about what it asked for."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace

from pellucid_gateway.domain.account import OutboundText
from pellucid_gateway.domain.attachment import Attachment, is_attachment
from pellucid_gateway.domain.findings import Hit, Method, PageContent, Purpose
from pellucid_gateway.domain.outgoing import fetched_urls
from pellucid_gateway.domain.ports import FetchCall, FetcherPort
from pellucid_gateway.turn_context.budgets import limited
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_runtime.errors import ServiceError

# Characters of a page that passages are chosen from.
PAGE_CHARS = 10_000
# The same of a page that the person named: the fact may stand anywhere on it.
NAMED_PAGE_CHARS = 200_000


class PageReader:
    """Reads pages for one turn.

    Args:
        fetcher: The fetcher.
        context: The turn's time and account.
        attachments: What the person handed over.
    """

    def __init__(
        self,
        fetcher: FetcherPort,
        *,
        context: TurnContext,
        attachments: Sequence[Attachment] = (),
    ) -> None:
        self._fetcher = fetcher
        self._attachments = {one.url: one for one in attachments}
        self._context = context
        self._ledger = context.ledger

    async def read_hits(
        self, hits: Sequence[Hit], *, at_once: int, no_external: bool
    ) -> dict[str, PageContent]:
        """Read the pages of search results, some at a time; text that came along needs no call."""
        pages = {hit.url: _page_of(hit) for hit in hits if hit.page_text}
        missing = tuple(hit.url for hit in hits if not hit.page_text)
        for start in range(0, len(missing), at_once):
            urls = missing[start : start + at_once]
            pages |= await self.read(urls, Purpose.SEARCH_RESULT, no_external=no_external)
        return pages

    async def read_named(
        self, urls: tuple[str, ...], *, no_external: bool
    ) -> dict[str, PageContent]:
        """Read pages that the person named; an attachment that is not there any more is told."""
        gone = {url for url in urls if is_attachment(url) and url not in self._attachments}
        left = tuple(url for url in urls if url not in gone)
        pages = await self.read(left, Purpose.USER_URL, no_external=no_external)
        for url in pages.keys() & self._attachments.keys():
            # What would be a wall on the web, or a page's own title, is this file's text.
            name = self._attachments[url].name
            pages[url] = replace(pages[url], url=url, title=name, site_name="", warnings=())
        return pages | {url: PageContent(url=url, success=False, status="gone") for url in gone}

    async def read(
        self, urls: tuple[str, ...], purpose: Purpose, *, no_external: bool
    ) -> dict[str, PageContent]:
        """Read pages; those that do not come in time or at all are left out.

        Once one page is there, the others of a search get a short grace only.
        """
        pages: dict[str, PageContent] = {}
        seconds = self._context.budget.stage_s(self._context.budgets.page_s)
        if not urls or seconds <= 0:
            return pages
        call = FetchCall(
            urls=urls,
            purpose=purpose,
            timeout_s=seconds,
            max_chars=NAMED_PAGE_CHARS if purpose is Purpose.USER_URL else PAGE_CHARS,
            no_external=no_external,
            attachments=tuple(self._attachments[url] for url in urls if url in self._attachments),
        )
        try:
            with self._ledger.timed("fetch"):
                await self._collect(call, pages)
        except ServiceError as error:
            self._ledger.lose_by("fetcher", error)
        except TimeoutError:
            if not pages:
                self._ledger.lose("fetcher", "no page in time")
        self._ledger.sent_out(tuple(_asked_for(urls, pages)))
        if self._ledger.lost("fetcher") and purpose is Purpose.SEARCH_RESULT and not pages:
            self._ledger.notify("snippets_only")
        return pages

    async def _collect(self, call: FetchCall, pages: dict[str, PageContent]) -> None:
        has_grace = call.purpose is Purpose.SEARCH_RESULT
        async with limited(call.timeout_s) as limit:
            stream = self._fetcher.fetch_many(call)
            async with aclosing(stream):  # type: ignore[type-var]
                async for index, page in stream:
                    if index < len(call.urls):
                        pages[call.urls[index]] = page
                    if has_grace and page.success:
                        self._shorten(limit)

    def _shorten(self, limit: asyncio.Timeout) -> None:
        grace_ends = asyncio.get_running_loop().time() + self._context.budgets.page_grace_s
        due = limit.when()
        if due is None or grace_ends < due:
            limit.reschedule(grace_ends)


def _asked_for(urls: Sequence[str], pages: dict[str, PageContent]) -> Iterator[OutboundText]:
    for url in urls:
        yield from fetched_urls(url, pages.get(url))


def _page_of(hit: Hit) -> PageContent:
    """Page text that came with the result stands in for a fetch."""
    return PageContent(
        url=hit.url,
        success=True,
        status="ok",
        method=Method.PROVIDER,
        title=hit.title,
        language=hit.language,
        published=hit.published,
        text=hit.page_text[:PAGE_CHARS],
    )
