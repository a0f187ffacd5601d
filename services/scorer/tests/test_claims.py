"""Labelled claims of our own against their passages: what is caught, what is kept.

``claims.yaml`` is a regression set: rules were written with it in sight. ``claims_fresh.yaml`` was
written before its author had seen the rules. At its first and only measurement without it in sight
(92 claims) these shares were judged well: right .97, figure 1, date 1, negation 1, name .63, role
.25, unit .20. Units, and roles in Korean, Japanese and Chinese, were worked on after that, so that
today's floors for these two are a regression as well. Even odds (0.5) are where callers draw the
line.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from pellucid_scorer import pairing, support
from pellucid_scorer.embedding import Embedded, Spent
from pellucid_scorer.ports import Encoder

CLAIMS = Path(__file__).parent / "claims.yaml"
RIGHT = "right"
FLOORS = {"right": 0.95, "figure": 1.0, "date": 1.0, "name": 1.0, "unit": 1.0}
"""Least share of right claims at even odds or above, and of each kind of wrong ones below."""
FRESH = Path(__file__).parent / "claims_fresh.yaml"
FRESH_FLOORS = {
    "right": 0.96,
    "figure": 1.0,
    "date": 1.0,
    "negation": 1.0,
    "unit": 1.0,
    "name": 0.62,
    "role": 0.5,
}
"""What is missed: names in scripts without capital letters, and roles that common nouns, pronouns
or a verb at the end carry."""
PAGES = Path(__file__).parent / "claims_pages.yaml"
PAGES_FLOORS = {"right": 0.80, "added": 0.62, "unstated": 0.70, "modality": 0.40, "quantity": 0.50}
PAGES_AREA = 0.58
"""Over encyclopedia sentences about pages. Before anything was made for them right ones scored
above wrong ones with a chance of .53 only (.56 in the part that was never looked at, .44 in the
last): who shares the page's words is often wrong, and who is right often uses others."""
SEMANTIC = ("negation", "role")
SEMANTIC_FLOOR = 0.90


@dataclass(frozen=True)
class Row:
    kind: str
    language: str
    claim: str
    score: float

    @property
    def is_well_judged(self) -> bool:
        return (self.score >= 0.5) is (self.kind == RIGHT)


@pytest.fixture(scope="module")
def rows(real_encoder: Encoder) -> Sequence[Row]:
    return read(CLAIMS, real_encoder)


@pytest.fixture(scope="module")
def fresh_rows(real_encoder: Encoder) -> Sequence[Row]:
    return read(FRESH, real_encoder)


@pytest.fixture(scope="module")
def pages_rows(real_encoder: Encoder) -> Sequence[Row]:
    return read(PAGES, real_encoder)


def read(file: Path, encoder: Encoder) -> Sequence[Row]:
    cases = yaml.safe_load(file.read_text("utf-8"))
    return [row for case in cases for row in judged(case, encoder)]


def judged(case: Mapping[str, object], encoder: Encoder) -> Sequence[Row]:
    labelled = [
        (kind, claim)
        for kind, claims in case.items()
        if isinstance(claims, list)
        for claim in claims
    ]
    passage = support.Passage.read(id="p", text=str(case["passage"]))
    pairs = pairing.pairs([support.Claim.read(claim) for _, claim in labelled], [passage])
    texts = pairing.texts(pairs)
    vectors = encoder.encode(encoder.tokenize(texts))
    embedded = Embedded(vectors, encoder.name, encoder.scripts, Spent())
    scores = [one.score for one in pairing.judgements(pairs, texts, embedded)]
    return [
        Row(kind, str(case["language"]), claim, score)
        for (kind, claim), score in zip(labelled, scores, strict=True)
    ]


def share_well_judged(rows: Sequence[Row]) -> float:
    return sum(row.is_well_judged for row in rows) / len(rows)


def test_claims_are_many_and_of_several_languages(rows: Sequence[Row]) -> None:
    assert len(rows) >= 130
    assert len({row.language for row in rows}) >= 7


@pytest.mark.parametrize(("kind", "floor"), FLOORS.items())
def test_share_of_each_kind_that_is_judged_well(
    rows: Sequence[Row], kind: str, floor: float
) -> None:
    of_kind = [row for row in rows if row.kind == kind]
    wrong = [row for row in of_kind if not row.is_well_judged]
    assert share_well_judged(of_kind) >= floor, wrong


def test_negations_and_swapped_roles_are_caught(rows: Sequence[Row]) -> None:
    semantic = [row for row in rows if row.kind in SEMANTIC]
    wrong = [row for row in semantic if not row.is_well_judged]
    assert share_well_judged(semantic) >= SEMANTIC_FLOOR, wrong


def area(rows: Sequence[Row]) -> float:
    """Chance that a right claim scores above a wrong one."""
    by_kind: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        by_kind[row.kind].append(row.score)
    right = by_kind.pop(RIGHT)
    wrong = [score for scores in by_kind.values() for score in scores]
    ordered = sum((a > b) + 0.5 * (a == b) for a in right for b in wrong)
    return ordered / (len(right) * len(wrong))


def test_right_claims_score_above_wrong_ones(rows: Sequence[Row]) -> None:
    assert area(rows) >= 0.97


@pytest.mark.parametrize(("kind", "floor"), PAGES_FLOORS.items())
def test_share_of_claims_about_pages_that_is_judged_well(
    pages_rows: Sequence[Row], kind: str, floor: float
) -> None:
    of_kind = [row for row in pages_rows if row.kind == kind]
    wrong = [row for row in of_kind if not row.is_well_judged]
    assert share_well_judged(of_kind) >= floor, wrong


def test_right_claims_about_pages_score_above_wrong_ones(pages_rows: Sequence[Row]) -> None:
    assert len(pages_rows) >= 200
    assert area(pages_rows) >= PAGES_AREA


@pytest.mark.parametrize(("kind", "floor"), FRESH_FLOORS.items())
def test_share_of_fresh_claims_that_is_judged_well(
    fresh_rows: Sequence[Row], kind: str, floor: float
) -> None:
    of_kind = [row for row in fresh_rows if row.kind == kind]
    wrong = [row for row in of_kind if not row.is_well_judged]
    assert share_well_judged(of_kind) >= floor, wrong


def test_fresh_claims_are_many_and_of_several_languages(fresh_rows: Sequence[Row]) -> None:
    assert len(fresh_rows) >= 80
    assert len({row.language for row in fresh_rows}) >= 7
