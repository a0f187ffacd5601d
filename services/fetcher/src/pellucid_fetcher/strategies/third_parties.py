"""Others that may have a page which its own site does not give: a reader service, a web archive.

Decides which outcomes they may be asked about, what they are asked, and how their answers read.
They learn the address and nothing else; hosts inside the network are never named to them. What
they send is as untrusted as any page and goes through the same extraction.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final
from urllib.parse import quote, urlsplit

from pellucid_fetcher.document import Document
from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.extraction.reading import sniffing
from pellucid_fetcher.outcome import FetchStatus, Method, Page, PageRequest, Purpose
from pellucid_fetcher.sites.port import at
from pellucid_fetcher.strategies.http_path import HttpPath, Trail
from pellucid_fetcher.strategies.receiving import Intake

# Asked by the site or by law to stay away: nobody else is asked in our place.
_RESPECTED: Final = frozenset({401, 451})
# The site is there but does not give us its text; a reader with a browser of its own may get it.
_READER_HELPS: Final = frozenset(
    {
        FetchStatus.FORBIDDEN,
        FetchStatus.BLOCKED_BY_SITE,
        FetchStatus.NO_TEXT,
        FetchStatus.PARSE_LIMIT,
        FetchStatus.CONNECT_TIMEOUT,
        FetchStatus.FIRST_BYTE_TIMEOUT,
        FetchStatus.EMPTY_RESPONSE,
        FetchStatus.RESET,
    }
)
# The page or its site is gone, broken or closed to us; a copy made earlier may exist.
_ARCHIVE_HELPS: Final = frozenset(
    {
        FetchStatus.NOT_FOUND,
        FetchStatus.FORBIDDEN,
        FetchStatus.BLOCKED_BY_SITE,
        FetchStatus.DNS_ERROR,
        FetchStatus.CONNECT_ERROR,
        FetchStatus.CONNECT_TIMEOUT,
        FetchStatus.FIRST_BYTE_TIMEOUT,
        FetchStatus.EMPTY_RESPONSE,
        FetchStatus.RESET,
        FetchStatus.TLS_ERROR,
        FetchStatus.HTTP_ERROR,
        FetchStatus.REDIRECT_LOOP,
        FetchStatus.TOO_MANY_REDIRECTS,
    }
)
_SNAPSHOT: Final = re.compile(r"^(/web/)(\d{4,14})(?:[a-z]{2}_)?(/.+)$")
_MARKDOWN_MARK: Final = "Markdown Content:\n"
_READER_WARNING: Final = re.compile(r"Target URL returned error \d+")


@dataclass(frozen=True, slots=True)
class Copy:
    """What a third party has of a page.

    Attributes:
        document: To be extracted like any other.
        url: Address to show: of the page itself, or of the archived copy.
        title: As the third party names it; empty when the document has its own.
        truncated: The transfer was cut.
    """

    document: Document
    url: str
    title: str = ""
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class ThirdParty(ABC):
    """Somebody who may have a copy.

    Attributes:
        base: Its address without a final slash.
        method: How pages from there are marked.
        for_user_urls: It may also be told what a person asked for.
        helped: Outcomes about which it may be asked.
    """

    base: str
    for_user_urls: bool = False
    method: ClassVar[Method]
    helped: ClassVar[frozenset[FetchStatus]]

    @property
    def host(self) -> str:
        """Whose turns are taken."""
        return urlsplit(self.base).hostname or ""

    def helps(self, request: PageRequest, page: Page) -> bool:
        """Tell whether it may be asked about this outcome."""
        allowed = request.purpose is Purpose.SEARCH_RESULT or self.for_user_urls
        return allowed and page.status in self.helped and page.http_status not in _RESPECTED

    @abstractmethod
    async def copy(self, href: str, http: HttpPath, *, timeout_s: float) -> Copy:
        """Ask for the page.

        Raises:
            FetchFault: There is no copy, or it could not be had.
        """


@dataclass(frozen=True, slots=True)
class ReaderService(ThirdParty):
    """A service that renders pages and returns Markdown, asked as r.jina.ai is.

    The page's address follows after its own and a slash.

    Attributes:
        key: Sent as a bearer token; empty for none.
    """

    key: str = ""
    method = Method.READER
    helped = _READER_HELPS

    async def copy(self, href: str, http: HttpPath, *, timeout_s: float) -> Copy:
        """Ask for the page, as JSON; a plain answer is understood as well.

        Raises:
            FetchFault: NO_TEXT when the reader has nothing, or what went wrong with asking it.
        """
        headers = [("accept", "application/json")]
        if self.key:
            headers.append(("authorization", f"Bearer {self.key}"))
        told = await _ask(http, f"{self.base}/{href}", timeout_s=timeout_s, headers=headers)
        title, text = _read_reader(told.body.decode("utf-8", "replace"))
        if not text.strip():
            raise FetchFault(FetchStatus.NO_TEXT)
        document = Document(text.encode(), href, sniffing.MARKDOWN, "utf-8")
        return Copy(document, href, title, told.truncated)


@dataclass(frozen=True, slots=True)
class WebArchive(ThirdParty):
    """A web archive with the interface of archive.org."""

    method = Method.ARCHIVE
    helped = _ARCHIVE_HELPS

    async def copy(self, href: str, http: HttpPath, *, timeout_s: float) -> Copy:
        """Find the newest copy and read it as it was, without the archive's own frame.

        Raises:
            FetchFault: NOT_FOUND when there is none, or what went wrong with asking.
        """
        shown, stamp, page = await self._newest(href, http, timeout_s / 2)
        exact = f"{self.base}{shown}{stamp}id_{page}"
        found = await _ask(http, exact, timeout_s=timeout_s / 2)
        declared = sniffing.charset_parameter(found.declared)
        document = Document(found.body, href, found.kind, declared)
        return Copy(document, f"{self.base}{shown}{stamp}{page}", "", found.truncated)

    async def _newest(self, href: str, http: HttpPath, timeout_s: float) -> tuple[str, str, str]:
        question = f"{self.base}/wayback/available?url={quote(href, safe='')}"
        told = await _ask(http, question, timeout_s=timeout_s)
        closest = at(_json(told.body.decode("utf-8", "replace")), "archived_snapshots", "closest")
        address = at(closest, "url")
        if not at(closest, "available") or not isinstance(address, str):
            raise FetchFault(FetchStatus.NOT_FOUND)
        # Only its path counts: copies are read from the archive that the operator named.
        parts = urlsplit(address)
        query = f"?{parts.query}" if parts.query else ""
        found = _SNAPSHOT.match(parts.path + query)
        if found is None or str(at(closest, "status") or 200) != "200":
            raise FetchFault(FetchStatus.NOT_FOUND)
        return found[1], found[2], found[3]


async def _ask(
    http: HttpPath, url: str, *, timeout_s: float, headers: Sequence[tuple[str, str]] = ()
) -> Intake:
    request = PageRequest(url, Purpose.SEARCH_RESULT, 1, timeout_s)
    return await http.read(request, Trail(), timeout_s=timeout_s, headers=tuple(headers))


def _read_reader(answer: str) -> tuple[str, str]:
    r"""Return title and Markdown of a reader's answer.

    Raises:
        FetchFault: FORBIDDEN when the reader says that the site refused it as well.

    >>> _read_reader("Title: A\n\nURL Source: http://a.example/\n\nMarkdown Content:\nText")
    ('A', 'Text')
    """
    data = at(_json(answer), "data")
    if not isinstance(data, dict):
        head, mark, text = answer.partition(_MARKDOWN_MARK)
        if not mark:
            return "", "" if answer.lstrip().startswith(("{", "[[")) else answer
        data = {"content": text, "warning": head, "title": _titled(head)}
    if _READER_WARNING.search(str(data.get("warning", ""))):
        raise FetchFault(FetchStatus.FORBIDDEN)
    return str(data.get("title") or ""), str(data.get("content") or "")


def _titled(head: str) -> str:
    lines = (line for line in head.splitlines() if line.startswith("Title:"))
    return next(lines, "").removeprefix("Title:").strip()


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
