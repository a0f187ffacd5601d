"""The running account of one turn: what was lost, said, sent out, used, and how long it took.

It is the one mutable record of a turn and lives as long as the turn does.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from pellucid_gateway.domain.account import Degradation, ModelUse, Notice, OutboundText, Usage
from pellucid_gateway.domain.findings import Entity, ProviderReport, ProviderStatus, Source
from pellucid_gateway.domain.notices import RETRYABLE, Wording
from pellucid_runtime.clock import Clock
from pellucid_runtime.errors import ServiceError

# The one provider that is not the web: the index over the operator's documents.
_LOCAL = "local"
_ANSWERED = frozenset({ProviderStatus.OK, ProviderStatus.CACHED})
# Bound of the list of strings that left; a turn of three rounds has about 30.
_MOST_OUTBOUND = 256


class TurnLedger:
    """Collects facts about a turn.

    Args:
        clock: Stopwatch.
        wording: Texts in the person's language.
    """

    def __init__(self, clock: Clock, wording: Wording) -> None:
        self._clock = clock
        self.wording = wording
        self._degraded: dict[str, Degradation] = {}
        self._notices: list[Notice] = []
        self._unsent: list[Notice] = []
        self._outbound: list[OutboundText] = []
        self._searched: list[str] = []
        self._providers: dict[str, ProviderReport] = {}
        self._timings_s: dict[str, float] = {}
        self._entities: dict[str, Entity] = {}
        self.usage = Usage()
        # What became of a search that was begun before the decision: used, cancelled, or none.
        self.speculation = ""

    def lose(self, component: str, detail: str) -> None:
        """Note a lost part; the first detail of a component stands."""
        self._degraded.setdefault(component, Degradation(component, detail))

    def lose_by(self, component: str, error: ServiceError | TimeoutError, doing: str = "") -> None:
        """Note a lost part by what went wrong with it.

        Args:
            component: The part.
            error: What went wrong.
            doing: What was being done, where a part is used for several things.
        """
        cause = error.reason if isinstance(error, ServiceError) else "DEADLINE_EXCEEDED"
        self.lose(component, f"{doing}: {cause}" if doing else cause)

    def lost(self, component: str) -> bool:
        """Whether the part was lost."""
        return component in self._degraded

    def merge_losses(self, losses: tuple[Degradation, ...]) -> None:
        """Note parts that another service lost."""
        for loss in losses:
            self.lose(loss.component, loss.detail)

    def notify(self, code: str, **values: str) -> None:
        """Tell the person something, each sentence at most once."""
        self.tell(Notice(code, self.wording.notice(code, **values), retry=code in RETRYABLE))

    def tell(self, notice: Notice) -> None:
        """The same with a sentence that is ready."""
        if notice not in self._notices:
            self._notices.append(notice)
            self._unsent.append(notice)

    def take_unsent(self) -> tuple[Notice, ...]:
        """Notices that were not sent yet; they count as sent from now on."""
        unsent = tuple(self._unsent)
        self._unsent.clear()
        return unsent

    def sent_out(self, texts: tuple[OutboundText, ...]) -> None:
        """Note strings that left."""
        for text in texts[: _MOST_OUTBOUND - len(self._outbound)]:
            if text not in self._outbound:
                self._outbound.append(text)

    def searched_for(self, queries: tuple[str, ...]) -> None:
        """Note queries, redacted, whoever answered them: a provider, the cache or the index."""
        self._searched.extend(query for query in queries if query not in self._searched)

    def linked(self, entities: tuple[Entity, ...]) -> None:
        """Note what names of the queries stand for."""
        self._entities.update({entity.id: entity for entity in entities})

    def entities_in(self, sources: Sequence[Source]) -> tuple[Entity, ...]:
        """What names of the queries stand for, with the sources that have the names."""
        return tuple(entity.found_in(sources) for entity in self._entities.values())

    def report_providers(self, reports: tuple[ProviderReport, ...]) -> None:
        """Add reports of a round; those of the same provider become one."""
        for report in reports:
            earlier = self._providers.get(report.name)
            self._providers[report.name] = _joined(earlier, report) if earlier else report

    def use(
        self,
        *,
        searches: int = 0,
        cost_micro_usd: int = 0,
        context_tokens: int = 0,
    ) -> None:
        """Count what was used."""
        self.usage = replace(
            self.usage,
            searches=self.usage.searches + searches,
            cost_micro_usd=self.usage.cost_micro_usd + cost_micro_usd,
            context_tokens=self.usage.context_tokens + context_tokens,
        )

    def use_model(self, use: ModelUse) -> None:
        """Count what a model used for one reply."""
        models = {one.model: one for one in self.usage.models}
        earlier = models.get(use.model)
        models[use.model] = earlier.plus(use) if earlier else use
        self.usage = replace(
            self.usage,
            prompt_tokens=self.usage.prompt_tokens + use.prompt_tokens,
            completion_tokens=self.usage.completion_tokens + use.completion_tokens,
            cost_micro_usd=self.usage.cost_micro_usd + use.cost_micro_usd,
            models=tuple(models.values()),
        )

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add the time of the enclosed work to a stage."""
        begun = self._clock.monotonic()
        try:
            yield
        finally:
            self.add_time(stage, self._clock.monotonic() - begun)

    def add_time(self, stage: str, seconds: float) -> None:
        """Add time to a stage."""
        self._timings_s[stage] = self._timings_s.get(stage, 0.0) + seconds

    @property
    def timings_ms(self) -> dict[str, int]:
        """Whole milliseconds by stage."""
        return {stage: round(seconds * 1000) for stage, seconds in self._timings_s.items()}

    @property
    def degraded(self) -> tuple[Degradation, ...]:
        """Lost parts, first lost first."""
        return tuple(self._degraded.values())

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Everything told, in order."""
        return tuple(self._notices)

    @property
    def outbound(self) -> tuple[OutboundText, ...]:
        """Strings that left, in order."""
        return tuple(self._outbound)

    @property
    def searched(self) -> tuple[str, ...]:
        """What was searched for, redacted, in order."""
        return tuple(self._searched)

    @property
    def web_lost(self) -> bool:
        """The web was tried and no web provider answered; the local index may have."""
        web = [report for report in self._providers.values() if report.name != _LOCAL]
        tried = any(self.lost(f"provider:{report.name}") for report in web)
        return tried and not any(report.status in _ANSWERED for report in web)

    @property
    def providers(self) -> tuple[ProviderReport, ...]:
        """One report per provider."""
        return tuple(self._providers.values())


def _joined(earlier: ProviderReport, later: ProviderReport) -> ProviderReport:
    """One report of two rounds: counts add up, the slower time and the later state stand."""
    return replace(
        later,
        latency_ms=max(earlier.latency_ms, later.latency_ms),
        results=earlier.results + later.results,
        calls=earlier.calls + later.calls,
        cost_micro_usd=earlier.cost_micro_usd + later.cost_micro_usd,
    )
