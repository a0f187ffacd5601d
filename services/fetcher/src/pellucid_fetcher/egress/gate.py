"""The egress gate: resolve once, check every answer, dial exactly what was checked.

Decides whether a target may be asked and hands out a clearance that binds the decision to concrete
addresses. Everything that leaves the service, over HTTP or from the browser, needs one; a second
resolution never happens, so a name that changes its mind between check and use gains nothing.
"""

import asyncio
import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pellucid_fetcher.egress.address import Address, Target
from pellucid_fetcher.egress.clearance import Clearance, Reach
from pellucid_fetcher.egress.exemptions import Exemptions
from pellucid_fetcher.egress.ports import DecisionLog, Resolver
from pellucid_fetcher.egress.ranges import RangeRule
from pellucid_fetcher.errors import FetchFault, RefusedError
from pellucid_fetcher.outcome import FetchStatus

MAX_ANSWERS: Final = 16  # more answers than any honest name has; the surplus is a refusal
_RESOLVE_TIMEOUT_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class EgressGate:
    """The rule with its resolver.

    Attributes:
        resolver: Turns a name into addresses.
        rule: Which addresses are public.
        exemptions: What the operator allows beyond.
        ports: Ports that may be asked without exemption.
        log: Told of each decision.
        blocked: Domains that are never asked, with everything below them.
        is_malicious: Tells addresses that a list knows to be malicious.
        is_own: Tells the machine's own addresses; a public one reaches what is meant for inside.
    """

    resolver: Resolver
    rule: RangeRule
    exemptions: Exemptions
    ports: frozenset[int]
    log: DecisionLog
    blocked: frozenset[str] = frozenset()
    is_malicious: Callable[[str], bool] = lambda _: False
    is_own: Callable[[Address], bool] = lambda _: False

    async def admit(self, target: Target, reach: Reach = Reach.ALL) -> Clearance:
        """Decide on a target.

        Args:
            target: As read by ``address.parse``.
            reach: How far it may go.

        Raises:
            RefusedError: It may not be asked.
            FetchFault: DNS_ERROR when the name does not resolve.
        """
        try:
            clearance = await self._decide(target, reach)
        except RefusedError as refusal:
            self.log(allowed=False, reason=refusal.reason)
            raise
        except FetchFault as fault:
            self.log(allowed=False, reason=fault.status.value)
            raise
        self.log(allowed=True, reason="exempt" if clearance.exempt else "public")
        return clearance

    async def _decide(self, target: Target, reach: Reach) -> Clearance:
        if self._is_blocked(target.host):
            raise RefusedError("blocked_domain")
        if self.is_malicious(target.href):
            raise RefusedError("malicious")
        exempt = self.exemptions.covers(target)
        if reach is Reach.NAMED and not exempt:
            raise RefusedError("not_internal")
        if reach is Reach.PUBLIC and exempt:
            raise RefusedError("borrowed_exemption")
        if not exempt:
            self._refuse_by_name(target)
        addresses = await self._addresses(target)
        if not exempt:
            self._refuse_by_address(addresses)
        return Clearance(target, addresses, exempt)

    def _is_blocked(self, host: str) -> bool:
        labels = host.split(".")
        return any(".".join(labels[start:]) in self.blocked for start in range(len(labels)))

    def _refuse_by_name(self, target: Target) -> None:
        if target.port not in self.ports:
            raise RefusedError("port")
        if target.literal is None and self.rule.is_reserved_name(target.host):
            raise RefusedError("reserved_name")

    def _refuse_by_address(self, addresses: tuple[Address, ...]) -> None:
        for address in addresses:
            reason = self.rule.reason_against(address)
            if reason is not None:
                raise RefusedError(reason)
            if self.is_own(address):
                raise RefusedError("own_address")

    async def _addresses(self, target: Target) -> tuple[Address, ...]:
        fixed = target.literal or self.exemptions.address_of(target.host)
        if fixed is not None:
            return (fixed,)
        answers = await self._resolve(target.host)
        if len(answers) > MAX_ANSWERS:
            raise RefusedError("too_many_answers")
        return tuple(map(_parsed, answers))

    async def _resolve(self, host: str) -> tuple[str, ...]:
        try:
            async with asyncio.timeout(_RESOLVE_TIMEOUT_S):
                answers = await self.resolver.resolve(host)
        except TimeoutError as error:
            raise FetchFault(FetchStatus.DNS_ERROR) from error
        if not answers:
            raise FetchFault(FetchStatus.DNS_ERROR)
        return tuple(dict.fromkeys(answers))


def _parsed(answer: str) -> Address:
    try:
        return ipaddress.ip_address(answer)
    except ValueError as error:
        raise RefusedError("unreadable_answer") from error
