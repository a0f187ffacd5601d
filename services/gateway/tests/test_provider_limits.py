"""A provider's limit is waited for within the turn, and told as progress."""

from dataclasses import dataclass, field

from port_fakes import FakeSearch
from turn_fakes import Rig

from pellucid_gateway.domain.events import Done, Progress, TurnResult
from pellucid_gateway.domain.findings import ProviderReport, ProviderStatus
from pellucid_gateway.domain.ports import SearchAnswer, SearchCall
from pellucid_runtime.errors import DependencyDownError
from pellucid_runtime.rpc.deadline import remaining_s


@dataclass
class Limited(FakeSearch):
    """Refuses the first call by its limit."""

    retry_after_s: float = 4.2
    again: Exception | None = None
    had_s: list[float] = field(default_factory=list)

    async def search(self, call: SearchCall) -> SearchAnswer:
        self.had_s.append(remaining_s() or 0.0)
        if len(self.had_s) > 1:
            if self.again:
                raise self.again
            return await super().search(call)
        report = ProviderReport(
            name="brave",
            status=ProviderStatus.RATE_LIMITED,
            error_code="rate",
            detail="its limit of 1 in 1 s is reached; the next call may go in 5 s",
            retry_after_s=self.retry_after_s,
        )
        return SearchAnswer(providers=(report,))


async def turn_of(search: FakeSearch) -> tuple[TurnResult, list[str]]:
    events = await Rig(search=search).events()
    end = events[-1]
    assert isinstance(end, Done)
    told = [event.message for event in events if isinstance(event, Progress)]
    return end.result, [message for message in told if "starts in about" in message]


async def test_the_turn_waits_for_longer_than_a_search_takes_and_says_so() -> None:
    search = Limited()

    result, told = await turn_of(search)

    assert result.sources
    assert told == ["Many searches are running; yours starts in about 5 s…"]
    first_s, second_s = search.had_s
    assert first_s <= 3.0
    assert second_s > search.retry_after_s


async def test_a_limit_beyond_the_turn_is_not_waited_for() -> None:
    search = Limited(retry_after_s=60.0)

    result, told = await turn_of(search)

    assert len(search.had_s) == 1
    assert not told
    assert [report.error_code for report in result.providers] == ["rate"]


async def test_a_second_call_that_fails_leaves_the_reason_of_the_first() -> None:
    result, _ = await turn_of(Limited(again=DependencyDownError("search")))

    assert [report.detail[:9] for report in result.providers] == ["its limit"]


async def test_a_provider_that_failed_is_not_asked_again() -> None:
    search = FakeSearch(status=ProviderStatus.FAILED)

    await turn_of(search)

    assert len(search.calls) == 1
