"""What is told of a provider that was asked several queries."""

import pytest

from pellucid_search.reports import ProviderRun, ProviderStatus, settle


@pytest.mark.parametrize("spare_first", [False, True])
def test_an_answer_is_not_told_as_unneeded_because_of_another_query(*, spare_first: bool) -> None:
    answered, spare = ProviderRun("brave", 0), ProviderRun("brave", 1)
    answered.answer(())
    spare.spare()
    runs = [spare, answered] if spare_first else [answered, spare]

    (report,) = settle(["brave"], runs).reports
    (alone,) = settle(["brave"], [spare]).reports

    assert (report.status, report.detail) == (ProviderStatus.OK, "")
    assert (alone.status, alone.detail) == (ProviderStatus.SKIPPED, "asked as well, and not needed")
