"""Reading one address over plain HTTP: hops, retries and the time they may take together.

Decides which hop follows which, what is tried again, and what each HTTP status means. The bytes
themselves are moved by the transport, and the gate decides whether a hop may be asked at all.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from pellucid_fetcher.egress.address import Target, join, parse
from pellucid_fetcher.egress.clearance import Clearance, Reach
from pellucid_fetcher.egress.gate import EgressGate
from pellucid_fetcher.errors import FetchFault, RefusedError
from pellucid_fetcher.outcome import FetchStatus, PageRequest, Purpose
from pellucid_fetcher.ports import Answer, HttpTransport
from pellucid_fetcher.strategies.cookies import ChainCookies
from pellucid_fetcher.strategies.decoding import ACCEPTED
from pellucid_fetcher.strategies.receiving import BodyCaps, Intake, retry_after_s

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_TRANSIENT: Final = frozenset({502, 503, 504})
_NO_BODY: Final = frozenset({204, 205, 304})
_MEANINGS: Final = {
    **dict.fromkeys((204, 205, 304), FetchStatus.NO_TEXT),
    **dict.fromkeys((401, 403, 451), FetchStatus.FORBIDDEN),
    **dict.fromkeys((404, 410), FetchStatus.NOT_FOUND),
    429: FetchStatus.RATE_LIMITED,
}
_MALFORMED: Final = frozenset({"malformed", "length", "forbidden_character", "parsers_disagree"})
NO_HEADERS: Final[tuple[tuple[str, str], ...]] = ()
_RETRY_PAUSE_S: Final = 0.2
_RETRY_FLOOR_S: Final = 1.0  # less time than this is better spent on giving an answer


@dataclass(frozen=True, slots=True)
class HttpPolicy:
    """How the HTTP path behaves.

    Attributes:
        user_agent: The honest one.
        browser_agent: Used for one more try after a 403 on a page that a person named; empty
            switches that off.
        max_redirects: Hops that are followed.
        insecure_hosts: Hosts whose certificate is not verified; their pages get a warning.
        caps: Largest bodies.
    """

    user_agent: str
    browser_agent: str = ""
    max_redirects: int = 5
    insecure_hosts: frozenset[str] = frozenset()
    caps: BodyCaps = field(default_factory=BodyCaps)


@dataclass(slots=True)
class Trail:
    """What is known of a fetch so far; survives its failure."""

    target: Target | None = None
    # The address that answered last; empty while none has.
    final_url: str = ""
    redirects: list[str] = field(default_factory=list)
    http_status: int = 0
    retry_after_s: int = 0
    dns_s: float = 0.0
    http_s: float = 0.0
    intake: Intake | None = None
    # The site refused us by status, but its page may be a recognisable wall.
    refused: bool = False
    insecure: bool = False
    # Sent to the first origin only.
    headers: tuple[tuple[str, str], ...] = NO_HEADERS
    # Sent to the first address only; makes the request a POST.
    content: bytes = b""
    origin: tuple[str, str, int] | None = None
    # What the hosts of this chain have set.
    cookies: ChainCookies = field(default_factory=ChainCookies)
    # How far the place that was reached may lead on.
    reach: Reach = Reach.PUBLIC


class HttpPath:
    """The HTTP way to a page.

    Args:
        gate: Clears every hop.
        transport: Moves the bytes.
        policy: How to behave.
    """

    def __init__(self, gate: EgressGate, transport: HttpTransport, policy: HttpPolicy) -> None:
        self._gate = gate
        self._transport = transport
        self._policy = policy

    async def admit(self, url: str, reach: Reach) -> None:
        """Ask the gate about an address without asking the address itself.

        Raises:
            RefusedError: It may not be asked.
            FetchFault: DNS_ERROR when the name does not resolve.
        """
        await self._gate.admit(parse(url), reach)

    async def read(
        self,
        request: PageRequest,
        trail: Trail,
        *,
        timeout_s: float,
        headers: tuple[tuple[str, str], ...] = NO_HEADERS,
    ) -> Intake:
        """Read the page.

        Args:
            request: What to read.
            trail: Filled in as things become known.
            timeout_s: Time for all hops and retries together, in seconds.
            headers: Sent in addition, but never to another origin than the first.

        Returns:
            The body; possibly truncated.

        Raises:
            FetchFault: It could not be read. The trail's intake may hold a part nevertheless.
        """
        trail.headers = headers
        try:
            async with asyncio.timeout(timeout_s):
                return await self._with_retries(request, trail, now() + timeout_s)
        except TimeoutError as error:
            if trail.intake is not None:
                trail.intake.truncated = True
            raise FetchFault(FetchStatus.TOTAL_TIMEOUT) from error

    async def follow(self, url: str, trail: Trail, *, timeout_s: float) -> Intake:
        """Read on where a page that was read leads, within the reach of that page.

        Raises:
            FetchFault: It could not be read; the trail tells of the new place.
        """
        trail.redirects.append(trail.final_url)
        trail.intake, trail.refused = None, False
        try:
            async with asyncio.timeout(timeout_s):
                return await self._hops_from(parse(url), trail, self._policy.user_agent)
        except TimeoutError as error:
            raise FetchFault(FetchStatus.TOTAL_TIMEOUT) from error

    async def _with_retries(self, request: PageRequest, trail: Trail, ends: float) -> Intake:
        agent = self._policy.user_agent
        try:
            return await self._hops(request, trail, agent)
        except FetchFault as fault:
            if ends - now() < _RETRY_FLOOR_S:
                raise
            if self._wants_other_agent(request, trail.http_status, fault):
                agent = self._policy.browser_agent
            elif not _is_transient(trail, fault) or trail.retry_after_s > ends - now():
                raise
        await asyncio.sleep(_RETRY_PAUSE_S)
        # What the first try left is no part of the page that the second one is after.
        trail.redirects.clear()
        trail.cookies = ChainCookies()
        trail.intake, trail.refused = None, False
        return await self._hops(request, trail, agent)

    def _wants_other_agent(self, request: PageRequest, status: int, fault: FetchFault) -> bool:
        return (
            fault.status is FetchStatus.FORBIDDEN
            and status == 403  # noqa: PLR2004 - HTTP
            and request.purpose is Purpose.USER_URL
            and bool(self._policy.browser_agent)
        )

    async def _hops(self, request: PageRequest, trail: Trail, agent: str) -> Intake:
        target = parse(request.url)
        trail.origin = target.origin
        trail.reach = Reach.NAMED if request.internal_only else Reach.ALL
        return await self._hops_from(target, trail, agent)

    async def _hops_from(self, target: Target, trail: Trail, agent: str) -> Intake:
        seen = {_place(target, trail)}
        while True:
            trail.target = target
            clearance = await self._clear(target, trail)
            step = await self._ask(clearance, trail, agent)
            if isinstance(step, Intake):
                return step
            target = self._next_hop(step, trail, seen)

    def _next_hop(self, target: Target, trail: Trail, seen: set[str]) -> Target:
        place = _place(target, trail)
        if place in seen:
            raise FetchFault(FetchStatus.REDIRECT_LOOP)
        if len(seen) > self._policy.max_redirects:
            raise FetchFault(FetchStatus.TOO_MANY_REDIRECTS)
        seen.add(place)
        return target

    async def _clear(self, target: Target, trail: Trail) -> Clearance:
        started = now()
        try:
            clearance = await self._gate.admit(target, trail.reach)
        finally:
            trail.dns_s += now() - started
        if not clearance.exempt:
            trail.reach = Reach.PUBLIC
        return clearance

    async def _ask(self, clearance: Clearance, trail: Trail, agent: str) -> Intake | Target:
        target = clearance.target
        trail.insecure |= target.scheme == "https" and target.host in self._policy.insecure_hosts
        async with self._exchange(clearance, trail, agent) as answer:
            trail.http_status, trail.final_url = answer.status, target.href
            trail.cookies.take(target.host, answer.headers.get("set-cookie", ""))
            if answer.status in _REDIRECTS:
                return _redirect(clearance.target, answer.headers, trail)
            trail.retry_after_s = retry_after_s(answer.headers, time.time())
            await self._take(clearance.target, answer, trail)
        assert trail.intake is not None  # noqa: S101 - set by _take
        return trail.intake

    @asynccontextmanager
    async def _exchange(
        self, clearance: Clearance, trail: Trail, agent: str
    ) -> AsyncIterator[Answer]:
        started = now()
        own = trail.headers if clearance.target.origin == trail.origin else NO_HEADERS
        headers = {**self._headers(agent), **dict(own)}
        if cookies := trail.cookies.header(clearance.target.host):
            headers["cookie"] = cookies
        try:
            content = b"" if trail.redirects else trail.content
            async with self._transport.send(clearance, headers, content) as answer:
                yield answer
        finally:
            trail.http_s += now() - started

    def _headers(self, agent: str) -> Mapping[str, str]:
        return {
            "user-agent": agent,
            "accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.8",
            "accept-language": "en;q=0.8,*;q=0.5",
            "accept-encoding": ACCEPTED,
            "connection": "close",
        }

    async def _take(self, target: Target, answer: Answer, trail: Trail) -> None:
        fault = _fault_of_status(answer.status, trail.retry_after_s)
        path = target.request_path.partition("?")[0].lower()
        intake = Intake(self._policy.caps, path)
        if fault is None:
            trail.intake = intake
            await intake.take(answer)
            return
        if fault.status is FetchStatus.FORBIDDEN or answer.status in _TRANSIENT:
            await self._look_at_wall(intake, answer, trail)
        raise fault

    async def _look_at_wall(self, intake: Intake, answer: Answer, trail: Trail) -> None:
        """Keep the body of a refusal: a recognisable bot wall is a different outcome."""
        try:
            await intake.take(answer)
        except FetchFault:
            return
        trail.refused = True
        trail.intake = intake


def _place(target: Target, trail: Trail) -> str:
    """Tell one hop from another: with other cookies an address may answer otherwise."""
    return f"{target.href} {trail.cookies.header(target.host)}"


def _redirect(base: Target, headers: Mapping[str, str], trail: Trail) -> Target:
    location = headers.get("location", "").strip()
    if not location:
        raise FetchFault(FetchStatus.BAD_REDIRECT)
    try:
        target = join(base, location)
    except RefusedError as refusal:
        if refusal.reason in _MALFORMED:
            raise FetchFault(FetchStatus.BAD_REDIRECT) from refusal
        raise
    trail.redirects.append(base.href)
    return target


def _fault_of_status(status: int, retry_after: int) -> FetchFault | None:
    """Say what an HTTP status means; nothing when the body is the page."""
    if 200 <= status < 300 and status not in _NO_BODY:  # noqa: PLR2004 - HTTP
        return None
    if status < 200:  # noqa: PLR2004 - an upgrade that nobody asked for
        return FetchFault(FetchStatus.PROTOCOL_ERROR)
    meaning = _MEANINGS.get(status, FetchStatus.HTTP_ERROR)
    return FetchFault(meaning, retry_after_s=retry_after)


def _is_transient(trail: Trail, fault: FetchFault) -> bool:
    gateway_trouble = fault.status is FetchStatus.HTTP_ERROR and trail.http_status in _TRANSIENT
    return gateway_trouble or fault.status is FetchStatus.EMPTY_RESPONSE


def now() -> float:
    """Time of the event loop in seconds."""
    return asyncio.get_running_loop().time()
