"""Parts of a reply that several products share, most of them in OpenAI's shapes."""

from collections.abc import Iterable
from typing import Any

import orjson

from pellucid_gateway.api.http.problems import Problem
from pellucid_gateway.domain.events import TurnResult
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.markdown.addresses import Addresses
from pellucid_gateway.markdown.door import Door
from pellucid_gateway.markdown.escaping import escaped, link

Json = dict[str, Any]

DONE = b"data: [DONE]\n\n"

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "invalid_request_error",
    429: "rate_limit_error",
}


def error_json(problem: Problem) -> Json:
    """OpenAI's error object; the model server's own where that refused."""
    if said := problem.said:
        return {
            "error": {
                "message": said.message or problem.detail,
                "type": said.kind or _TYPES.get(problem.http_status, "server_error"),
                "param": said.param or None,
                "code": said.code or None,
            }
        }
    return {
        "error": {
            "message": problem.detail,
            "type": _TYPES.get(problem.http_status, "server_error"),
            "param": problem.errors[0].field if problem.errors else None,
            "code": problem.code.lower(),
        }
    }


def search_results(sources: Iterable[Source]) -> list[Json]:
    """Sources in the top-level form that frontends read."""
    return [
        {
            "title": source.title or source.url,
            "url": source.url,
            "snippet": source.snippet,
            "date": source.published.time.date().isoformat() if source.published else None,
            "source": "web",
        }
        for source in sources
    ]


def unsupported(result: TurnResult) -> Json:
    """A field with the statements of the answer that no source supports; none where all are."""
    spans = [{"start_index": span.start, "end_index": span.end} for span in result.unsupported]
    return {"unsupported": spans} if spans else {}


def answer_text(result: TurnResult) -> str:
    """The answer; a forced search without one becomes a list, notices stand in for silence."""
    if result.answer or result.tool_calls:
        return result.answer
    listed = [
        f"{s.n}. {link(s.title or s.url, s.url)}\n   {escaped(s.snippet)}" for s in result.sources
    ]
    return "\n".join(listed) or _notices_text(result)


def _notices_text(result: TurnResult) -> str:
    """Notices as an answer; of what they repeat only the person's own addresses stay links."""
    own = (*result.decision.urls, *result.decision.ignored_urls)
    door = Door(Addresses({}, own))
    return "".join(door.passed(f"{notice.text}\n").text for notice in result.notices).rstrip()


def data_event(content: Json) -> bytes:
    """An event without a name."""
    return b"data: " + orjson.dumps(content) + b"\n\n"
