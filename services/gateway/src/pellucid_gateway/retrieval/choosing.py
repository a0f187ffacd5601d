"""What the model is shown of the pages: the passages that speak to the question.

Words choose first, the scorer compares what they chose by meaning, and where it is lost or late
words alone decide. Pages that the person named are shown whole where they fit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pellucid_gateway.domain.findings import PageContent, ScoredHit
from pellucid_gateway.domain.outgoing import host_of
from pellucid_gateway.domain.ports import ScorerPort
from pellucid_gateway.domain.request import Depth
from pellucid_gateway.question import passage_choice, passages
from pellucid_gateway.question.named_pages import named_page, outline
from pellucid_gateway.question.passages import Page, Reading
from pellucid_gateway.question.tokens import tokens_of
from pellucid_gateway.question.wishes import wish_of, without_wish
from pellucid_gateway.turn_context.budgets import limited
from pellucid_gateway.turn_context.context import TurnContext
from pellucid_gateway.turn_context.plans import DEPTH_PLANS, DepthPlan
from pellucid_language.text_memory import TextMemory
from pellucid_runtime.errors import ServiceError

# Tokens of all named pages together where no model reads them; excerpts are chosen from these.
UNREAD_NAMED_TOKENS = 2_000
# Beyond the sources of the plan, since a page may turn out to say nothing.
_SPARE_PAGES = 2
# With less time than this no call is worth beginning.
_MIN_CALL_S = 0.03


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the passages are chosen for.

    Attributes:
        question: The standalone question.
        message: What the person wrote, which may wish for the whole page.
        further: Queries that followed from what was found.
    """

    question: str
    message: str
    further: Sequence[str] = ()


class PassageChooser:
    """Chooses for one turn.

    Args:
        scorer: Likeness of passages to the question.
        context: The turn's time and account.
    """

    def __init__(self, scorer: ScorerPort, *, context: TurnContext) -> None:
        self._scorer = scorer
        self._context = context
        self._memory = TextMemory()

    async def of_named(
        self, pages: Sequence[PageContent], wanted: Wanted, *, most_tokens: int
    ) -> Mapping[str, str]:
        """Text of pages that the person named, by address, as far as it fits.

        Args:
            pages: Those that were read.
            wanted: Question and message.
            most_tokens: Tokens for all of them; what a short one leaves goes to the others.
        """
        named = [page for page in pages if page.success and page.text.strip()]
        if not named:
            return {}
        question = without_wish(_without_hosts(wanted.question, named))
        whole = wish_of(wanted.message).whole
        with self._memory.used():
            reading = passages.read([Page(p.text, p.title) for p in named], question)
        each = _most_chars([page.text for page in named], most_tokens)
        fits = all(len(p.text) <= most for p, most in zip(named, each, strict=True))
        near = None if fits or whole else await self._likeness(reading, no_store=True)
        worth = passages.ranked(reading, near)
        return {
            page.url: outline(reading, i, most_chars=each[i])
            if whole
            else named_page(reading, worth, i, most_chars=each[i])
            for i, page in enumerate(named)
        }

    async def of_hits(
        self,
        scored: Sequence[ScoredHit],
        pages: Mapping[str, PageContent],
        wanted: Wanted,
        plan: DepthPlan,
        *,
        are_quoted: bool = False,
    ) -> Mapping[str, str]:
        """Passages of the best hits' pages, else of their snippets, by address.

        Args:
            scored: Rated hits.
            pages: Those that were read.
            wanted: Question and message.
            plan: How much is shown.
            are_quoted: No model reads them. Then words suffice: the sentences that are quoted are
                compared with the question themselves, for which the scorer's time is kept.
        """
        best = scored[: plan.sources + _SPARE_PAGES]
        if not best:
            return {}
        with self._memory.used():
            reading = passages.read(
                [Page(text_of(item, pages), item.hit.title) for item in best],
                wanted.question,
                further=wanted.further,
            )
        has_pages = any(page.success for page in pages.values())
        is_compared = has_pages and not are_quoted
        near = await self._likeness(reading, no_store=False) if is_compared else None
        with self._memory.used():
            chosen = passage_choice.chosen(
                reading,
                passages.ranked(reading, near),
                weights=[item.relevance if item.relevance is not None else 1.0 for item in best],
                shares=_shares(plan),
            )
        return {item.hit.url: text for item, text in zip(best, chosen, strict=True)}

    async def _likeness(
        self, reading: Reading, *, no_store: bool
    ) -> list[tuple[float, ...]] | None:
        """Likeness of each window to each part of the question; None without a scorer in time."""
        context, texts = self._context, reading.texts
        if not texts or context.ledger.lost("scorer") or context.budget.left_s() < _MIN_CALL_S:
            return None
        try:
            async with limited(context.budget.answer_s(context.budgets.similarity_s)):
                with context.ledger.timed("choose"):
                    near = [
                        await self._scorer.similarities(part, texts, no_store=no_store)
                        for part in reading.parts
                    ]
        except (ServiceError, TimeoutError) as error:
            context.ledger.lose_by("scorer", error, "passages")
            return None
        return near if all(len(one) == len(texts) for one in near) else None


def _shares(plan: DepthPlan) -> tuple[passage_choice.Share, ...]:
    """Tokens of a plan; a greater one than the standard one shows all that this would, and more."""
    standard = DEPTH_PLANS[Depth.STANDARD]
    own = passage_choice.Share(plan.chosen_tokens, plan.chosen_tokens * plan.sources)
    least = passage_choice.Share(standard.chosen_tokens, standard.chosen_tokens * standard.sources)
    greater = least.each < own.each and least.in_all < own.in_all
    return (least, own) if greater else (own,)


def _most_chars(texts: Sequence[str], most_tokens: int) -> list[int]:
    """Characters of each text that go into the common room, shared from the shortest on."""
    tokens = [tokens_of(text) for text in texts]
    chars = [0] * len(texts)
    left = most_tokens
    shortest_first = sorted(range(len(texts)), key=tokens.__getitem__)
    for others, place in zip(range(len(texts), 0, -1), shortest_first, strict=True):
        share = min(tokens[place], left // others)
        chars[place] = len(texts[place]) * share // tokens[place] + 1
        left -= share
    return chars


def text_of(item: ScoredHit, pages: Mapping[str, PageContent]) -> str:
    """The page's text where it was read, else the snippet, else the title."""
    page = pages.get(item.hit.url)
    if page and page.success and page.text.strip():
        return page.text
    return item.hit.snippet or item.hit.title


def _without_hosts(question: str, pages: Sequence[PageContent]) -> str:
    """The question without the addresses and the host names of the pages: they choose nothing."""
    words = []
    for word in question.split():
        bare = word.strip("<>()[]\"'.,;!?").lower()
        hosts = [host_of(url) for page in pages for url in (page.url, page.final_url) if url]
        if not any(host and host.removeprefix("www.") in bare for host in hosts):
            words.append(word)
    return " ".join(words) or question
