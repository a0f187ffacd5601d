"""Entries of the list of strings that left the installation."""

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from pellucid_gateway.domain.account import OutboundText
from pellucid_gateway.domain.attachment import is_attachment
from pellucid_gateway.domain.findings import Method, PageContent, ScoredHit


def host_of(url: str) -> str:
    """Host of an address, lower case; empty when it has none or is malformed."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def fetched_urls(url: str, page: PageContent | None) -> Iterator[OutboundText]:
    """Addresses that were asked for to read a page, redirects included.

    A cached page, an attachment and a refused address were not asked for; a page that never came
    may have been, so it counts.
    """
    if is_attachment(url):
        return
    if page and (page.method in {Method.CACHE, Method.PROVIDER} or page.status == "blocked_target"):
        return
    addresses = (url, *(page.redirects if page else ()), page.final_url if page else "")
    for address in dict.fromkeys(address for address in addresses if address):
        yield OutboundText(host_of(address), "url", address)


def sent_prompt(receiver: str, text: str) -> OutboundText:
    """A prompt that an external model was sent."""
    return OutboundText(receiver, "prompt", text)


def sent_for_rating(scored: Sequence[ScoredHit]) -> tuple[OutboundText, ...]:
    """Texts that an embedding service outside was sent."""
    sent = scored[0].sent if scored else ()
    return tuple(OutboundText(receiver, "embedding", text) for receiver, text in sent)
