"""What a reflection is shown of the hits: of each what bears on the question, in a few words."""

from collections.abc import Iterator

from pellucid_gateway.domain.ports import Extract
from pellucid_gateway.question.passage_choice import best_of
from pellucid_gateway.retrieval.gathered import Gathered

_EXTRACT_TOKENS = 160
_MOST_EXTRACTS = 16


def extracts(gathered: Gathered, question: str) -> Iterator[Extract]:
    """Of each hit the words of its page, or of its snippet, that bear on the question."""
    for scored in gathered.included[:_MOST_EXTRACTS]:
        hit = scored.hit
        page = gathered.pages.get(hit.url)
        text = page.text if page and page.success else hit.snippet
        published = hit.published.time if hit.published else None
        facts = best_of(
            text, question, further=gathered.refined, title=hit.title, most_tokens=_EXTRACT_TOKENS
        )
        yield Extract(hit.title, facts or hit.title, published)
