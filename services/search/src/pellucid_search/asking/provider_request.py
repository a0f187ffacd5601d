"""One query as it is put to the providers of a plan, and until when."""

import math
from dataclasses import dataclass

from pellucid_search.query import ProviderQuery
from pellucid_search.reports import ProviderRun


@dataclass(frozen=True, slots=True)
class ProviderRequest:
    """One query as it is put to every provider of a plan.

    Attributes:
        query: What is asked, already redacted.
        index: Index into the request's queries.
        until: Time on the monotonic clock at which an answer is of no use any more.
        caller_hash: For the ledger, and for turns among those who wait.
        real_time: Values change within the day.
        bypass_cache: Ignore cached answers.
        longest_wait_s: Longest wait for a provider's limit, or before another try; short where
            another provider could be asked instead.
        latest: Time on the monotonic clock until which such a wait moves `until`; 0: it does not.
    """

    query: ProviderQuery
    index: int
    until: float
    caller_hash: str = ""
    real_time: bool = False
    bypass_cache: bool = False
    longest_wait_s: float = math.inf
    latest: float = 0.0

    def ends_at(self, run: ProviderRun, now: float) -> float:
        """Return when an answer is of no use any more, by how long a run has stood in line."""
        return max(self.until, min(self.latest, self.until + run.grace_s(now)))
