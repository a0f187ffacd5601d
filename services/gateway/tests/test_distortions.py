"""Claims that say other than the nearest sentence with the same words. All texts are our own."""

from collections.abc import Sequence

import pytest

from pellucid_gateway.claims import overstated, roles
from pellucid_gateway.claims.distortions import is_distorted
from pellucid_gateway.vocabulary.findings import Source
from pellucid_gateway.vocabulary.ports import Passage, PassageSupport
from rig.real_support import SupportDown
from rig.verifying import judge_of


@pytest.mark.parametrize(
    ("claim", "sentence", "swapped"),
    [
        ("Eastport sued Northport.", "Northport sued Eastport in May.", True),
        ("Eastport was sued by Northport.", "Northport sued Eastport in May.", False),
        ("Northport was beaten by Eastport.", "Northport beat Eastport.", True),
        ("Northport and Eastport signed.", "Eastport and Northport signed.", False),
        ("Northport thanked Eastport.", "Eastport sued Northport.", False),
        ("Ann Lee praised Bob Ray.", "Ann Lee, who leads, praised Bob Ray.", False),
    ],
)
def test_swapped_roles(claim: str, sentence: str, *, swapped: bool) -> None:
    assert roles.are_swapped(claim, sentence) is swapped


@pytest.mark.parametrize(
    ("claim", "sentence", "expected"),
    [
        ("Ash closed its plant in Hull.", "Ash plans to close its plant in Hull.", True),
        ("Ash plans to close its plant in Hull.", "Ash plans to close its plant in Hull.", False),
        ("Ash announced the closure of a plant.", "Ash plans to close its plant.", False),
        ("Ash sold its plant in May.", "Ash sold its plant in May 2026.", False),
        ("Ash was bought by Birch.", "Birch, which may move, bought Ash.", False),
        ("Ash bought Birch.", "Ash proposed a merger and later bought Birch.", False),
        ("The firm rejected the merger.", "The firm considered and rejected the merger.", False),
        ("The firm bought the mill.", "The firm wants to see and buy the mill.", True),
        ("The school has evening courses.", "The school offers evening courses.", False),
        ("The firm has sold its mill.", "The firm offers to sell its mill.", True),
        ("A new plant was built.", "A new plant is being discussed.", True),
        ("The drug may be sold.", "The firm hopes the drug is sold.", False),
        ("Ash may not carry lorries.", "Ash may not carry lorries.", False),
        ("Lorries are not carried.", "Ash may not carry lorries.", False),
        ("All of the workers are women.", "Most of the workers are women.", True),
        ("Every night the bridge is shut.", "The bridge, which many use, is shut.", False),
        ("Alle Arbeiter sind Frauen.", "Die meisten Arbeiter sind Frauen.", True),
        ("회사는 공장을 닫았다.", "회사는 공장 폐쇄를 검토하고 있다.", True),
        ("工厂已经关闭。", "公司正在考虑关闭工厂。", True),
        ("机场9月动工。", "机场9月动工，预计2029年完工。", False),
    ],
)
def test_a_claim_that_says_more_is_told(claim: str, sentence: str, *, expected: bool) -> None:
    assert overstated.is_overstated(claim, [sentence]) is expected


def test_a_sentence_beside_it_that_states_it_suffices() -> None:
    near = ["Ash plans to close its plant.", "Ash closed its plant in May."]

    assert not overstated.is_overstated("Ash closed its plant.", near)
    assert not overstated.is_overstated("Ash closed its plant.", [])


CLUB = (
    "Northport Rovers have a new coach. The club named Greta Olsund on Tuesday. Olsund is 41. "
    "The former midfielder led Kalmarsund to two titles. She starts on Saturday. The board met "
    "four people. The ground is old. The pitch was laid again. It was wet, said chairman Bob Hest."
)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Bob Hest led Kalmarsund to two titles.", True),
        ("Olsund led Kalmarsund to two titles.", False),
        ("Olsund and Bob Hest led Kalmarsund to two titles.", False),
        ("Bob Hest said that it was wet.", False),
        ("The former midfielder led Kalmarsund to two titles.", False),
    ],
)
def test_what_is_said_of_another_is_told(claim: str, *, expected: bool) -> None:
    assert is_distorted(claim, CLUB) is expected


@pytest.mark.parametrize(
    ("claim", "sentence", "expected"),
    [
        ("Ann Lee criticised the mayor.", "The mayor criticised Ann Lee for the delay.", True),
        ("Ann Lee criticised the mayor.", "On Monday Ann Lee criticised the mayor.", False),
        ("Ann Lee was criticised by the mayor.", "The mayor criticised Ann Lee.", False),
        ("Ann Lee was criticised by the mayor.", "Ann Lee criticised the mayor.", True),
        ("Wexmoor bought the mill.", "The mill was bought by Wexmoor in May.", False),
        ("Wexmoor bought the mill.", "Wexmoor was bought by the mill in May.", True),
        ("Ann Lee directed the film.", "The film, directed by Ann Lee, was shown in May.", False),
        ("Ann Lee directed the film.", "The film directed Ann Lee to the sea.", True),
        ("Ann Lee said so.", "That is so, said Ann Lee.", False),
        ("The mayor criticised her.", "She criticised the mayor.", False),
    ],
)
def test_a_name_on_the_other_side_of_its_verb(claim: str, sentence: str, *, expected: bool) -> None:
    assert roles.is_turned(claim, sentence) is expected


@pytest.mark.parametrize(
    ("claim", "facts"),
    [
        ("The bridge is 1,320 m long and is not open.", "The bridge is 1.32 km long and is open."),
        ("Ash sold its 1,320 m pier.", "Ash plans to sell its 1.32 km pier."),
    ],
)
async def test_a_figure_in_another_unit_lets_no_wrong_claim_pass(claim: str, facts: str) -> None:
    """The words of the claim suffice and its figure is there: what is denied must still count."""
    scorer = ScriptedScorer(0.95)
    right = facts.replace("1.32 km", "1,320 m")

    assert not await judged(claim, facts, scorer)
    assert await judged(right, facts, scorer)


async def judged(claim: str, facts: str, scorer: "ScriptedScorer") -> bool:
    source = Source(n=1, url="http://p.example/", title="", domain="p.example", facts=facts)
    ((one,),) = await judge_of([source], scorer, "en").judge([claim])
    return one.supported


class ScriptedScorer(SupportDown):
    """Implements `ScorerPort` with one support for every claim."""

    def __init__(self, score: float) -> None:
        self._score = score

    async def support(
        self, claims: Sequence[str], passages: Sequence[Passage]
    ) -> tuple[tuple[PassageSupport, ...], ...]:
        """Answer alike."""
        row = tuple(PassageSupport(passage_id=p.id, score=self._score) for p in passages)
        return tuple(row for _ in claims)
