"""A search from request to outcome: redact, plan, ask, fuse, account."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pellucid_language.pii.gate import Redacted, Redactor
from pellucid_runtime.clock import Clock
from pellucid_runtime.errors import InvalidArgumentError
from pellucid_search.asking.planning import Lineup, Offer, Plan, make_plan
from pellucid_search.asking.provider_client import ProviderClient
from pellucid_search.asking.provider_request import ProviderRequest
from pellucid_search.asking.relay import Relay
from pellucid_search.dates.publication import Patience
from pellucid_search.domains import host_name
from pellucid_search.hits import Entity, Hit
from pellucid_search.providers import wikidata
from pellucid_search.providers.registry import ENTITIES
from pellucid_search.query import ProviderQuery, Query, SearchRequest, provider_query
from pellucid_search.reports import Account, ProviderRun, settle
from pellucid_search.results.domain_policy import DomainPolicy
from pellucid_search.results.plain_text import plain_text
from pellucid_search.results.presenting import Filters, present

# Time for fusing and for the way back.
_FINISH_S = 0.05
# So many results are presented in about a millisecond; a thread would cost as much.
_FEW_HITS = 40


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """Fused hits, best first, and the account of how they came about.

    Attributes:
        entities: What names of the queries stand for.
        queries: What was asked, redacted, of providers, the cache or the local index.
    """

    hits: tuple[Hit, ...]
    account: Account
    entities: tuple[Entity, ...] = ()
    queries: tuple[str, ...] = ()
    blocked: int = 0
    collapsed: int = 0


@dataclass(frozen=True, slots=True)
class Searcher:
    """Answers search requests.

    Attributes:
        provider_clients: Every provider that can be asked, by name.
        offers: Gives the present standing of every known provider.
        line: The installation's providers.
        relay: Carries out plans.
        redactor: The privacy gate.
        policy: Which sites may be shown.
        is_internal: Tells by provider and host whether a hit is internal.
        clock: Time.
        budget_s: Longest time for a search in seconds.
        wait_s: Longest time beyond it for which a provider's limit is waited for, in seconds.
        is_saving: Tells whether most of the day's budget is spent.
        knows_languages: Tells whether the slow library for dates is loaded; before that, dates that
            only it can read are left out.
    """

    provider_clients: Mapping[str, ProviderClient]
    offers: Callable[[], Mapping[str, Offer]]
    line: Lineup
    relay: Relay
    redactor: Redactor
    policy: DomainPolicy
    is_internal: Callable[[str, str], bool]
    clock: Clock
    budget_s: float
    is_saving: Callable[[], bool] = lambda: False
    knows_languages: Callable[[], bool] = lambda: True
    is_malicious: Callable[[str], bool] = lambda _: False
    wait_s: float = 0.0

    async def search(self, request: SearchRequest, *, remaining_s: float | None) -> SearchOutcome:
        """Return what the providers found.

        Args:
            request: What is wanted.
            remaining_s: Time until the caller's deadline; None when there is none.

        Raises:
            InvalidArgumentError: A site or provider name is not one.
            PreconditionError: A provider asked for by name lacks its key.
        """
        checked = _with_hosts(request)
        plan = make_plan(checked, self.line, self.offers(), saving=self.is_saving())
        redacted = [
            self.redactor.redact(q.text, question=request.question) for q in checked.queries
        ]
        errands = self._errands(checked, redacted, remaining_s)
        carried = await asyncio.gather(*(self.relay.carry_out(plan, e) for e in errands))
        runs = [run for part in carried for run in part]
        knows = self.knows_languages()
        if sum(len(run.hits) for run in runs) <= _FEW_HITS:
            patience = Patience(0)
            outcome = self._outcome(checked, plan, runs, redacted, patience)
            if not (knows and patience.was_refused):
                return outcome
        # Up to thousands of results, or dates for the slow library: the loop must not wait for it.
        patience = Patience() if knows else Patience(0)
        return await asyncio.to_thread(self._outcome, checked, plan, runs, redacted, patience)

    def _errands(
        self, request: SearchRequest, redacted: Sequence[Redacted], remaining_s: float | None
    ) -> list[ProviderRequest]:
        """A query of which nothing is left after redaction is not asked at all."""
        until = self._time(self.budget_s, remaining_s)
        latest = self._time(self.budget_s + self.wait_s, remaining_s)
        return [
            ProviderRequest(
                query=provider_query(request, query, text.text),
                index=index,
                until=until,
                caller_hash=request.caller_hash,
                real_time=request.real_time,
                bypass_cache=request.bypass_cache,
                # What the first query finds is an answer; the others are not waited for in line.
                latest=until if index else latest,
            )
            for index, (query, text) in enumerate(zip(request.queries, redacted, strict=True))
            if text.text
        ]

    def _time(self, longest_s: float, remaining_s: float | None) -> float:
        left_s = longest_s if remaining_s is None else min(longest_s, remaining_s)
        return self.clock.monotonic() + max(0.0, left_s - _FINISH_S)

    def _outcome(
        self,
        request: SearchRequest,
        plan: Plan,
        runs: Sequence[ProviderRun],
        redacted: Sequence[Redacted],
        patience: Patience,
    ) -> SearchOutcome:
        filters = Filters(
            self.policy,
            request.include_domains,
            request.exclude_domains,
            self.is_internal,
            self.is_malicious,
        )
        asides = [run for run in runs if run.provider == ENTITIES]
        runs = [run for run in runs if run.provider != ENTITIES]
        answered = (run for run in runs if run.answered)
        kinds = [text.kinds for text in redacted]
        shown = present(answered, filters, now=request.now, patience=patience)
        account = settle(
            [name for name in plan.order if name != ENTITIES],
            runs,
            skips=plan.skips,
            redacted=kinds,
            saving=plan.saving,
            asides=asides,
        )
        return SearchOutcome(
            hits=shown.hits,
            account=account,
            entities=tuple(_entities(asides, [text.text for text in redacted], request.now)),
            queries=tuple(text.text for text in redacted if text.text),
            blocked=shown.blocked,
            collapsed=shown.collapsed,
        )


def _entities(runs: Sequence[ProviderRun], texts: Sequence[str], now: datetime) -> Iterator[Entity]:
    """Yield what the names of the queries stand for, each once."""
    seen: set[str] = set()
    for run in runs:
        for hit in run.hits[:1] if run.answered else ():
            item = hit.url.removeprefix(wikidata.PAGE)
            name = wikidata.wording(ProviderQuery(texts[run.query_index], now))
            if item not in seen:
                seen.add(item)
                yield Entity(name, item, plain_text(hit.title), plain_text(hit.snippet))


def _with_hosts(request: SearchRequest) -> SearchRequest:
    """Return the request with every site and domain as a host name.

    Raises:
        InvalidArgumentError: One of them is none; it could carry anything past the redaction.
    """
    queries = tuple(
        Query(query.text, query.freshness, _host(query.site, f"queries[{index}].site"))
        for index, query in enumerate(request.queries)
    )
    include = _hosts(request.include_domains, "include_domains")
    exclude = _hosts(request.exclude_domains, "exclude_domains")
    return replace(request, queries=queries, include_domains=include, exclude_domains=exclude)


def _hosts(names: Sequence[str], field: str) -> tuple[str, ...]:
    return tuple(_host(name, f"{field}[{index}]") for index, name in enumerate(names))


def _host(name: str, field: str) -> str:
    if not name.strip():
        return ""
    host = host_name(name)
    if host is None:
        raise InvalidArgumentError(field, "a host name such as docs.example.com")
    return host
