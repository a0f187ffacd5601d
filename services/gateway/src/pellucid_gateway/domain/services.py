"""The other four services, as a turn is given them."""

from dataclasses import dataclass

from pellucid_gateway.domain.ports import DecisionPort, FetcherPort, ScorerPort, SearchPort


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The four services as the engine sees them."""

    decision: DecisionPort
    search: SearchPort
    scorer: ScorerPort
    fetcher: FetcherPort
