"""Whether a message goes on about a page that the person named before.

Most questions after "summarise https://…" are about that page, however they are put ("and how much
was that?"); a few leave it. The words alone tell many; for the others the page itself is looked at
(`page_leaving.py`). Nothing of a page is kept for that, only its address stands in the
conversation.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pellucid_gateway.domain.decision import Decision
from pellucid_gateway.domain.request import ChatMessage, Role, TurnRequest
from pellucid_gateway.question.fallback_decision import find_urls
from pellucid_gateway.question.key_facts import subject_terms
from pellucid_gateway.question.named_addresses import named_addresses, without_addresses
from pellucid_gateway.question.page_words import Standing, standing, ways
from pellucid_language.folding import fold

# With so few words of its own a question lives on the one before.
_FEW_OWN = 3


@dataclass(frozen=True, slots=True)
class PageTopic:
    """Pages that a conversation is about.

    Attributes:
        urls: As the person named them; at most 3.
        since: The person's messages after the one that named them, oldest first, this one last.
        before: What was asked last before this message, without addresses.
    """

    urls: tuple[str, ...]
    since: tuple[str, ...]
    before: str = ""

    @property
    def message(self) -> str:
        """The message in question."""
        return self.since[-1]


def topic_of(request: TurnRequest) -> PageTopic | None:
    """The pages that this message may go on about; None where the person named none or left them.

    Only the words are looked at; see `page_leaving`.
    """
    said = [message.content for message in request.messages if message.role is Role.USER]
    places = [place for place, text in enumerate(said) if named_addresses(text)]
    if not places or places[-1] == len(said) - 1:
        return None
    urls = named_addresses(said[places[-1]])
    since = tuple(said[places[-1] + 1 :])
    topic = PageTopic(urls, since, without_addresses(said[-2]))
    if standing(topic.message) is Standing.ON_IT:
        return topic
    earlier = request.earlier
    has_searched = earlier is not None and bool(earlier.sources) and not earlier.user_urls
    has_left = any(standing(message) is Standing.LEFT for message in since_meant(since))
    return None if has_left or has_searched else topic


def walled_pages(request: TurnRequest) -> tuple[str, ...]:
    """The pages that were named last, where they were behind a wall and nothing was found since."""
    said = [message.content for message in request.messages[:-1] if message.role is Role.USER]
    urls = next(filter(None, map(named_addresses, reversed(said))), ())
    has_searched = request.earlier is not None and bool(request.earlier.sources)
    are_walled = bool(urls) and all(request.walled(url) is not None for url in urls)
    return urls if are_walled and not has_searched else ()


def since_meant(since: Sequence[str]) -> tuple[str, ...]:
    """The messages from the last one on whose words are about the page; all, where none is.

    >>> since_meant(("different question: who is the mayor?", "back to the article: why?", "and?"))
    ('back to the article: why?', 'and?')
    """
    meant = [i for i, message in enumerate(since) if standing(message) is Standing.ON_IT]
    return tuple(since[meant[-1] :] if meant else since)


def has_just_left(request: TurnRequest) -> bool:
    """Whether the words of this message leave a page that was named before."""
    said = [message.content for message in request.messages if message.role is Role.USER]
    named = any(named_addresses(text) for text in said[:-1])
    return named and standing(said[-1]) is Standing.LEFT


def messages_after_leaving(request: TurnRequest) -> tuple[ChatMessage, ...]:
    """The messages from the one on that left a page which was named before; else all of them.

    What was said of the page has no part in what is searched for after it.
    """
    said = request.messages
    named = [i for i, m in enumerate(said) if m.role is Role.USER and named_addresses(m.content)]
    later = range(named[-1] + 1, len(said)) if named else range(0)
    left = [
        i for i in later if said[i].role is Role.USER and standing(said[i].content) is Standing.LEFT
    ]
    return said[left[-1] :] if left else said


def without_lead(message: str) -> str:
    """A message without the words that only announce another subject.

    >>> without_lead("thanks. different thing: is the pass worth it?")
    'is the pass worth it?'
    """
    lead, colon, question = message.partition(":")
    announces = bool(colon) and ways().left.search(fold(lead)) is not None
    return question.strip() if announces and subject_terms(question) else message


def as_follow_up(decision: Decision, topic: PageTopic) -> str:
    """The question that is asked of the page: with the one before it where it lives on that."""
    own = subject_terms(topic.message)
    resolved = decision.standalone_question
    asked = topic.message if find_urls(resolved) else resolved
    if len(own) >= _FEW_OWN or not topic.before or standing(topic.before) is Standing.LEFT:
        return topic.message
    return f"{topic.before} {topic.message if topic.before in asked else asked}"
