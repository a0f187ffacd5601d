"""The chat page, the dashboard and their files: static, our own, from this package only."""

from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import APIRouter
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

from pellucid_gateway.api.http.guard import PAGE_POLICY

# A script that loads from other hosts too, as its vendor documents.
_MORE_HOSTS = {"https://js.hcaptcha.com": "https://hcaptcha.com https://*.hcaptcha.com"}
_STATIC = Path(str(files("pellucid_gateway") / "static"))


class _Revalidated(StaticFiles):
    """Files that browsers keep but ask about, so that an update shows at once."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["Cache-Control"] = "no-cache"
        return response


def page_routes(challenge_script: str) -> APIRouter:
    """Routes of the pages.

    Args:
        challenge_script: What the chat page may load to show a challenge; empty: nothing.
    """
    policy = chat_policy(challenge_script)
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    async def chat_page() -> Response:
        """Serve the page; it talks to /v1/chat."""
        headers = {"Cache-Control": "no-cache", "Content-Security-Policy": policy}
        return FileResponse(_STATIC / "index.html", headers=headers)

    @router.get("/dashboard")
    async def dashboard() -> Response:
        """Serve the page; it shows /v1/stats."""
        return FileResponse(_STATIC / "dashboard.html", headers={"Cache-Control": "no-cache"})

    return router


def chat_policy(challenge_script: str) -> str:
    """Content-Security-Policy of the chat page: everybody's, and the challenge's host if any.

    >>> chat_policy("https://captcha.example/api.js").partition("script-src ")[2][:36]
    "'self' https://captcha.example; styl"
    """
    if not challenge_script:
        return PAGE_POLICY
    url = urlsplit(challenge_script)
    origin = f"{url.scheme}://{url.netloc}"
    hosts = _MORE_HOSTS.get(origin, origin)
    policy = PAGE_POLICY
    for own in ("script-src 'self'", "style-src 'self'", "connect-src 'self'"):
        policy = policy.replace(own, f"{own} {hosts}")
    return f"{policy}; frame-src {hosts}"


def static_files() -> StaticFiles:
    """Application for `/static`."""
    return _Revalidated(directory=_STATIC)
