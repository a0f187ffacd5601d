"""Which providers are asked for a request, and in which order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pellucid_runtime.errors import InvalidArgumentError, PreconditionError
from pellucid_search.errors import BadKeyError
from pellucid_search.providers.registry import ANY
from pellucid_search.query import Routing, SearchRequest
from pellucid_search.reports import BREAKER_OPEN, Skip

AUTO = "auto"
LOCAL = "local"
KEYLESS = "ddgs"


@dataclass(frozen=True, slots=True)
class Offer:
    """A provider as the planner sees it.

    Attributes:
        name: As in settings and reports.
        external: Queries leave the installation.
        price_micro_usd: Price per call.
        missing: Environment variables that it lacks; empty when it may be asked.
        disabled_reason: Why it may not be asked although nothing is missing.
        keyed: It needs a key or an address of the operator.
        automatic: `auto` may use it.
        topics: Kinds of question that a real-time source is asked for; empty: it searches the web.
        healthy: Its breaker lets calls through.
        left_for: Code of the failure for which it does not; empty when that may pass.
    """

    name: str
    external: bool = True
    price_micro_usd: int = 0
    missing: tuple[str, ...] = ()
    disabled_reason: str = ""
    keyed: bool = False
    automatic: bool = True
    topics: tuple[str, ...] = ()
    healthy: bool = True
    left_for: str = ""

    @property
    def enabled(self) -> bool:
        """It has what it needs."""
        return not self.missing and not self.disabled_reason


@dataclass(frozen=True, slots=True)
class Plan:
    """Who is asked.

    Attributes:
        members: Names in order.
        last_resort: Asked one after the other when no member answered.
        beside: Real-time sources, asked as well for the queries that name what they know.
        together: Ask all members; otherwise the next only when one is slow or fails.
        skips: Considered and not asked.
        saving: All were wanted, but most of the budget is spent.
    """

    members: tuple[str, ...]
    last_resort: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    together: bool = False
    skips: tuple[Skip, ...] = ()
    saving: bool = False

    @property
    def order(self) -> tuple[str, ...]:
        """Every considered provider, in order of consideration."""
        skipped = (skip.name for skip in self.skips)
        return tuple(dict.fromkeys((*self.members, *self.beside, *skipped, *self.last_resort)))


@dataclass(frozen=True, slots=True)
class Lineup:
    """The installation's providers: members in routing order, last resort, real-time sources."""

    members: tuple[str, ...]
    last_resort: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


def lineup(
    listed: Sequence[str], offers: Mapping[str, Offer], beside: Sequence[str] = ()
) -> Lineup:
    """Return the installation's providers.

    Args:
        listed: `SEARCH_PROVIDERS`: an operator's order, or `auto` alone.
        offers: Every known provider by name.
        beside: `SEARCH_REAL_TIME`, and what links names.
    """
    sources = tuple(dict.fromkeys(beside))
    if tuple(listed) != (AUTO,):
        return Lineup(tuple(dict.fromkeys(listed)), beside=sources)
    keyed = [o for o in offers.values() if o.keyed and o.enabled and o.automatic and o.external]
    cheapest_first = sorted(keyed, key=lambda offer: offer.price_micro_usd)
    members = tuple(offer.name for offer in cheapest_first) or (KEYLESS,)
    local = offers.get(LOCAL)
    return Lineup(members, (LOCAL,) if local and local.enabled else (), sources)


def make_plan(
    request: SearchRequest, line: Lineup, offers: Mapping[str, Offer], *, saving: bool = False
) -> Plan:
    """Return who is asked for a request.

    Args:
        request: What is wanted.
        line: The installation's providers.
        offers: Every known provider by name.
        saving: Most of the budget is spent: the cheapest first, and one after the other.

    Raises:
        InvalidArgumentError: A named provider does not exist.
        PreconditionError: A named provider lacks its key (`API_KEY_INVALID`).
    """
    if request.providers:
        return _named(request, offers)
    if request.no_external:
        return _inside_only(line, offers)
    wanted = [offers[name] for name in line.members if name in offers]
    # Without any that could be asked, the missing key is why nothing is found.
    is_loss = not any(offer.enabled for offer in wanted)
    skips = [replace(_unusable(o), lost=is_loss) for o in wanted if not o.enabled]
    resting = [offer for offer in wanted if offer.enabled and not offer.healthy]
    skips += [_resting(offer) for offer in resting]
    members = [offer for offer in wanted if offer.enabled and offer.healthy]
    if saving:
        members.sort(key=_thrift)
    wants_all = request.routing is Routing.ALL
    return Plan(
        members=tuple(offer.name for offer in members),
        last_resort=line.last_resort,
        beside=tuple(_fitting(request, line, offers)),
        together=wants_all and not saving,
        skips=tuple(skips),
        saving=wants_all and saving,
    )


def _fitting(request: SearchRequest, line: Lineup, offers: Mapping[str, Offer]) -> Iterator[str]:
    """Yield what is asked beside the providers for questions of the request's kind."""
    for name in line.beside:
        offer = offers[name]
        fits = offer.topics == ANY or request.topic in offer.topics
        if fits and offer.enabled and offer.healthy:
            yield name


def _thrift(offer: Offer) -> tuple[bool, int]:
    """The web before the installation's own documents, which are no substitute for it."""
    return not offer.external, offer.price_micro_usd


def _named(request: SearchRequest, offers: Mapping[str, Offer]) -> Plan:
    members: list[str] = []
    beside: list[str] = []
    skips: list[Skip] = []
    for index, name in enumerate(request.providers):
        offer = offers.get(name)
        if offer is None:
            raise InvalidArgumentError(f"providers[{index}]", f"one of {', '.join(offers)}")
        if request.no_external and offer.external:
            skips.append(Skip(name, "not permitted with no_external"))
            continue
        if offer.missing:
            raise _key_error(offer)
        if not offer.enabled:
            skips.append(_unusable(offer))
        elif not offer.healthy:
            skips.append(_resting(offer))
        else:
            (beside if offer.topics else members).append(name)
    return Plan(
        tuple(dict.fromkeys(members)),
        beside=tuple(dict.fromkeys(beside)),
        together=True,
        skips=tuple(skips),
    )


def _key_error(offer: Offer) -> PreconditionError:
    setting = offer.missing[0]
    return PreconditionError(
        "API_KEY_INVALID",
        f"provider {offer.name} needs {setting}; see docs/providers.md#{offer.name}",
        {"provider": offer.name, "setting": setting, "docs": f"docs/providers.md#{offer.name}"},
    )


def _inside_only(line: Lineup, offers: Mapping[str, Offer]) -> Plan:
    """Whatever is inside may be asked, whether it is listed or not."""
    inside = tuple(o.name for o in offers.values() if not o.external and o.enabled)
    outside = [name for name in line.members if name in offers and offers[name].external]
    skips = tuple(Skip(name, "not permitted with no_external") for name in outside)
    return Plan(inside, together=True, skips=skips)


def _resting(offer: Offer) -> Skip:
    return Skip(offer.name, BREAKER_OPEN, lost=True, code=offer.left_for)


def _unusable(offer: Offer) -> Skip:
    if offer.missing:
        return Skip(offer.name, needs(offer.missing), code=BadKeyError.code)
    return Skip(offer.name, offer.disabled_reason)


def needs(missing: Sequence[str]) -> str:
    """Return the sentence about environment variables that a provider lacks."""
    return f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set"
