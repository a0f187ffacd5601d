"""Claims that bind words otherwise, state more than a passage, or tell what is not done."""

import pytest

from pellucid_gateway.claims.contradictions import contradicts
from pellucid_gateway.claims.distortions import is_distorted
from pellucid_gateway.claims.telling.deeds import Ground, deeds

COUNCIL = (
    "The council of Wexmoor hopes to reopen the lido in May. The lido, built by Ann Lee in 1931, "
    "was shut because tiles had fallen; the library was not. Bo Ray, who leads the council, blamed "
    "the frost. Visitors over sixty pay 3 crowns, others 5. Nobody was hurt. The loan still needs "
    "approval by the county."
)
PRICES = (
    "Rents in Hull fell and wages rose in 2025, the second largest rise since 1990. In Leith wages "
    "stayed as they were. Most tenants kept their flats. The firm will move its office from Hull "
    "to a hall in Leith. Less than 300,000 people took part. Entry is free on Sundays only. "
    "Scientists think that the trend could end."
)

WRONG = [
    (COUNCIL, "The council reopened the lido in May"),
    (COUNCIL, "Several people were hurt"),
    (COUNCIL, "Ann Lee leads the council"),
    (COUNCIL, "The county has approved the loan"),
    (COUNCIL, "All visitors pay 3 crowns"),
    (COUNCIL, "The library was shut because tiles had fallen"),
    (PRICES, "Wages fell and rents rose in 2025"),
    (PRICES, "It was the largest rise since 1990"),
    (PRICES, "All tenants kept their flats"),
    (PRICES, "The firm will move its office from Leith to Hull"),
    (PRICES, "More than 300,000 people took part"),
    (PRICES, "Entry is free every day"),
    (PRICES, "The trend will certainly end"),
]
RIGHT = [
    (COUNCIL, "The council hopes that the lido will reopen in May"),
    (COUNCIL, "The lido was built by Ann Lee"),
    (COUNCIL, "Bo Ray blamed the frost"),
    (COUNCIL, "No one was hurt"),
    (COUNCIL, "The county has yet to approve the loan"),
    (COUNCIL, "The lido was shut as tiles had fallen"),
    (PRICES, "In Hull wages rose and rents fell"),
    (PRICES, "The rise was the second largest since 1990"),
    (PRICES, "The tenants mostly kept their flats"),
    (PRICES, "The firm's office moves to Leith"),
    (PRICES, "Fewer than 300,000 people took part"),
    (PRICES, "Scientists believe that the trend may end"),
]


@pytest.mark.parametrize(("passage", "claim"), WRONG)
def test_what_is_told_otherwise_is_spoken_against(passage: str, claim: str) -> None:
    assert is_distorted(claim, passage) or contradicts(claim, passage)


@pytest.mark.parametrize(("passage", "claim"), RIGHT)
def test_what_is_told_in_other_words_is_left_alone(passage: str, claim: str) -> None:
    assert not is_distorted(claim, passage)
    assert not contradicts(claim, passage)


@pytest.mark.parametrize(
    ("sentence", "doer", "ground"),
    [
        ("The club thanked Ann Lee, who built the lido.", {"ann", "lee"}, Ground.DONE),
        ("Ann Lee may leave the council.", {"ann", "lee"}, Ground.OPEN),
        ("The lido was built by Ann Lee.", {"ann", "lee"}, Ground.DONE),
        ("She left the council.", set(), Ground.DONE),
        ("The lido is to close in May.", {"lido"}, Ground.COMING),
        ("Ann Lee stays until a mayor is elected.", {"mayor"}, Ground.OPEN),
    ],
)
def test_last_deed_of_a_sentence(sentence: str, doer: set[str], ground: Ground) -> None:
    told = deeds(sentence)[-1]

    assert (told.doer or told.done_to if "elected" in sentence else told.doer) == doer
    assert told.ground is ground
