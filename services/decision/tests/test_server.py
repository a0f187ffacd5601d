"""The real server over gRPC."""

import grpc
import pytest
from pellucid.common.v1 import common_pb2 as common
from pellucid.decision.v1 import decision_pb2 as pb
from pellucid.decision.v1.decision_pb2_grpc import DecisionServiceStub


async def test_small_talk_is_answered_at_once(stub: DecisionServiceStub) -> None:
    decision = (await stub.Decide(pb.DecideRequest(message="hello"))).decision
    assert decision.action == pb.ACTION_ANSWER
    assert decision.stage == pb.STAGE_RULE
    assert decision.topicless
    assert decision.standalone_question == "hello"
    assert not decision.queries


async def test_search_carries_queries_signals_and_a_reason(stub: DecisionServiceStub) -> None:
    request = pb.DecideRequest(message="Who is the current CEO of Apple?")
    decision = (await stub.Decide(request)).decision
    assert decision.needs_search
    assert decision.queries[0].text == "Apple CEO 2026"
    assert decision.signals[0].name == "role_holder"
    assert decision.reason.endswith(".")
    assert decision.language == "en"
    assert 0.5 <= decision.confidence <= 1


async def test_address_is_fetched_and_not_searched(stub: DecisionServiceStub) -> None:
    request = pb.DecideRequest(message="Summarise http://docs.localhost:8099/guide please")
    decision = (await stub.Decide(request)).decision
    assert decision.action == pb.ACTION_FETCH
    assert list(decision.urls) == ["http://docs.localhost:8099/guide"]
    assert not decision.queries


async def test_follow_up_uses_the_history(stub: DecisionServiceStub) -> None:
    history = [
        common.Message(role=common.ROLE_USER, content="Who is the CEO of Siemens?"),
        common.Message(role=common.ROLE_ASSISTANT, content="Roland Busch leads Siemens."),
    ]
    request = pb.DecideRequest(message="And what about its CFO?", history=history)
    decision = (await stub.Decide(request)).decision
    assert decision.needs_search
    assert decision.requires_context
    assert "Siemens" in decision.standalone_question
    assert "Siemens" in decision.queries[0].text
    assert "CFO" in decision.queries[0].text


async def test_max_queries_is_kept(stub: DecisionServiceStub) -> None:
    request = pb.DecideRequest(message="latest news about the Mars rover", max_queries=1)
    assert len((await stub.Decide(request)).decision.queries) == 1


async def test_the_requests_own_instant_wins(stub: DecisionServiceStub) -> None:
    request = pb.DecideRequest(message="Who is the current CEO of Apple?")
    request.now.FromJsonString("2031-05-01T00:00:00Z")
    decision = (await stub.Decide(request)).decision
    assert decision.queries[0].text == "Apple CEO 2031"


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (pb.DecideRequest(), "message"),
        (pb.DecideRequest(message="\u200b \x00"), "message"),
        (pb.DecideRequest(message="x", time_zone="Mars/Olympus"), "time_zone"),
        (pb.DecideRequest(message="x", web_mode=9), "web_mode"),
        (pb.DecideRequest(message="x" * 40_000), "message"),
    ],
)
async def test_bad_requests_name_the_field(
    stub: DecisionServiceStub, request_: pb.DecideRequest, field: str
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.Decide(request_)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert field in caught.value.details()


async def test_reflection_says_what_is_missing(stub: DecisionServiceStub) -> None:
    request = pb.ReflectRequest(
        question="Who is the CFO of Siemens?",
        target_info=["the person's name"],
        extracts=[pb.Extract(title="Siemens", text="Siemens makes trains.")],
        used_queries=["Siemens CFO"],
    )
    response = await stub.Reflect(request)
    assert not response.sufficient
    assert response.judge == "coverage"
    assert "CFO" in response.missing_aspects
    assert response.refined_query
    assert response.refined_query != "Siemens CFO"


async def test_reflection_accepts_a_full_answer(stub: DecisionServiceStub) -> None:
    request = pb.ReflectRequest(
        question="Who is the CFO of Siemens?",
        target_info=["the person's name"],
        extracts=[pb.Extract(title="Siemens CFO", text="Ralf Thomas is the CFO of Siemens AG.")],
    )
    response = await stub.Reflect(request)
    assert response.sufficient
    assert not response.missing_aspects
    assert not response.refined_query
