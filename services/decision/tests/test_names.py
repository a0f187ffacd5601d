"""A name does not decide: the same question about another country is decided alike."""

from datetime import UTC, datetime

import pytest

from pellucid_decision.adapters.rules_folder import RulesFolder
from pellucid_decision.stages.cascade import Cascade
from pellucid_decision.stages.classifier import Classifier
from pellucid_decision.stages.weights import load_weights
from pellucid_decision.text.conversation import Ask

NOW = datetime(2026, 3, 14, tzinfo=UTC)
CUTOFF = datetime(2025, 1, 1, tzinfo=UTC)
PLACES = [
    "France",
    "Malta",
    "Peru",
    "Chad",
    "Laos",
    "Fiji",
    "Oman",
    "Mali",
    "Cuba",
    "Iran",
    "Iraq",
    "Togo",
    "Nepal",
    "Qatar",
    "Kenya",
    "Ghana",
    "Japan",
    "China",
    "India",
    "Chile",
    "Egypt",
    "Italy",
    "Spain",
    "Turkey",
    "Greece",
    "Norway",
    "Sweden",
    "Poland",
    "Brazil",
    "Canada",
    "Jordan",
    "Georgia",
    "Bhutan",
    "Tonga",
    "Samoa",
    "Benin",
    "Niger",
    "Gabon",
    "Yemen",
    "Palau",
]
TEMPLATES = {
    "en": (
        "Who is the prime minister of {0}?",
        "what's the weather like in {0} tomorrow",
        "latest news from {0}",
        "who won the election in {0}",
        "what is the population of {0} now",
        "inflation rate in {0} this year",
        "is it safe to travel to {0} right now",
        "what time does the {0} embassy in London open",
        "what happened in {0} last week",
        "minimum wage in {0} 2026",
        "exchange rate {0} currency to euro",
        "is Sunniva Tarrant still the CEO of {0} Air",
    ),
    "de": ("Wer ist Ministerpräsident von {0}?", "Wie wird das Wetter morgen in {0}?"),
    "fr": ("Qui est le premier ministre de {0} ?", "Quel temps fera-t-il demain à {0} ?"),
    "es": ("¿Quién es el presidente de {0}?", "¿Qué tiempo hará mañana en {0}?"),
    "ko": ("{0} 총리는 누구야?", "{0} 날씨", "{0} 환율"),
    "ja": ("{0}の首相は誰ですか", "明日の{0}の天気は"),
    "zh": ("{0}现任总理是谁", "明天{0}天气怎么样"),
}
SAME = 0.99


class _Rules:
    book = RulesFolder().book


@pytest.mark.parametrize("language", sorted(TEMPLATES))
async def test_a_name_does_not_decide(language: str) -> None:
    cascade = Cascade(_Rules(), Classifier(load_weights()))
    searched = [
        (await cascade.decide(Ask(template.format(place), NOW, CUTOFF))).needs_search
        for template in TEMPLATES[language]
        for place in PLACES
    ]
    assert sum(searched) / len(searched) >= SAME
