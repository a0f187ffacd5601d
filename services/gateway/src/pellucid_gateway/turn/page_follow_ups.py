"""Follow-up questions about a page that the person named before: the page is read again."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from pellucid_gateway.domain.attachment import is_attachment
from pellucid_gateway.domain.decision import (
    Action,
    Decision,
    Stage,
    WebMode,
)
from pellucid_gateway.domain.findings import PageContent
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.question.page_leaving import Leaving, leaving, points_back
from pellucid_gateway.question.page_topic import (
    PageTopic,
    as_follow_up,
    has_just_left,
    messages_after_leaving,
    since_meant,
    topic_of,
    walled_pages,
    without_lead,
)
from pellucid_gateway.retrieval.reading import PageReader
from pellucid_gateway.turn.offers import Offer
from pellucid_gateway.turn_context.ledger import TurnLedger

_CONFIDENCE = 0.85
# Signal: the person does not want a search.
_DONT_SEARCH = "dont_search"


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A decision that may be about a page named before, with the page as it was read.

    Attributes:
        pages: By address; empty if no page was read for it.
        walled: Addresses of pages behind a paywall or login that it is about.
    """

    decision: Decision
    pages: Mapping[str, PageContent] = field(default_factory=dict)
    walled: tuple[str, ...] = ()


async def with_named_page(
    request: TurnRequest,
    decision: Decision,
    reader: PageReader,
    ledger: TurnLedger,
    *,
    decide: Callable[[TurnRequest], Awaitable[Decision]],
    offer: Offer,
) -> FollowUp:
    """The decision, changed to fetch the named page again if the message is about it.

    With the web off, or if the person does not want a search, nothing is read, with a notice.

    Args:
        request: The turn.
        decision: On the message with its history.
        reader: Reads the page.
        ledger: Takes the notices.
        decide: Decides again on a message about something else, without the history of the page.
        offer: Decides on a reply to the offer of a search instead of a page behind a paywall.
    """
    closed = request.web_mode is WebMode.OFF or _is_unwanted(request, decision)
    walled = () if closed or decision.urls or request.force_search else walled_pages(request)
    if walled:
        return FollowUp(await offer.decided(request, walled[0]), walled=walled)
    topic = (
        None if decision.urls or decision.topicless or request.force_search else topic_of(request)
    )
    if topic is None:
        left = not decision.urls and has_just_left(request)
        if left and not decision.topicless and not ledger.lost("decision"):
            decision = await _decided_apart(request, decision, decide)
        return FollowUp(decision)
    if closed and not all(map(is_attachment, topic.urls)):
        ledger.notify("page_not_opened", url=topic.urls[0])
        return FollowUp(decision)
    pages = await reader.read_named(topic.urls, no_external=request.no_external)
    read = [page for page in pages.values() if page.success]
    texts = [f"{page.title} {page.text}" for page in read]
    stands = leaving(since_meant(topic.since), decision, texts)
    if stands is Leaving.LEAVES:
        if not ledger.lost("decision"):
            decision = await _decided_apart(request, decision, decide)
        return FollowUp(decision)
    searches_too = stands is Leaving.PERHAPS or request.web_mode is WebMode.ON
    return FollowUp(_about_page(decision, topic, searches_too=searches_too), pages)


async def _decided_apart(
    request: TurnRequest,
    decision: Decision,
    decide: Callable[[TurnRequest], Awaitable[Decision]],
) -> Decision:
    """The decision on a message that is no longer about the page, without the page's history.

    A message that refers back keeps its history: "has she been in the news lately?".
    """
    if points_back(without_lead(request.message)):
        return decision
    messages = messages_after_leaving(request)
    kept = messages if len(messages) < len(request.messages) else request.messages[-1:]
    return await decide(replace(request, messages=kept, conversation_id=""))


def _is_unwanted(request: TurnRequest, decision: Decision) -> bool:
    asked_not_to = any(signal.name == _DONT_SEARCH for signal in decision.signals)
    return asked_not_to and request.web_mode is not WebMode.ON


def _about_page(decision: Decision, topic: PageTopic, *, searches_too: bool) -> Decision:
    common = replace(
        decision,
        urls=topic.urls,
        standalone_question=as_follow_up(decision, topic),
        requires_context=True,
    )
    if searches_too:
        return common
    return replace(
        common,
        action=Action.FETCH,
        stage=Stage.URL,
        confidence=_CONFIDENCE,
        reason="The message is about the page that was named before.",
        reason_code="page_follow_up",
        queries=(),
        fallback_queries=(),
    )
