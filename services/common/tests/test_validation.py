"""Limits of the contract, as the validator reads them from the descriptors."""

import math
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct, Value
from google.protobuf.timestamp_pb2 import Timestamp
from google.rpc import error_details_pb2
from pellucid.common.v1 import common_pb2
from pellucid.decision.v1 import decision_pb2
from pellucid.gateway.v1 import gateway_pb2
from pellucid.scorer.v1 import scorer_pb2

from pellucid_runtime.errors import InvalidArgumentError
from pellucid_runtime.rpc.validation import Validator


def breach(message: Message) -> tuple[str, str]:
    with pytest.raises(InvalidArgumentError) as caught:
        Validator().validate(message)
    return caught.value.metadata["field"], caught.value.metadata["limit"]


def candidate(**fields: Any) -> scorer_pb2.Candidate:
    return scorer_pb2.Candidate(**{"id": "1", "url": "https://a.example/"} | fields)


def score(**fields: Any) -> scorer_pb2.ScoreRequest:
    return scorer_pb2.ScoreRequest(**{"question": "q", "candidates": [candidate()]} | fields)


def test_request_within_its_limits_passes() -> None:
    Validator().validate(
        score(
            weights={"semantic": 0.5, "trust": 0.5},
            threshold=0.0,
            now=Timestamp(seconds=1_800_000_000),
            subject={"title": "t", "speakers": ["a", "b"]},
        )
    )


def test_required_text_must_not_be_empty() -> None:
    assert breach(score(question="")) == ("question", "must be given")


def test_required_list_must_not_be_empty() -> None:
    request = scorer_pb2.SimilarityRequest(text="a")
    assert breach(request) == ("others", "must be given")


def test_required_enum_must_not_be_unspecified() -> None:
    request = gateway_pb2.ChatRequest(messages=[common_pb2.Message(content="hi")])
    assert breach(request) == ("messages[0].role", "must be given")


def test_limit_inside_a_repeated_message_names_the_element() -> None:
    request = score(candidates=[candidate(), candidate(title="x" * 4097)])
    assert breach(request) == ("candidates[1].title", "at most 4096 bytes")


def test_limit_of_each_element_of_a_repeated_text() -> None:
    request = score(subject={"speakers": ["fine", "x" * 257]})
    assert breach(request) == ("subject.speakers[1]", "at most 256 bytes")


def test_bytes_are_counted_and_not_characters() -> None:
    at_the_limit = "가" * (4096 // 3)
    Validator().validate(score(candidates=[candidate(title=at_the_limit)]))
    assert breach(score(candidates=[candidate(title=at_the_limit + "가")]))[0] == (
        "candidates[0].title"
    )


def test_number_of_items_is_bounded() -> None:
    request = decision_pb2.DecideRequest(
        message="hi", history=[common_pb2.Message(role="ROLE_USER")] * 22
    )
    assert breach(request) == ("history", "at most 21 items")


@pytest.mark.parametrize(
    ("value", "limit"),
    [
        (-0.1, "at least 0"),
        (1.1, "at most 1"),
        (math.nan, "must be a finite number"),
        (math.inf, "must be a finite number"),
        (-math.inf, "must be a finite number"),
    ],
)
def test_numbers_outside_their_range_or_not_finite(value: float, limit: str) -> None:
    assert breach(score(weights={"trust": value})) == ("weights.trust", limit)
    assert breach(score(threshold=value)) == ("threshold", limit)


def test_whole_numbers_are_bounded_too() -> None:
    assert breach(score(max_results=1001)) == ("max_results", "at most 1000")


def test_enum_number_that_the_contract_does_not_define() -> None:
    request = decision_pb2.DecideRequest(message="hi")
    request.web_mode = 77
    assert breach(request) == ("web_mode", "a value of pellucid.decision.v1.WebMode")


def test_timestamp_that_no_calendar_has() -> None:
    request = score(now=Timestamp(seconds=10**15))
    assert breach(request) == ("now", "a time from year 1 to year 9999")
    request = score(candidates=[candidate(published_at=Timestamp(nanos=-1))])
    assert breach(request)[0] == "candidates[0].published_at"


def test_duration_beyond_what_protobuf_allows() -> None:
    late = error_details_pb2.RetryInfo(retry_delay=Duration(seconds=10**12))
    assert breach(late) == ("retry_delay", "a duration of at most 10,000 years")
    torn = error_details_pb2.RetryInfo(retry_delay=Duration(seconds=1, nanos=-1))
    assert breach(torn)[0] == "retry_delay"


def test_values_of_a_map_are_looked_at_and_named_by_key() -> None:
    fields = Struct(fields={"ratio": Value(number_value=math.nan)})
    assert breach(fields) == ("fields['ratio'].number_value", "must be a finite number")


def test_every_limit_of_every_request_can_be_read() -> None:
    """Plans of all messages of the contract are built: no descriptor is beyond the validator."""
    validator = Validator()
    modules = (common_pb2, decision_pb2, gateway_pb2, scorer_pb2)
    descriptors = [d for m in modules for d in m.DESCRIPTOR.message_types_by_name.values()]
    plans = [validator._plan(descriptor) for descriptor in descriptors]
    assert len(plans) > 30
    assert sum(bool(plan.required) for plan in plans) >= 5
