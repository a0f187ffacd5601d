"""How like claims and passages are: windows and scores. All texts are our own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid_scorer.support import likeness as support
from pellucid_scorer.support import pairing

PASSAGE = (
    "Northport opened its second lock on 14 March 2024 after nine years of work. The lock is "
    "312 metres long and cost 1.5 billion crowns, 12% more than planned. Ann Lee, who leads the "
    "harbour board, said that between 40 and 55 ships pass each day. Tidewater Ltd did not bid. "
    "The old lock, built in the 1930s, will not be closed before 2027."
)


def judge(claim: str, passage: str = PASSAGE, cosine: float = 0.75) -> support.Judgement:
    source = support.Passage.read(id="p", text=passage)
    return support.judge("p", support.best_window(support.Claim.read(claim), source), cosine)


@pytest.mark.parametrize(
    "claim",
    [
        "Northport opened its second lock on March 14, 2024.",
        "The second lock opened in March 2024 after nine years of work.",
        "The lock cost 1.5 billion crowns.",
        "The lock cost 1,500 million crowns, 12 percent more than planned.",
        "It cost 1.5bn crowns and is 312 metres long.",
        "Between 40 and 55 ships pass each day, said Ann Lee.",
        "Lee said that 40 to 55 ships pass each day.",
        "Tidewater did not bid for the lock.",
        "The old lock was built in the 1930s.",
        "The lock is about 310 metres long.",
        "After 9 years of work, Northport opened its second lock.",
    ],
)
def test_claims_in_other_words_score_above_even_odds(claim: str) -> None:
    assert judge(claim).score > 0.5


def test_whose_words_and_meaning_come_nearer_scores_higher() -> None:
    near = judge("The lock is 321 metres long.", cosine=0.9)
    far = judge("A lemon soup of 321 grams is eaten daily at home.", cosine=0.1)
    assert near.score > far.score


def test_an_unrelated_passage_supports_nothing() -> None:
    assert judge("Lentil soup needs lemon and smoked paprika.", cosine=0.05).score < 0.15


def test_the_window_is_where_the_claim_is() -> None:
    window = judge("Between 40 and 55 ships pass each day.").window
    assert "55 ships" in PASSAGE[window.start : window.end]
    assert len(PASSAGE[window.start : window.end]) < 160


@pytest.mark.parametrize("beginning", ["According to Dr.", "In the U.S.", "Am 3."])
def test_no_window_begins_behind_an_abbreviation(beginning: str) -> None:
    text = f"It rained. {beginning} Quill the lock is 312 metres long. It rained again."
    window = judge("The lock is 312 metres long.", text).window
    assert text[window.start : window.end].startswith(beginning)


def test_a_text_without_full_stops_is_cut_at_spaces() -> None:
    text = "lock " * 400
    read = support.Passage.read(id="p", text=text)
    assert max(piece.end - piece.start for piece in read.pieces) <= 3 * support.LONGEST_SENTENCE
    assert all(text[piece.start : piece.end].strip().startswith("lock") for piece in read.pieces)


@given(claim=st.text(max_size=120), passage=st.text(max_size=400), cosine=st.floats(-1, 1))
def test_any_text_is_judged(claim: str, passage: str, cosine: float) -> None:
    judgement = judge(claim, passage, cosine)
    window = judgement.window
    assert 0.0 <= judgement.score <= 1.0
    assert 0 <= window.start <= window.end <= len(passage)
    assert 0.0 <= window.overlap <= 1.0


def test_pairs_beyond_the_limit_are_judged_without_the_model() -> None:
    claims = [support.Claim.read(f"The lock number {n} is long.") for n in range(32)]
    sources = [support.Passage.read(id=str(n), text=f"Lock {n} is long.") for n in range(64)]
    pairs = pairing.pairs(claims, sources)
    texts = pairing.texts(pairs)
    assert len(texts) <= 2 * pairing.MOST_WINDOWS
    assert len(pairing.judgements(pairs, texts, None)) == 32 * 64


ACROSS = "Tidewater Ltd hat für die neue Schleuse nicht geboten, sagte die Chefin des Hafens."


def test_a_claim_in_another_language_may_be_said_anywhere_in_a_passage() -> None:
    claim, passage = support.Claim.read(ACROSS), support.Passage.read(id="p", text=PASSAGE)
    (pair,) = pairing.pairs([claim], [passage])
    (own,) = pairing.pairs([support.Claim.read("Tidewater Ltd did not bid.")], [passage])

    ((*choice,),) = pairing.across([pair])

    assert (pair.is_across, own.is_across) == (True, False)
    assert " ".join(one.window_text.strip() for one in choice) == PASSAGE
    assert all(one.window.overlap >= support.OVERLAP_ACROSS for one in choice)
