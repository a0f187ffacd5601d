"""Serves the pages of the small corpus, one site per folder, chosen by the Host header.

For demonstrations and tests on one machine: loopback only, no TLS, no ranges, no compression.
Every request reads the file again, so an edited page shows at once. `PAGES_PORT` (default 8099) and
`CORPUS_DIR` (default the repository's `corpus/`) are its only settings.

It does not decide what a page means: dates are read from the page only to send an honest
`Last-Modified`, because a file's own time is the time of the checkout.
"""

import hashlib
import html
import os
import re
import signal
import socket
import sys
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

ADDRESS = "127.0.0.1"
DEFAULT_PORT = 8099
DEFAULT_CORPUS = Path(__file__).resolve().parents[2] / "corpus"
SITE_SUFFIX = ".localhost"
# HTML asks authors to declare the encoding within the first 1024 bytes.
DECLARATION_BYTES = 1024
# Dates stand in the head; the longest head of the corpus is about 3 KB.
DATE_BYTES = 8192
GRACE_SECONDS = 2

CONTENT_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".xml": "application/xml",
}
BINARY_TYPES = frozenset({"application/pdf"})
PERMISSIVE_ROBOTS = "User-agent: *\nAllow: /\n"

_DECLARED_CHARSET = re.compile(rb"""<meta[^>]+charset=["']?([A-Za-z0-9_-]+)""", re.IGNORECASE)
_DECLARED_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rb'"dateModified"\s*:\s*"([^"]+)"',
        rb'property="article:modified_time"\s+content="([^"]+)"',
        rb'"datePublished"\s*:\s*"([^"]+)"',
        rb'property="article:published_time"\s+content="([^"]+)"',
        rb'<time[^>]+datetime="([^"]+)"',
    )
)


def site_names(corpus: Path) -> tuple[str, ...]:
    """Return the host names that the corpus has a folder for, in order of name."""
    return tuple(sorted(item.name for item in corpus.iterdir() if item.name.endswith(SITE_SUFFIX)))


def site_folder(corpus: Path, host_header: str) -> Path | None:
    """Return the folder of the site that a Host header names, or None when there is none.

    Args:
        corpus: Folder of the sites.
        host_header: As sent, with or without a port.
    """
    name = host_header.rpartition(":")[0] if ":" in host_header else host_header
    name = name.lower().rstrip(".")
    return corpus / name if name in site_names(corpus) else None


def find_file(site: Path, path: str) -> Path | None:
    """Return the file that a decoded URL path addresses, or None; never one outside the site.

    A folder is addressed with a trailing slash and answers with its `index.html`. Hidden names,
    backslashes and control characters are refused.

    Args:
        site: Folder of the site.
        path: URL path after percent-decoding, beginning with a slash.
    """
    segments = path.removeprefix("/").split("/")
    if any(segment.startswith(".") for segment in segments):
        return None
    if "\\" in path or not path.isprintable():
        return None
    *folders, last = segments
    found = site.joinpath(*folders, last or "index.html")
    inside = found.resolve().is_relative_to(site.resolve())
    return found if inside and found.is_file() else None


def content_type(suffix: str, body: bytes) -> str:
    """Return the Content-Type of a file, with the charset that an HTML page declares.

    Args:
        suffix: File name ending with its dot, lower case.
        body: The whole file.
    """
    kind = CONTENT_TYPES.get(suffix, "application/octet-stream")
    if kind in BINARY_TYPES or kind == "application/octet-stream":
        return kind
    declared = _DECLARED_CHARSET.search(body[:DECLARATION_BYTES])
    charset = declared.group(1).decode("ascii") if declared and suffix == ".html" else "utf-8"
    return f"{kind}; charset={charset.lower()}"


def page_date(body: bytes) -> datetime | None:
    """Return the date that a page gives for itself, newest meaning first, or None.

    Args:
        body: The whole file; only its first 8 KiB are looked at.
    """
    for pattern in _DECLARED_DATES:
        found = pattern.search(body[:DATE_BYTES])
        if found and (date := _parse_date(found.group(1).decode("ascii", "replace"))):
            return date
    return None


def _parse_date(text: str) -> datetime | None:
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        return None
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)


def page_response(file: Path, known_tag: str | None) -> Response:
    """Return the response for a file, or 304 when the caller already has this version.

    Args:
        file: Exists.
        known_tag: Value of If-None-Match, or None.
    """
    body = file.read_bytes()
    tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    headers = {"ETag": tag, "Cache-Control": "max-age=60", "X-Content-Type-Options": "nosniff"}
    if date := page_date(body):
        headers["Last-Modified"] = format_datetime(date, usegmt=True)
    if known_tag == tag:
        return Response(status_code=304, headers=headers)
    headers["Content-Type"] = content_type(file.suffix.lower(), body)
    return Response(body, headers=headers)


def not_found(title: str, text: str, links: tuple[str, ...] = ()) -> Response:
    """Return a 404 page for people; every argument is escaped."""
    items = "".join(f'<li><a href="{html.escape(link)}">{html.escape(link)}</a>' for link in links)
    page = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<h1>{html.escape(title)}</h1><p>{html.escape(text)}</p><ul>{items}</ul></html>"
    )
    return Response(page, status_code=404, media_type="text/html")


def answer(request: Request, corpus: Path) -> Response:
    """Return the response to one request.

    Args:
        request: Any request; the body is not read.
        corpus: Folder of the sites.
    """
    path = request.scope["path"]
    if request.method not in {"GET", "HEAD"}:
        return PlainTextResponse("method not allowed\n", 405, {"Allow": "GET, HEAD"})
    if path == "/healthz":
        return PlainTextResponse("ok\n")
    site = site_folder(corpus, request.headers.get("host", ""))
    if site is None:
        port = request.scope["server"][1]
        links = tuple(f"http://{name}:{port}/" for name in site_names(corpus))
        return not_found("No such site", "The corpus has these sites:", links)
    return _site_answer(site, path, request.headers.get("if-none-match"))


def _site_answer(site: Path, path: str, known_tag: str | None) -> Response:
    if file := find_file(site, path):
        return page_response(file, known_tag)
    if path == "/robots.txt":
        return PlainTextResponse(PERMISSIVE_ROBOTS)
    if find_file(site, f"{path}/"):
        return RedirectResponse(f"{path.rpartition('/')[2]}/", 301)
    return not_found("Page not found", f"{site.name} has no page at this address.", ("/",))


def page_app(corpus: Path) -> ASGIApp:
    """Return the ASGI application that serves the sites under `corpus`."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await answer(Request(scope), corpus)(scope, receive, send)

    return app


class _AnnouncedServer(uvicorn.Server):
    """Says one line once it accepts connections."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        print(f"pages: listening on http://<name>.localhost:{self.config.port}", flush=True)


def main() -> int:
    """Serve until SIGTERM or SIGINT. Returns 0, or 1 when a setting is unusable."""
    corpus = Path(os.environ.get("CORPUS_DIR", DEFAULT_CORPUS))
    port_text = os.environ.get("PAGES_PORT", str(DEFAULT_PORT))
    if not corpus.is_dir():
        print(f"pages: CORPUS_DIR is not a folder: {corpus}", file=sys.stderr)
        return 1
    try:
        listener = socket.create_server((ADDRESS, int(port_text)))
    except (OSError, OverflowError, ValueError) as error:
        print(f"pages: cannot listen on PAGES_PORT {port_text}: {error}", file=sys.stderr)
        return 1
    serve(page_app(corpus), listener)
    return 0


def serve(app: ASGIApp, listener: socket.socket) -> None:
    """Serve until a stop signal; requests under way get two seconds to finish."""
    # uvicorn raises the signal again once it has drained; a clean stop is exit status 0.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    config = uvicorn.Config(
        app,
        port=listener.getsockname()[1],
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    _AnnouncedServer(config).run(sockets=[listener])


if __name__ == "__main__":
    sys.exit(main())
