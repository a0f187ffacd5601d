"""Answers without a model quote character by character; summaries go over the whole page."""

import re

import pytest
from port_fakes import FakeDecision, FakeFetcher, answer_decision, search_decision
from turn_fakes import Rig

from pellucid_gateway.domain.decision import Action
from pellucid_gateway.domain.events import AnswerKind, Done, TurnResult

URL = "https://museum.example/fog"
LINES = (
    "The Museum of Fog opens today in Port Sele, and today's first visitors get in free.",
    'Its director, Ada Thorne, said: "We built it for people who cannot sleep."',
    "The keeper calls it “the quietest house of the coast” in her C# notebook.",
    "Visitors may set `max_fog = 4` with *their own* hands between 10:00 and 17:30.",
    "Last week the city paid the last 1,250,000 crowns of the building's cost.",
    "The shop sells lamps, maps and a small book about the sea.",
    "In winter the museum closes at dusk, as it has no other light than the day's.",
)
TABLE = "| Visitor | Ticket | Days |\n| --- | --- | --- |\n| Adult | 12.50 crowns | all week |"
PAGE = "# Museum of Fog\n\n" + "\n\n".join(LINES) + f"\n\n{TABLE}\n"


async def asked(message: str, page: str = PAGE) -> TurnResult:
    decision = answer_decision(message)
    fetch = FakeDecision(
        type(decision)(
            action=Action.FETCH,
            confidence=1.0,
            stage=decision.stage,
            reason="The message names a page.",
            standalone_question=message,
            language="en",
            urls=(URL,),
        )
    )
    rig = Rig(decision=fetch, fetcher=FakeFetcher(texts={URL: page}))
    done = (await rig.events(f"{message} {URL}"))[-1]
    assert isinstance(done, Done)
    return done.result


def shown(text: str) -> str:
    """As a reader of Markdown sees it."""
    bare = re.sub(r"\\([^\w\s])", r"\1", text)
    return " ".join(re.sub(r"[`*|]", " ", bare).split())


@pytest.mark.parametrize(
    "message",
    [
        "When does the Museum of Fog open?",
        "Who is the director and what did she say?",
        "What does the keeper call it in her C# notebook?",
        "What may visitors set with max_fog?",
        "How much did the city pay?",
        "What is an adult ticket?",
        "Summarise this",
        "Summarise this in seven bullets",
    ],
)
async def test_every_quote_stands_on_the_page_as_it_is_quoted(message: str) -> None:
    result = await asked(message)

    assert result.answer_kind is AnswerKind.EXTRACTIVE
    assert result.citations
    page = shown(PAGE)
    for citation in result.citations:
        quote = shown(result.answer[citation.start : citation.end]).removesuffix("…").strip()
        assert quote in page


async def test_a_row_of_a_table_is_quoted() -> None:
    assert "12.50 crowns" in shown((await asked("What does an adult ticket cost?")).answer)


async def test_a_summary_goes_over_the_whole_page() -> None:
    long = "\n\n".join(
        f"Chapter {n} tells how the {n}. lamp of the harbour was lit." for n in range(60)
    )
    result = await asked("Summarise this", long)

    chapters = [int(n) for n in re.findall(r"Chapter (\d+)", result.answer)]
    assert 3 <= len(chapters) <= 6
    assert min(chapters) < 15
    assert max(chapters) >= 45


async def test_a_wished_number_of_points_is_given_as_points() -> None:
    answer = (await asked("Summarise this in three bullet points")).answer

    assert len(re.findall(r"^- ", answer, re.MULTILINE)) == 3


@pytest.mark.parametrize(
    ("message", "start"), [("Thanks a lot!", "You are welcome"), ("Hello", "Hello")]
)
async def test_thanks_are_answered_as_thanks(message: str, start: str) -> None:
    decision = FakeDecision(answer_decision(message, topicless=True))
    done = (await Rig(decision=decision).events(message))[-1]

    assert isinstance(done, Done)
    assert done.result.answer.startswith(start)


async def test_where_no_source_tells_it_the_nearest_pages_are_named_and_nothing_is_quoted() -> None:
    question = "Which printer jams with code E40411?"
    rig = Rig(decision=FakeDecision(search_decision(standalone_question=question)))
    done = (await rig.events(question))[-1]
    assert isinstance(done, Done)

    assert done.result.answer.startswith("I found no sentence in the sources that answers this.")
    assert done.result.sources[0].url in done.result.answer
    assert not done.result.citations
    assert done.result.answer_kind is AnswerKind.NONE
