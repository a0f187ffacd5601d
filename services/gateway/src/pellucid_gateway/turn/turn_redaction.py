"""Removes values that a person's messages show to be private from every outgoing string.

A query no longer has the words that show it: "my password is …" became a value and "password". So
the values are found in the messages, and removed wherever they occur again: in queries of the
decision, of reflections and of speculative searches, and in the input of reflections. So are names
of relatives, which are introduced once and then used alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pellucid_gateway.domain.decision import Decision, PlannedQuery
from pellucid_gateway.domain.ports import (
    DecideAnswer,
    DecideCall,
    DecisionPort,
    ReflectCall,
    Reflection,
    SearchAnswer,
    SearchCall,
    SearchPort,
    Services,
    Written,
)
from pellucid_gateway.domain.request import Role, TurnRequest
from pellucid_gateway.question.fallback_decision import query_from
from pellucid_language.pii.gate import GATE, without
from pellucid_language.pii.stated_names import private_values as private_in

Values = tuple[str, ...]

_MOST_MESSAGES = 21
# Characters of the messages before the newest, which is read whole; latest first. Prose of this
# length takes a fifth of a second.
_MOST_READ = 160_000


def private_values(request: TurnRequest) -> Values:
    """Private values in the person's newest messages and memories."""
    said = [m.content for m in request.messages if m.role is Role.USER][-_MOST_MESSAGES:]
    return private_in([*said[-1:], *request.memories, *_latest(said[:-1])])


def _latest(earlier: Sequence[str]) -> Iterator[str]:
    """The messages, latest first, up to the limit of characters."""
    left = _MOST_READ
    for message in reversed(earlier):
        if left <= 0:
            return
        yield message[:left]
        left -= len(message)


def redacting(services: Services, private: Values) -> Services:
    """The services, wrapped so that they pass nothing private on."""
    if not private:
        return services
    return replace(
        services,
        decision=_RedactingDecision(services.decision, private),
        search=_RedactingSearch(services.search, private),
    )


def redacted_decision(decision: Decision, request: TurnRequest) -> Decision:
    """The decision without private values in its question and queries."""
    private = private_values(request)
    if not private:
        return decision
    queries = _cleared(decision.queries, private)
    if decision.queries and not queries:
        queries = _cleared((PlannedQuery(query_from(GATE.redact(request.message).text)),), private)
    broader = (without(text, private) for text in decision.fallback_queries)
    return replace(
        decision,
        queries=queries,
        fallback_queries=tuple(filter(None, broader)),
        standalone_question=without(decision.standalone_question, private),
        target_info=tuple(without(text, private) for text in decision.target_info),
    )


def _cleared(queries: tuple[PlannedQuery, ...], private: Values) -> tuple[PlannedQuery, ...]:
    written = (replace(query, text=without(query.text, private)) for query in queries)
    return tuple(query for query in written if query.text)


@dataclass(frozen=True, slots=True)
class _RedactingSearch:
    """A search service that gets no private value."""

    search_service: SearchPort
    private: Values

    async def search(self, call: SearchCall) -> SearchAnswer:
        """Search for the redacted queries; return nothing if no query is left."""
        queries = _cleared(call.queries, self.private)
        if not queries:
            return SearchAnswer()
        question = without(call.question, self.private)
        return await self.search_service.search(replace(call, queries=queries, question=question))


@dataclass(frozen=True, slots=True)
class _RedactingDecision:
    """A decision service whose reflections neither get nor return a private value."""

    decision_service: DecisionPort
    private: Values

    async def decide(self, call: DecideCall) -> DecideAnswer:
        """Decide on the whole message: only the words around a value show that it is private."""
        return await self.decision_service.decide(call)

    async def write_queries(self, call: DecideCall, known: tuple[PlannedQuery, ...]) -> Written:
        """Write for the whole message: the queries are redacted before the search."""
        return await self.decision_service.write_queries(call, known)

    async def reflect(self, call: ReflectCall) -> Reflection:
        """Reflect without the values."""
        asked = replace(
            call,
            question=without(call.question, self.private),
            used_queries=tuple(without(text, self.private) for text in call.used_queries),
            target_info=tuple(without(text, self.private) for text in call.target_info),
        )
        judged = await self.decision_service.reflect(asked)
        return replace(
            judged,
            refined_query=without(judged.refined_query, self.private),
            missing_aspects=tuple(without(text, self.private) for text in judged.missing_aspects),
        )
