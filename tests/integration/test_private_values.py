"""No private value of a message reaches a search provider, nor an external model where so set.

The real decision, search, scorer and gateway processes; the provider and the model are the test's
own and keep what they are asked. Every value goes in by one of the faces, with what people say
around it, and comes up again in a follow-up that has lost those words.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

import httpx
import pytest

from rig.fake_brave import FakeBrave
from rig.fake_model import FakeModel, serve_model
from rig.ports import free_port
from rig.private_values import Planted, every
from rig.processes import Process, service_command
from rig.sample import nightly_except

pytestmark = pytest.mark.timeout(400)

_RESULT = {
    "title": "What to do about it",
    "url": "http://advice.example/what-to-do",
    "description": "What is lost can be blocked within minutes, the office said in October 2026.",
}
# Every run sends one value of so many.
SAMPLE = 4
_SERVICES = ("decision", "search", "gateway")


@dataclass(frozen=True, slots=True)
class Town:
    """The three services with what they ask outside."""

    http: httpx.Client
    brave: FakeBrave
    model: FakeModel

    def left(self) -> list[str]:
        """The queries that left since it was last asked."""
        asked = [unquote_plus(path) for path in self.brave.queries]
        self.brave.queries.clear()
        return asked

    def shown(self) -> list[str]:
        """The prompts that left since it was last asked."""
        prompts = [
            "\n".join(str(message["content"]) for message in request["messages"])
            for request in self.model.requests
        ]
        self.model.requests.clear()
        return prompts


def _environment(
    ports: Mapping[str, int], asked: Mapping[str, str], folder: Path
) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "DATA_DIR": str(folder),
        "GATEWAY_PORT": str(ports["http"]),
        "DECISION_TARGET": f"127.0.0.1:{ports['decision']}",
        "SEARCH_TARGET": f"127.0.0.1:{ports['search']}",
        "SCORER_TARGET": asked["scorer"],
        # A busy machine is no reason for another decision.
        "DECISION_UNDERSTAND_TIMEOUT_S": "2",
        "FETCHER_TARGET": f"127.0.0.1:{free_port()}",
        "SEARCH_PROVIDERS": "brave",
        "BRAVE_BASE_URL": asked["brave"],
        "BRAVE_SEARCH_API_KEY": "k",
        "SEARCH_RATES": "brave=500/1",
        "SEARCH_DAILY_BUDGET_USD": "100000",
        "SEARCH_CACHE_TTL_S": "0",
        "OPENAI_BASE_URL": asked["model"],
        "LLM_PROBE": "false",
        "LLM_MODEL": "invented",
        "LLM_REDACT_SECRETS": "true",
        "GATEWAY_SEARCHES_PER_DAY": "0",
        "GATEWAY_ADDRESS_REQUESTS_PER_MINUTE": "0",
        "GATEWAY_SUSPICION_THRESHOLD": "1.01",
        "LOG_FORMAT": "json",
    }


@pytest.fixture(name="town", scope="module")
def town_fixture(tmp_path_factory: pytest.TempPathFactory, scorer: str) -> Iterator[Town]:
    folder = tmp_path_factory.mktemp("town")
    ports = {name: free_port() for name in (*_SERVICES, "http")}
    brave = FakeBrave([_RESULT])
    brave.start()
    with ExitStack() as stack:
        stack.callback(brave.stop)
        model = stack.enter_context(serve_model(FakeModel(["It can be blocked at once."])))
        asked = {"scorer": scorer, "brave": brave.url, "model": model.url}
        common = _environment(ports, asked, folder)
        for name in _SERVICES:
            metrics = free_port()
            own = {"GRPC_PORT": str(ports[name]), "METRICS_PORT": str(metrics)}
            ready = f"http://127.0.0.1:{metrics}/readyz"
            process = Process(
                name, service_command(name), common | own, folder / f"{name}.log", ready
            )
            process.start()
            stack.callback(process.stop)
            process.wait_ready()
        base = f"http://127.0.0.1:{ports['http']}"
        http = stack.enter_context(httpx.Client(base_url=base, trust_env=False, timeout=30))
        yield Town(http, brave, model)


def _ask(http: httpx.Client, place: int, said: Sequence[str]) -> None:
    """Ask by one of the faces; `said` alternates between the person and the assistant."""
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(said)]
    chat: dict[str, Any] = {"model": "pellucid", "messages": messages, "stream": place % 2 == 0}
    wants = {"pellucid": {"web_mode": "on"}}
    person = f"p{place}"
    asked: dict[str, dict[str, Any]] = {
        "/v1/chat": {
            "messages": messages,
            "web_mode": "on",
            "user_id": person,
            "stream": place % 2 == 0,
            "depth": ("quick", "standard", "deep")[place % 3],
        },
        "/v1/chat/completions": chat | wants | {"user": person},
        "/v1/responses": {"model": "pellucid", "input": messages, "user": person} | wants,
        "/v1/messages": chat | wants | {"max_tokens": 400},
        "/compat/perplexity/chat/completions": chat | {"user": person},
        "/v1/search": {"query": said[-1], "user_id": person},
        "/compat/tavily/search": {"query": said[-1]},
    }
    paths = list(asked)
    path = paths[place % len(paths)]
    reply = http.post(path, json=asked[path])
    assert reply.status_code == httpx.codes.OK, (path, reply.text)


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()


def _holds(text: str, one: Planted) -> bool:
    """Whether a string holds the value, however written, or a telling part of it."""
    if _squeezed(one.value) in _squeezed(text):
        return True
    runs = re.findall(r"[^\W_]{5,}", one.value) if one.kind in {"password", "token"} else []
    words = set(re.findall(r"[^\W_]+", text))
    return any(run in words for run in runs if not run.isalpha())


def test_the_values_are_many() -> None:
    assert len(every()) >= 150


@pytest.mark.parametrize("step", nightly_except({SAMPLE}, (SAMPLE, 1)))
def test_no_planted_value_leaves_by_any_api(town: Town, step: int) -> None:
    planted = every()[::step]
    asked, prompted = 0, 0
    leaked: list[tuple[str, str, str]] = []
    for place, one in enumerate(planted):
        # On the search faces there is no conversation that could tell what a value was.
        follow_up = place % 7 < 5
        turns = ([one.message], [one.message, "Here is what helps.", one.follow_up])
        for said in turns[: 2 if follow_up else 1]:
            _ask(town.http, place, said)
            queries, prompts = town.left(), town.shown()
            asked += len(queries)
            leaked += [(one.kind, said[-1], query) for query in queries if _holds(query, one)]
            if place % 7 == 0:
                prompted += len(prompts)
                kept = one.kind in {"phone", "email"}
                leaked += [
                    (f"prompt {one.kind}", said[-1], prompt[-300:])
                    for prompt in prompts
                    if not kept and _holds(prompt, one)
                ]
    # Turns that ask for the same share what was found.
    assert asked > len(planted) / 2
    assert prompted > 0
    assert leaked == []
