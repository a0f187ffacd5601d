"""The mapper between protobuf messages and domain values of the same field names."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

import pytest
from pellucid.common.v1 import common_pb2
from pellucid.gateway.v1 import gateway_pb2
from pellucid.search.v1 import search_pb2

from pellucid_runtime.errors import InvalidArgumentError
from pellucid_runtime.rpc.messages import instant, member, read, write

DAY = datetime(2026, 3, 1, tzinfo=UTC)


class Status(StrEnum):
    """Some of the contract's words, and one that it does not know."""

    OK = "ok"
    NEW = "new"


class Source(StrEnum):
    """Values differ from the names by which they are matched."""

    JSON_LD = "json-ld"


@dataclass(frozen=True, slots=True)
class Published:
    """A nested value."""

    time: datetime
    source: Source | None = None
    confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class Hit:
    """Has a text, texts, a nested value and a field of its own."""

    url: str
    alternate_urls: tuple[str, ...] = ()
    published: Published | None = None
    trust: float = 0.5


@dataclass(frozen=True, slots=True)
class Report:
    """An enum as a member and one as a word."""

    name: str
    status: Status = Status.NEW
    error_code: str = ""


@dataclass(frozen=True, slots=True)
class Options:
    """A number that may be absent."""

    threshold: float | None = None


def test_what_is_written_is_read_again() -> None:
    hit = Hit("https://a.test", ("https://b.test",), Published(DAY, Source.JSON_LD, 0.5))
    message = write(search_pb2.Hit, hit, title="T")
    assert message.title == "T"
    assert message.published.source == common_pb2.DATE_SOURCE_JSON_LD
    assert read(Hit, message) == hit


def test_absent_and_unknown_keep_defaults() -> None:
    assert read(Hit, search_pb2.Hit(url="u")) == Hit("u")
    assert read(Options, gateway_pb2.ScoringOptions()).threshold is None
    assert read(Options, gateway_pb2.ScoringOptions(threshold=0.0)).threshold == 0.0
    report = search_pb2.ProviderReport(name="brave", status="PROVIDER_STATUS_BUDGET")
    assert read(Report, report) == Report("brave")
    assert member(Status, report, "status") is None


def test_enums_go_by_their_names_and_unknown_ones_are_unspecified() -> None:
    told = write(search_pb2.ProviderReport, Report("brave", Status.OK, "bad_key"))
    assert told.error_code == search_pb2.PROVIDER_ERROR_CODE_BAD_KEY
    assert read(Report, told) == Report("brave", Status.OK, "bad_key")
    assert write(search_pb2.ProviderReport, Report("brave")).status == 0


def test_the_first_value_counts_and_what_is_given_before_it() -> None:
    first, second = Report("first"), Report("second", error_code="rate")
    assert write(search_pb2.ProviderReport, first, second).name == "first"
    assert write(search_pb2.ProviderReport, first, name="given").name == "given"
    assert read(Report, search_pb2.ProviderReport(name="x"), name="given").name == "given"


def test_texts_are_cleaned_at_every_depth() -> None:
    message = search_pb2.Hit(url=" u ", alternate_urls=[" v "])
    assert read(Hit, message, str.strip) == Hit("u", ("v",))


def test_a_time_out_of_range_is_the_callers_mistake() -> None:
    message = common_pb2.PublishedDate()
    assert instant(message, "time") is None
    message.time.seconds = 2**60
    for reads in (lambda: instant(message, "time"), lambda: read(Published, message)):
        with pytest.raises(InvalidArgumentError, match="time"):
            reads()
