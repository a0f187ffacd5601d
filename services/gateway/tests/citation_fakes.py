"""A verifier of citations over three invented sources."""

from collections.abc import Sequence
from datetime import UTC, datetime

from port_fakes import FakeScorer
from turn_fakes import PinnedNow, course_of

from pellucid_gateway.domain.answer_model import AnswerModel
from pellucid_gateway.domain.citation import Citation, CitationReport
from pellucid_gateway.domain.findings import PublishedDate, Source
from pellucid_gateway.domain.notices import wording_for
from pellucid_gateway.domain.request import CitationStyle
from pellucid_gateway.turn_context.ledger import TurnLedger
from pellucid_gateway.verification.judge import SupportJudge
from pellucid_gateway.verification.model_judge import ModelOpinion
from pellucid_gateway.verification.stream import CitationVerifier

MARKER = "f00dcafe"
QUESTION = "What is the toll on the Skerry Bridge?"
SOURCES = (
    Source(
        n=1,
        url="http://harbourpost.example/toll",
        title="Toll on the Skerry Bridge",
        domain="harbourpost.example",
        publisher="Harbour Post",
        facts=(
            "The toll for cars on the Skerry Bridge is 4.50 crowns. Marta Quill opened the bridge "
            "on 3 October 2026 with 12 lanes for cars."
        ),
        published=PublishedDate(datetime(2026, 10, 4, tzinfo=UTC)),
    ),
    Source(
        n=2,
        url="https://council.example/bridge?id=7",
        title="Bridge costs",
        domain="council.example",
        publisher="Vellmark Council",
        facts="Building the Skerry Bridge cost 310 million crowns. Lorries pay a toll of 9 crowns.",
    ),
    Source(
        n=3,
        url="http://almanac.example/skerry",
        title="Skerry",
        domain="almanac.example",
        publisher="Open Almanac",
        facts="Skerry is an island of 4,200 people north of Vellmark.",
    ),
)


def verifier(
    sources: Sequence[Source] = SOURCES,
    style: CitationStyle = CitationStyle.NATURAL,
    own: Sequence[str] = (),
    model: AnswerModel | None = None,
    ledger: TurnLedger | None = None,
    *,
    scorer: FakeScorer | None = None,
    checks: bool = True,
) -> CitationVerifier:
    clock = PinnedNow()
    context = course_of(clock, ledger or TurnLedger(clock, wording_for("en")))
    judge = SupportJudge(
        sources,
        scorer=scorer or FakeScorer(),
        context=context,
        question=QUESTION,
        language="en",
        opinion=ModelOpinion(model, name="small", context=context, marker=MARKER)
        if model
        else None,
    )
    return CitationVerifier(
        sources, judge=judge, style=style, question=QUESTION, own=own, checks=checks
    )


async def verified(
    chunks: Sequence[str],
    style: CitationStyle = CitationStyle.NATURAL,
    sources: Sequence[Source] = SOURCES,
) -> tuple[str, tuple[Citation, ...], CitationReport]:
    checked = verifier(sources, style)
    for chunk in chunks:
        _ = [event async for event in checked.feed(chunk)]
    _ = [event async for event in checked.finish()]
    return checked.answer, checked.citations, checked.report
