"""A question about a page that was named before: the page is read again, and answered from."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pellucid_gateway.course.ledger import TurnLedger
from pellucid_gateway.gathering.reading import PageReader
from pellucid_gateway.question.page_topic import PageTopic, as_follow_up, leaves, topic_of
from pellucid_gateway.vocabulary.decision import Action, Decision, Stage, WebMode
from pellucid_gateway.vocabulary.findings import PageContent, Purpose
from pellucid_gateway.vocabulary.request import TurnRequest

_CONFIDENCE = 0.85
# The person's own word against the web.
_DONT_SEARCH = "dont_search"


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A decision that may be about a page named before, with what was read of it.

    Attributes:
        pages: By address; empty where no page was read for it.
    """

    decision: Decision
    pages: Mapping[str, PageContent] = field(default_factory=dict)


async def with_named_page(
    request: TurnRequest, decision: Decision, reader: PageReader, ledger: TurnLedger
) -> FollowUp:
    """The decision, to fetch the named page again where the message goes on about it.

    With the web off, or where the person does not want a search, nothing is read and that is told.
    """
    topic = (
        None if decision.urls or decision.topicless or request.force_search else topic_of(request)
    )
    if topic is None:
        return FollowUp(decision)
    if request.web_mode is WebMode.OFF or _is_unwanted(request, decision):
        ledger.notify("page_not_opened", url=topic.urls[0])
        return FollowUp(decision)
    pages = await reader.read(topic.urls, Purpose.USER_URL, no_external=request.no_external)
    read = [page for page in pages.values() if page.success]
    texts = [f"{page.title} {page.text}" for page in read]
    if leaves(topic, decision, texts):
        return FollowUp(decision)
    return FollowUp(_about_page(request, decision, topic), pages)


def _is_unwanted(request: TurnRequest, decision: Decision) -> bool:
    asked_not_to = any(signal.name == _DONT_SEARCH for signal in decision.signals)
    return asked_not_to and request.web_mode is not WebMode.ON


def _about_page(request: TurnRequest, decision: Decision, topic: PageTopic) -> Decision:
    common = replace(
        decision,
        urls=topic.urls,
        standalone_question=as_follow_up(decision, topic),
        requires_context=True,
    )
    if request.web_mode is WebMode.ON:
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
