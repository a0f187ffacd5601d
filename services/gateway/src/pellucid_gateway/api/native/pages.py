"""The chat page, the dashboard and their files: static, our own, from this package only."""

from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

_STATIC = Path(str(files("pellucid_gateway") / "static"))


class _Revalidated(StaticFiles):
    """Files that browsers keep but ask about, so that an update shows at once."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["Cache-Control"] = "no-cache"
        return response


def page_routes() -> APIRouter:
    """Routes of the pages."""
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    async def chat_page() -> Response:
        """Serve the page; it talks to /v1/chat."""
        return FileResponse(_STATIC / "index.html", headers={"Cache-Control": "no-cache"})

    @router.get("/dashboard")
    async def dashboard() -> Response:
        """Serve the page; it shows /v1/stats."""
        return FileResponse(_STATIC / "dashboard.html", headers={"Cache-Control": "no-cache"})

    return router


def static_files() -> StaticFiles:
    """Application for `/static`."""
    return _Revalidated(directory=_STATIC)
