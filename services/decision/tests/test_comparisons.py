"""What sets two models of a product apart is no mechanism; what sets two concepts apart is one."""

from collections.abc import Callable

import pytest

from pellucid_decision.stages.cascade import Cascade
from pellucid_decision.text.conversation import Ask

MODELS = [
    "difference between AirPods Pro 2 and AirPods Pro 3",
    "Unterschied zwischen AirPods Pro 2 und AirPods Pro 3",
    "différence entre AirPods Pro 2 et AirPods Pro 3",
    "diferencias entre AirPods Pro 2 y AirPods Pro 3",
    "에어팟 프로 2랑 3 차이점",
    "AirPods Pro 2と3の違い",
    "AirPods Pro 2和AirPods Pro 3的区别",
]
CONCEPTS = [
    "difference between a viola and a violin",
    "Unterschied zwischen Bratsche und Geige",
    "différence entre un alto et un violon",
    "diferencias entre viola y violín",
    "비올라랑 바이올린 차이점",
    "ビオラとバイオリンの違い",
    "中提琴和小提琴的区别",
]
LANGUAGES = ["en", "de", "fr", "es", "ko", "ja", "zh"]


async def _signals(cascade: Cascade, ask: Ask) -> set[str]:
    return {signal.name for signal in (await cascade.decide(ask)).signals}


@pytest.mark.parametrize("message", MODELS, ids=LANGUAGES)
async def test_two_models_are_no_mechanism(
    cascade: Cascade, asking: Callable[..., Ask], message: str
) -> None:
    assert "mechanism" not in await _signals(cascade, asking(message))


@pytest.mark.parametrize("message", CONCEPTS, ids=LANGUAGES)
async def test_two_concepts_are_one(
    cascade: Cascade, asking: Callable[..., Ask], message: str
) -> None:
    assert "mechanism" in await _signals(cascade, asking(message))


async def test_a_name_with_a_number_is_no_calculation(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    asked = asking("was ist leiser, Bosch Serie 6 oder Miele G7")
    assert "mathematics" not in await _signals(cascade, asked)
    assert "mathematics" in await _signals(cascade, asking("was ist 15 plus 27"))
