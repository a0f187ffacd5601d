"""Things on sale are compared from the web; concepts, prices that are told and choices are not."""

from collections.abc import Callable

import pytest

from pellucid_decision.stages.cascade import Cascade
from pellucid_decision.stages.classifier import Classifier
from pellucid_decision.stages.weights import load_weights
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


@pytest.fixture(scope="module")
def weighed(cascade: Cascade) -> Cascade:
    """Rules and classifier, without a scorer."""
    return Cascade(cascade.rules, Classifier(load_weights()))


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


ON_SALE = [
    "Galaxy S25 or Pixel 10?",
    "Lohnt sich die PS5 Pro gegenüber der normalen PS5?",
    "MacBook Air M4 ou MacBook Pro M4 pour le montage vidéo",
    "cuál hace menos ruido, Bosch Serie 6 o Miele G7",
    "갤럭시 S25 vs 픽셀 10",
    "ガーミン970とCOROS PACE Pro迷う",
    "Model Y和比亚迪海豹U哪个适合五口之家",
]
OTHERWISE = [
    "write an ad for the iPhone 17",
    "das Handy kostet 949, das Pro 1199, wie viel Prozent mehr?",
    "ça vaut le coup d'apprendre le latin ?",
    "le escribo a Emma o espero a que llame Ana",
    "for문이랑 while문 차이",
    "Galaxy S25をプールに落とした、泣きたい",
    "Python 3.13里常量用列表还是元组",
]


@pytest.mark.parametrize("message", ON_SALE, ids=LANGUAGES)
async def test_what_is_on_sale_is_compared_from_the_web(
    weighed: Cascade, asking: Callable[..., Ask], message: str
) -> None:
    assert (await weighed.decide(asking(message))).needs_search


@pytest.mark.parametrize("message", OTHERWISE, ids=LANGUAGES)
async def test_names_prices_and_choices_alone_need_no_web(
    weighed: Cascade, asking: Callable[..., Ask], message: str
) -> None:
    assert not (await weighed.decide(asking(message))).needs_search
