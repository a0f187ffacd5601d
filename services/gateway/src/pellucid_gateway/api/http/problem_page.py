"""A problem as a page, for people who meet it in a browser."""

from html import escape

from starlette.datastructures import Headers
from starlette.types import Scope

from pellucid_gateway.api.http.problems import Problem

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Pellucid</title>
<link rel="icon" href="{base}/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="{base}/static/css/tokens.css">
<link rel="stylesheet" href="{base}/static/css/reference.css">
<script src="{base}/static/js/first-paint.js"></script>
</head><body><main>
<p>{status}</p>
<h1>{title}</h1>
<p>{detail}</p>
<p><a href="{base}/">Start page</a></p>
</main></body></html>"""


def wants_page(scope: Scope) -> bool:
    """Whether a person's browser opens this address, rather than a program."""
    is_read = scope["type"] == "http" and scope["method"] == "GET"
    return is_read and "text/html" in Headers(scope=scope).get("accept", "")


def problem_page(problem: Problem, base: str) -> bytes:
    """HTML of a problem; `base` is the path prefix that a proxy in front strips."""
    told = {name: escape(str(value)) for name, value in problem.document().items()}
    return _PAGE.format(base=escape(base), **told).encode()
