"""Messages that tell a story around their question, and what the query takes from it."""

import asyncio
from datetime import UTC, datetime

import pytest

from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.question.rarity import commonness
from pellucid_decision.stages.cascade import Cascade
from pellucid_decision.text.conversation import Ask, WebMode

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)
CUTOFF = datetime(2025, 1, 1, tzinfo=UTC)


class _Rules:
    book = RulesFolder().book


def queries(message: str) -> list[str]:
    ask = Ask(message, NOW, CUTOFF, web_mode=WebMode.ON, max_queries=2)
    return [query.text for query in asyncio.run(Cascade(_Rules()).decide(ask)).queries]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            (
                "I'm taking my mum to Harrowmere next weekend, she walks badly - is there a "
                "step-free ferry and what does it cost?"
            ),
            ["Harrowmere step-free ferry", "Harrowmere step-free ferry cost"],
        ),
        (
            (
                "My son starts at Skerry university in August. He needs a room for the first "
                "month. Are there any student hostels and how much are they?"
            ),
            [
                "Skerry university student hostels",
                "Skerry university student hostels price",
            ],
        ),
        (
            (
                "I booked a flight with Norse Corvid for March and now I need a knee operation. "
                "Can I get a refund with a doctor's note?"
            ),
            ["Norse Corvid refund with a doctor note"],
        ),
        (
            (
                "Our dog ate half a bar of chocolate an hour ago, he's a beagle. "
                "Do we need to go to the vet?"
            ),
            ["chocolate beagle vet"],
        ),
        (
            (
                "Mi hijo de 4 años tiene fiebre desde ayer y estamos de vacaciones en Cádiz. "
                "¿Hay urgencias pediátricas abiertas el domingo?"
            ),
            ["Cádiz urgencias pediátricas abiertas domingo"],
        ),
        (
            (
                "Wir fahren Ostern mit dem Wohnmobil über die Großglockner Hochalpenstraße. "
                "Was kostet die Maut und ist da überhaupt schon offen?"
            ),
            ["Großglockner Hochalpenstraße Maut Preis", "Großglockner Hochalpenstraße offen"],
        ),
    ],
)
def test_a_question_takes_the_names_of_its_story(message: str, expected: list[str]) -> None:
    assert queries(message) == expected


@pytest.mark.parametrize(
    ("message", "absent"),
    [
        (
            (
                "ok so this has been bugging me for days, Pickles is a 3 year old cat and she "
                "sneezes at night, my dad says it's dust, what could make a cat sneeze so much?"
            ),
            "Pickles",
        ),
        (
            (
                "My sister Emma keeps arguing with my boss Frank about this over lunch every week. "
                "Is creatine safe for teenagers under sixteen?"
            ),
            "Emma",
        ),
        (
            (
                "Mein Nachbar Uwe hat sich jetzt so ein Balkonkraftwerk geholt und schwärmt davon. "
                "Muss man ein Balkonkraftwerk beim Vermieter anmelden?"
            ),
            "Uwe",
        ),
    ],
)
def test_people_of_a_story_are_not_searched_for(message: str, absent: str) -> None:
    assert absent not in " ".join(queries(message))


@pytest.mark.parametrize(
    ("language", "common", "name"),
    [
        ("en", "dog", "Ondry"),
        ("de", "Hund", "Ondry"),
        ("ko", "병원", "온드리"),
        ("zh", "公司", "大理"),
    ],
)
def test_a_name_is_rarer_than_a_word(language: str, common: str, name: str) -> None:
    assert commonness(common, language) > commonness(name, language)
