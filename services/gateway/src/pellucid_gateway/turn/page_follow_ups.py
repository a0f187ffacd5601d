"""A question about a page that was named before: the page is read again, and answered from."""

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
# The person's own word against the web.
_DONT_SEARCH = "dont_search"


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A decision that may be about a page named before, with what was read of it.

    Attributes:
        pages: By address; empty where no page was read for it.
        walled: Addresses of pages that it would be about, could they be read.
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
    """The decision, to fetch the named page again where the message goes on about it.

    With the web off, or where the person does not want a search, nothing is read and that is told.

    Args:
        request: The turn.
        decision: On the message with all that was said before.
        reader: Reads the page.
        ledger: Takes what is told.
        decide: Decides again; on a message that leaves the page without what was said of it.
        offer: Decides on an answer to the offer that is made for a page behind a wall.
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
    """The decision on a message that leaves the page, without what was said of that.

    A message that points back keeps what it points to: "has she been in the news lately?".
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
        reason="The message goes on about the page that was named before.",
        reason_code="page_follow_up",
        queries=(),
        fallback_queries=(),
    )
