"""The real server over gRPC."""

import grpc
import pytest
from pellucid.decision.v1 import decision_pb2 as pb
from pellucid.decision.v1.decision_pb2_grpc import DecisionServiceStub


async def test_an_order_not_to_search_is_kept(stub: DecisionServiceStub) -> None:
    decision = (await stub.Decide(pb.DecideRequest(message="Don't search: hello"))).decision
    assert decision.action == pb.ACTION_ANSWER
    assert decision.stage == pb.STAGE_RULE
    assert decision.standalone_question == "Don't search: hello"
    assert not decision.queries


async def test_without_a_scorer_words_decide_and_it_is_told(stub: DecisionServiceStub) -> None:
    request = pb.DecideRequest(message="Who is the current CEO of Apple?")
    answer = await stub.Decide(request)
    decision = answer.decision
    assert decision.needs_search
    assert decision.stage == pb.STAGE_FALLBACK
    assert [lost.component for lost in answer.degraded] == ["decision"]
    assert set(decision.queries[0].text.split()) >= {"CEO", "Apple"}
    assert {signal.name for signal in decision.signals} == {"time_word", "role_holder"}
    assert decision.reason.endswith(".")
    assert decision.language == "en"
    assert 0.5 <= decision.confidence <= 1


async def test_address_is_fetched_and_not_searched(stub: DecisionServiceStub) -> None:
    request = pb.DecideRequest(message="Summarise http://docs.localhost:8099/guide please")
    decision = (await stub.Decide(request)).decision
    assert decision.action == pb.ACTION_FETCH
    assert list(decision.urls) == ["http://docs.localhost:8099/guide"]
    assert not decision.queries


async def test_max_queries_is_kept(stub: DecisionServiceStub) -> None:
    words = " ".join(f"today Word{number}" for number in range(20))
    request = pb.DecideRequest(message=words, max_queries=1, max_parts=1)
    assert len((await stub.Decide(request)).decision.queries) == 1


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
