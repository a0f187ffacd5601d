"""The classifier: works without the scorer and says so, and refuses weights that do not fit."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pellucid_decision.decision import Action, Stage
from pellucid_decision.desk import Desk
from pellucid_decision.errors import UnavailableError, WeightsError
from pellucid_decision.reuse import REUSE_SECONDS, DecisionCache
from pellucid_decision.rules.rulebook import Rulebook
from pellucid_decision.stages.cascade import Cascade
from pellucid_decision.stages.case import examine
from pellucid_decision.stages.classifier import Classifier
from pellucid_decision.stages.deliberation import Opinion
from pellucid_decision.stages.weights import MAX_WEIGHTS_BYTES, PACKAGED_WEIGHTS, load_weights
from pellucid_decision.text.conversation import Ask
from pellucid_runtime.clock import FixedClock


@dataclass(frozen=True)
class FixedRules:
    book: Rulebook


class Encoder:
    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def embed(self, text: str) -> list[float]:
        self.asked.append(text)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "flagged"),
    [
        ([0.05] * 384, False),
        (UnavailableError("down"), True),
        ([float("nan")] * 384, True),
        ([1.0], True),
    ],
)
async def test_a_lost_embedding_is_flagged(
    book: Rulebook,
    asking: Callable[..., Ask],
    answer: object,
    flagged: bool,  # noqa: FBT001 - a table of cases
) -> None:
    case = examine(asking("the blue harbour festival"), book)
    classifier = Classifier(load_weights(), Encoder(answer))
    opinion = await classifier.consider(case.ask, case.resolved, case.reading)
    assert 0 <= opinion.probability <= 1
    assert bool(opinion.degraded) is flagged


async def test_a_language_that_is_not_glossed_needs_no_embedding(
    book: Rulebook, asking: Callable[..., Ask]
) -> None:
    case = examine(asking("\u0441\u0438\u043d\u0438\u0439 \u043f\u043e\u0440\u0442"), book)
    classifier = Classifier(load_weights(), Encoder(UnavailableError("down")))
    assert not (await classifier.consider(case.ask, case.resolved, case.reading)).degraded


async def test_other_languages_are_embedded_as_their_gloss(
    book: Rulebook, asking: Callable[..., Ask]
) -> None:
    encoder = Encoder([0.05] * 384)
    case = examine(asking("Wann öffnet das Rathaus?"), book)
    await Classifier(load_weights(), encoder).consider(case.ask, case.resolved, case.reading)
    assert encoder.asked == ["when opens the town hall ?"]


@dataclass(frozen=True)
class Opposed:
    """A classifier that is sure of one thing, whatever is asked."""

    chance: float

    def look(self, *_: object) -> "Opposed":
        return self

    def probability(self) -> float:
        return self.chance

    async def consider(self, *_: object) -> Opinion:
        return Opinion(self.chance, sure=True)


@pytest.mark.parametrize(
    ("message", "chance", "expected"),
    [
        ("who won the match", 0.45, (Action.ANSWER, Stage.CLASSIFIER)),
        ("who won the match", 0.65, (Action.SEARCH, Stage.RULE)),
        ("who is the CEO of Siemens?", 0.18, (Action.SEARCH, Stage.RULE)),
        ("who is the CEO of Siemens?", 0.12, (Action.ANSWER, Stage.CLASSIFIER)),
        ("write a poem about rain", 0.65, (Action.SEARCH, Stage.CLASSIFIER)),
        ("write a poem about rain", 0.55, (Action.ANSWER, Stage.RULE)),
        ("thanks a lot", 0.95, (Action.ANSWER, Stage.RULE)),
        ("don't search the web: who is the CEO of Siemens?", 0.99, (Action.ANSWER, Stage.RULE)),
        ("generate a concise title for this conversation", 0.99, (Action.ANSWER, Stage.RULE)),
        ("what does https://a.example/x say", 0.01, (Action.FETCH, Stage.URL)),
    ],
)
async def test_a_sure_classifier_contests_rules_but_not_orders(
    book: Rulebook,
    asking: Callable[..., Ask],
    message: str,
    chance: float,
    expected: tuple[Action, Stage],
) -> None:
    cascade = Cascade(FixedRules(book), Opposed(chance))
    decision = await cascade.decide(asking(message))
    assert (decision.action, decision.verdict.stage) == expected


@pytest.mark.parametrize("tables", ["lexicon", "gloss"])
def test_weights_for_other_tables_are_refused(monkeypatch: pytest.MonkeyPatch, tables: str) -> None:
    load_weights()
    monkeypatch.setattr(f"pellucid_decision.text.{tables}.version", lambda: "other")
    with pytest.raises(WeightsError):
        load_weights()


def test_weights_are_small() -> None:
    assert PACKAGED_WEIGHTS.stat().st_size <= MAX_WEIGHTS_BYTES


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04broken", b"x" * (MAX_WEIGHTS_BYTES + 1)])
def test_bad_weights_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "classifier.npz"
    path.write_bytes(content)
    with pytest.raises(WeightsError):
        load_weights(path)


async def test_a_decision_is_reused_for_five_minutes(
    cascade: Cascade, asking: Callable[..., Ask]
) -> None:
    clock, seen, reused = FixedClock(), [], []
    desk = Desk(
        cascade,
        DecisionCache(clock),
        cascade.rules,
        clock,
        lambda decision, _: seen.append(decision),
        lambda: reused.append(1),
    )
    ask = asking("latest news about Mars", conversation_id="c1")
    first = await desk.decide(ask)
    assert await desk.decide(ask) == first
    await desk.decide(asking("latest news about Mars"))
    clock.advance(REUSE_SECONDS + 1)
    await desk.decide(ask)
    assert (len(seen), len(reused)) == (3, 1)


async def test_reuse_is_bounded(cascade: Cascade, asking: Callable[..., Ask]) -> None:
    cache = DecisionCache(FixedClock(), capacity=3)
    decision = await cascade.decide(asking("hello"))
    for number in range(10):
        cache.put(asking("hello", conversation_id=f"c{number}"), decision)
    assert len(cache) == 3
