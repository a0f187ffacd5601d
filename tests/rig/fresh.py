"""Reads the sets of claims about invented pages, each claim as an answer that cites its page."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pellucid_gateway.domain.findings import Source
from pellucid_gateway.verification.judgement import Doubt
from rig.planted import Planted


def fresh_page(case: Mapping[str, Any]) -> Source:
    """The page of a case as the only source of its answers."""
    return Source(
        n=1,
        url="http://p.example/",
        title="",
        domain="p.example",
        facts=case["page"],
        language=case.get("language", "en"),
    )


def fresh_claims(case: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each claim of a case with its kind."""
    for kind, claims in case.items():
        if isinstance(claims, list):
            yield from ((kind, claim) for claim in claims)


def fresh_answer(page: Source, kind: str, claim: str) -> Planted:
    """An answer of one claim that cites the page, whether it states the claim or not."""
    language = page.language or "en"
    return Planted("fresh", kind, language, f"{claim} [1].", claim, (page,), frozenset({1}))


class RightJudge:
    """Implements `SecondOpinion`: knows which claims are right.

    Args:
        right: Whether the claims of the next answer are.
    """

    def __init__(self, *, right: bool) -> None:
        self._right = right

    async def on(self, doubts: Sequence[Doubt]) -> tuple[bool, ...] | None:
        """Say what it knows of each."""
        return (self._right,) * len(doubts) if doubts else None
