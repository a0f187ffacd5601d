"""Every known kind of model server answers on every face, or its failure is told by its cause.

See `rig.model_profiles`. One search turn a face; a second one makes no refused call again.
"""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import httpx
import pytest
from api_fakes import MakeApp
from port_fakes import QUESTION
from turn_fakes import Rig

from pellucid_gateway.adapters.model import LlmAnswerModel
from pellucid_gateway.settings import GatewaySettings
from pellucid_runtime.llm.asking import Patience
from pellucid_runtime.llm.endpoint import open_endpoint
from pellucid_runtime.llm.model import (
    ChatMessage,
    ChatRequest,
    LlmError,
    LlmRejectedError,
    LlmUnavailableError,
)
from pellucid_runtime.llm.openai import OpenAiClient
from pellucid_runtime.llm.probe import tried_models
from rig.model_profiles import PROFILES
from rig.profile_rules import HALF, SHOWN, THOUGHT, WRITTEN, Profile
from rig.profile_server import ProfileServer
from rig.sample import sampled

# Who says nothing is given up on; a busy machine is no reason to do so with others.
SILENT = {"falls-silent", "never-begins"}
IMPATIENT = Patience(first_token_s=1.5, idle_s=0.5, answer_s=3.0)
PATIENT = Patience(first_token_s=30.0, idle_s=30.0, answer_s=60.0)
SYSTEM = {"role": "system", "content": "Be kind."}
USER = {"role": "user", "content": QUESTION}
OPTIONS = {"web_mode": "on", "citation_style": "natural"}
CHAT = {"model": "m", "messages": [SYSTEM, USER], "pellucid": OPTIONS}
RESPONSES = {"model": "m", "instructions": "Be kind.", "input": QUESTION, "pellucid": OPTIONS}
MESSAGES = {
    "model": "m",
    "max_tokens": 100,
    "system": "Be kind.",
    "messages": [USER],
    "pellucid": OPTIONS,
}
SCHEMA = {"type": "object", "properties": {"search": {"type": "boolean"}}}


@dataclass
class Tried:
    """A gateway over one profile."""

    server: ProfileServer
    client: OpenAiClient
    http: httpx.AsyncClient

    async def events(self, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
        """The JSON of each event of a stream."""
        reply = await self.http.post(path, json=body | {"stream": True})
        assert reply.status_code == 200, reply.text
        lines = [line.removeprefix("data: ") for line in reply.text.splitlines()]
        return [json.loads(line) for line in lines if line.startswith("{")]


@asynccontextmanager
async def tried(profile: Profile, make_app: MakeApp) -> AsyncIterator[Tried]:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(ProfileServer(profile))
        endpoint = await open_endpoint(server.url, lambda: "key", "m", stack)
        patience = IMPATIENT if profile.name in SILENT else PATIENT
        client = OpenAiClient([endpoint], patience)
        model = LlmAnswerModel(client, name="m", receiver="", window_tokens=32_768)
        app = make_app(engine=Rig(model=cast("Any", model)).engine)
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        base = "http://localhost:8080"
        http = await stack.enter_async_context(
            httpx.AsyncClient(transport=transport, base_url=base, timeout=60)
        )
        yield Tried(server, client, http)


@pytest.fixture(params=PROFILES, ids=lambda profile: profile.name)
def profile(request: pytest.FixtureRequest) -> Profile:
    return cast("Profile", request.param)


def only(kind: str, every: int = 1) -> Any:
    """Those of a kind; on every run one of so many."""
    wanted = [p for p in PROFILES if (p.ends if p.ends in {"whole", "partial"} else "") == kind]
    return pytest.mark.parametrize("profile", sampled(wanted, every), ids=lambda one: one.name)


def clean(text: str, expected: str) -> None:
    assert text.strip() == expected.strip()
    assert not any(piece.strip() in text for piece in THOUGHT)


@only("whole")
async def test_an_answer_arrives_whole_and_a_refusal_is_met_once(
    profile: Profile, make_app: MakeApp
) -> None:
    async with tried(profile, make_app) as rig:
        for turn in range(2):
            before = rig.server.refused
            events = await rig.events("/v1/chat", {"message": QUESTION, "web_mode": "on"})
            result = events[-1]
            clean(result["answer"], SHOWN)
            assert (result["answer_kind"], result["partial"]) == ("model", False)
            assert [cited["source"] for cited in result["citations"]] == [1]
            clean("".join(e["text"] for e in events if set(e) == {"text"}), SHOWN)
            assert turn == 0 or rig.server.refused == before


@only("whole", every=3)
async def test_an_answer_arrives_whole_on_the_other_apis(
    profile: Profile, make_app: MakeApp
) -> None:
    async with tried(profile, make_app) as rig:
        chunks = await rig.events("/v1/chat/completions", CHAT)
        deltas = [c["choices"][0]["delta"] for c in chunks if c["choices"]]
        clean("".join(d.get("content") or "" for d in deltas), SHOWN)
        thought = "".join(d.get("reasoning_content") or "" for d in deltas)
        assert ("".join(THOUGHT) in thought) == profile.thinks

        refused = rig.server.refused
        whole = (await rig.http.post("/v1/chat/completions", json=CHAT)).json()
        clean(whole["choices"][0]["message"]["content"], SHOWN)
        assert whole["choices"][0]["finish_reason"] == "stop"

        response = (await rig.http.post("/v1/responses", json=RESPONSES)).json()
        assert response["status"] == "completed"
        clean(response["output"][-1]["content"][0]["text"], SHOWN)

        limit = 4_096 if profile.counts else 100
        asked = MESSAGES | {"max_tokens": limit}
        message = (await rig.http.post("/v1/messages", json=asked)).json()
        clean("".join(b["text"] for b in message["content"] if b["type"] == "text"), SHOWN)
        assert rig.server.refused <= refused + 1, "a client's limit may have another name"


@only("whole", every=2)
async def test_a_side_call_gets_its_json(profile: Profile, make_app: MakeApp) -> None:
    async with tried(profile, make_app) as rig:
        request = ChatRequest(
            [ChatMessage("system", "Decide on a search."), ChatMessage("user", "the toll?")],
            temperature=0.2,
            max_tokens=200,
            json_schema=SCHEMA,
            task="decision",
        )
        for turn in range(3):
            before = rig.server.refused
            text = (await rig.client.complete(request)).text
            assert json.loads(text[text.find("{") : text.rfind("}") + 1])["search"] is True
            assert turn < 2 or rig.server.refused == before


@only("partial")
async def test_what_was_written_before_a_break_is_kept_on_every_api(
    profile: Profile, make_app: MakeApp
) -> None:
    async with tried(profile, make_app) as rig:
        result = (await rig.events("/v1/chat", {"message": QUESTION, "web_mode": "on"}))[-1]
        clean(result["answer"], HALF)
        assert result["partial"]
        assert "partial_answer" in {notice["code"] for notice in result["notices"]}

        chunks = await rig.events("/v1/chat/completions", CHAT)
        said = "".join(c["choices"][0]["delta"].get("content") or "" for c in chunks)
        clean(said, HALF)
        assert chunks[-1]["partial"]
        assert chunks[-1]["choices"][0]["finish_reason"] in {"length", "content_filter"}

        response = (await rig.http.post("/v1/responses", json=RESPONSES)).json()
        assert response["status"] == "incomplete"
        clean(response["output"][-1]["content"][0]["text"], HALF)

        message = (await rig.http.post("/v1/messages", json=MESSAGES)).json()
        assert message["stop_reason"] in {"max_tokens", "refusal"}
        clean("".join(b["text"] for b in message["content"] if b["type"] == "text"), HALF)


@only("")
async def test_a_failure_is_told_by_its_cause(profile: Profile, make_app: MakeApp) -> None:
    async with tried(profile, make_app) as rig:
        result = (await rig.events("/v1/chat", {"message": QUESTION, "web_mode": "on"}))[-1]
        assert result["answer_kind"] == "extractive"
        assert "llm" in {loss["component"] for loss in result["degraded"]}
        told = {notice["code"] for notice in result["notices"]}
        named = {"model_failed"} if profile.ends == "server_error" else {f"model_{profile.ends}"}
        assert named <= told

        if not profile.steps:
            with pytest.raises(LlmError) as caught:
                await rig.client.complete(ChatRequest([ChatMessage("user", "hi")]))
            assert caught.value.cause == profile.ends
        if profile.ends in {"server_error", "too_slow"}:
            return
        for path, body in (
            ("/v1/chat/completions", CHAT),
            ("/v1/responses", RESPONSES),
            ("/v1/messages", MESSAGES),
        ):
            reply = await rig.http.post(path, json=body)
            assert reply.status_code == _status(profile)
            assert reply.json()["error"]["message"]
            if profile.ends == "rate_limited":
                assert 0 < int(reply.headers["retry-after"]) <= 30
            last = (await rig.events(path, body))[-1]
            assert "error" in (last.get("response") or last)


def _status(profile: Profile) -> int:
    """The status that the server itself answers with."""
    (rule,) = profile.rules
    reply = rule(cast("Any", None))
    assert reply is not None
    return reply.status


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("openai-gpt-5", "JSON by schema, reports usage, thinks"),
        ("deepseek-chat", "JSON without a schema, reports usage"),
        ("gemini-compatible", "JSON by schema, does not report usage"),
        ("azure-classic", "JSON by schema, reports usage"),
        ("wrong-key", "does not answer: wrong_key (status 401)"),
    ],
)
async def test_a_check_says_what_the_model_can_do(name: str, found: str) -> None:
    (profile,) = (one for one in PROFILES if one.name == name)
    async with ProfileServer(profile) as server:
        settings = GatewaySettings(
            openai_base_url=server.url, openai_api_key="key", llm_model="m", llm_fast_model="m"
        )
        (line,) = [line async for line in tried_models(settings)]
    assert line.startswith("model m at 127.0.0.1 ")
    assert line.endswith(found)


async def test_a_check_says_that_no_model_is_configured() -> None:
    (line,) = [line async for line in tried_models(GatewaySettings())]
    assert "LLM_MODEL is not set" in line


async def test_a_server_that_answers_one_at_a_time_is_learnt(make_app: MakeApp) -> None:
    (profile,) = (one for one in PROFILES if one.one_at_a_time)
    answer = ChatRequest(messages=[ChatMessage("user", "The toll?")])
    judging = ChatRequest(messages=[ChatMessage("user", "Is it so?")], task="judging")
    async with tried(profile, make_app) as rig:
        assert len([chunk async for chunk in rig.client.stream(answer)]) > len(WRITTEN)

        async def judged_beside() -> None:
            async for _ in rig.client.stream(answer):
                await rig.client.complete(judging)

        with pytest.raises(LlmUnavailableError, match="broke off"):
            await judged_beside()

        text = ""
        async for chunk in rig.client.stream(answer):
            text += chunk.text
            with pytest.raises(LlmRejectedError, match="busy"):
                await rig.client.complete(judging)
        assert text == "".join(WRITTEN)
