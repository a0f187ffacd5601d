"""Errors of compatible faces: the same problems in the shape that a face's clients expect."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import Response

from pellucid_gateway.faces.problems import Problem, ProblemError, problem_of
from pellucid_gateway.faces.responses import JsonResponse
from pellucid_runtime.errors import ServiceError

# What other products send is longer than a native request: whole histories, images, files.
COMPATIBLE_BODY_BYTES = 20 * 1024 * 1024
# Days of the words that search APIs use for windows.
WINDOW_DAYS = {"day": 1, "d": 1, "week": 7, "w": 7, "month": 31, "m": 31, "year": 365, "y": 365}

Handler = Callable[[Request], Awaitable[Response]]


class Lenient(BaseModel):
    """Base of requests that others designed: unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def answering_in(shape: Callable[[Problem], Any]) -> Callable[[Handler], Handler]:
    """Decorate a route so that problems take the shape of its face.

    Args:
        shape: Makes the JSON of a problem.
    """

    def decorate(handler: Handler) -> Handler:
        @wraps(handler)
        async def answer(request: Request) -> Response:
            try:
                return await handler(request)
            except ProblemError as error:
                problem = error.problem
            except ServiceError as error:
                problem = problem_of(error)
            return _response(shape, problem)

        return answer

    return decorate


def _response(shape: Callable[[Problem], Any], problem: Problem) -> Response:
    response = JsonResponse(shape(problem), problem.http_status)
    if problem.retry_after_s is not None:
        response.headers["Retry-After"] = str(max(1, round(problem.retry_after_s)))
    return response
