"""Liveness, readiness, metrics and build of this process. Other services do not matter here."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, generate_latest
from pydantic import Field
from starlette.responses import Response

from pellucid_gateway.api.http.responses import JsonResponse
from pellucid_gateway.api.native.documentation import described
from pellucid_gateway.api.native.replies import Reply
from pellucid_runtime.health import Health

_NAME = "pellucid-gateway"


class VersionReply(Reply):
    """Version and features of the server."""

    name: str
    version: str
    features: list[str] = Field(description="Optional APIs that are enabled.")
    examples: list[str] = Field(description="Example questions; empty: the chat page's own.")
    fast_model: str = Field(description="Model that suggests follow-up questions; empty: none.")


def probe_routes(health: Health, about: Mapping[str, Any]) -> APIRouter:
    """Routes for machines that watch this one; `about` tells what it offers."""
    router = APIRouter(tags=["probes"])

    @router.get("/livez", response_class=Response, responses={200: {"description": "Alive."}})
    async def livez() -> Response:
        """Say that the event loop runs."""
        return JsonResponse({"status": "ok"})

    @router.get(
        "/readyz",
        response_class=Response,
        responses={200: {"description": "Ready."}, 503: {"description": "Not ready."}},
    )
    async def readyz() -> Response:
        """Say whether requests should be sent here; ignores other services and Redis."""
        status = 200 if health.ready else 503
        return JsonResponse({"ready": health.ready, "components": dict(health.components)}, status)

    @router.get("/metrics", response_class=Response, responses={200: {"description": "Text."}})
    async def metrics() -> Response:
        """Prometheus text, the same as on the metrics port."""
        return Response(generate_latest(REGISTRY), media_type=CONTENT_TYPE_LATEST)

    @router.get("/v1/version", **described(None, VersionReply))
    async def build() -> Response:
        """Name, version, the optional APIs that are on, and what the chat page needs to know."""
        return JsonResponse({"name": _NAME, "version": version(_NAME), **about})

    return router
