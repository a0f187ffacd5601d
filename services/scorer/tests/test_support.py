"""Claims against passages: figures, dates, names, windows, negation. All texts are our own."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid_scorer import figures, names, overstated, pairing, roles, support

PASSAGE = (
    "Northport opened its second lock on 14 March 2024 after nine years of work. The lock is "
    "312 metres long and cost 1.5 billion crowns, 12% more than planned. Ann Lee, who leads the "
    "harbour board, said that between 40 and 55 ships pass each day. Tidewater Ltd did not bid. "
    "The old lock, built in the 1930s, will not be closed before 2027."
)


def judge(claim: str, passage: str = PASSAGE, cosine: float = 0.75) -> support.Judgement:
    source = support.Passage.read(id="p", text=passage)
    return support.judge("p", support.check(support.Claim.read(claim), source), cosine)


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
def test_right_claims_miss_nothing(claim: str) -> None:
    judgement = judge(claim)
    assert judgement.checks.missing == ()
    assert judgement.score > 0.5


@pytest.mark.parametrize(
    ("claim", "missing"),
    [
        ("The lock cost 1.6 billion crowns.", "1.6 billion"),
        ("The lock cost 1.5 million crowns.", "1.5 million"),
        ("The lock cost 12 crowns more than planned.", "12"),
        ("The lock is 321 metres long.", "321"),
        ("The lock is about 250 metres long.", "250"),
        ("Between 40 and 65 ships pass each day.", "65"),
        ("The lock cost 13% more than planned.", "13%"),
        ("Northport opened its second lock on 14 May 2024.", "14 May 2024"),
        ("Northport opened its second lock on 15 March 2024.", "15 March 2024"),
        ("Northport opened its second lock in March 2023.", "March 2023"),
        ("The old lock will not be closed before 2029.", "2029"),
        ("Eastport opened its second lock.", "Eastport"),
        ("Tom Lee leads the harbour board.", "Tom Lee"),
        ("Ann Ray leads the harbour board.", "Ann Ray"),
        ("The lock was planned by Miller & Sons.", "Miller Sons"),
    ],
)
def test_planted_errors_are_named_and_score_below_even_odds(claim: str, missing: str) -> None:
    judgement = judge(claim, cosine=0.95)
    assert missing in judgement.checks.missing
    assert judgement.score <= 0.15


def test_a_denied_claim_scores_below_even_odds() -> None:
    assert judge("Tidewater Ltd did bid.", cosine=0.95).score <= support.NEGATION_CAP
    assert judge("The old lock will be closed before 2027.", cosine=0.95).score < 0.5
    assert judge("Northport never opened its second lock in March 2024.", cosine=0.95).score < 0.5


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


def test_of_two_claims_with_the_same_defect_the_better_supported_one_scores_higher() -> None:
    near = judge("The lock is 321 metres long.", cosine=0.9)
    far = judge("A lemon soup of 321 grams is eaten daily at home.", cosine=0.1)
    worse = judge("The lock is 321 metres long and cost 1.6 billion crowns.", cosine=0.9)
    assert near.score > far.score
    assert near.score > worse.score


def test_months_in_small_letters_are_months_with_their_year() -> None:
    assert [day.month for day in figures.read("entre enero y marzo de 2024").days] == [3]
    assert [day.month for day in figures.read("en mayo de 2024").days] == [5]
    assert [day.month for day in figures.read("since may 2024").days] == [5]


def test_a_day_of_a_month_is_no_quantity() -> None:
    assert judge("The work took 14 years.").checks.missing_figures == ("14",)


def test_an_unrelated_passage_supports_nothing() -> None:
    assert judge("Lentil soup needs lemon and smoked paprika.", cosine=0.05).score < 0.15


def test_the_window_is_where_the_claim_is() -> None:
    window = judge("Between 40 and 55 ships pass each day.").checks.window
    assert "55 ships" in PASSAGE[window.start : window.end]
    assert len(PASSAGE[window.start : window.end]) < 160


def test_korean_and_chinese_figures_and_dates() -> None:
    korean = "노스포트는 2024년 3월 14일 두 번째 갑문을 열었다. 비용은 1조 5천억 원이다."
    assert judge("2024년 3월 14일에 갑문을 열었다", korean).checks.missing == ()
    assert judge("2024년 5월 14일에 갑문을 열었다", korean).checks.missing_dates
    chinese = "北港于2024年3月14日启用第二座船闸,耗资15亿克朗。"
    assert judge("船闸耗资15亿克朗", chinese).checks.missing == ()
    assert judge("船闸耗资16亿克朗", chinese).checks.missing_figures == ("16亿",)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("$1.5 billion", "1,500 million", True),
        ("1.500.000", "1.5 million", True),
        ("12 000", "12,000", True),
        ("1.500,25", "1,500.25", True),
        ("twenty-five", "25", True),
        ("5%", "5 percent", True),
        ("5%", "5 per cent", True),
        ("5%", "5", False),
        ("2k", "2,000", True),
        ("3.5", "35", False),
        ("about 5 million", "4.9 million", True),
        ("5 million", "4.9 million", False),
        ("15억", "1,500,000,000", True),
    ],
)
def test_equal_figures(first: str, second: str, *, same: bool) -> None:
    (one,) = figures.read(first).figures
    (other,) = figures.read(second).figures
    assert one.equals(other) is same


@pytest.mark.parametrize(
    "text",
    ["14 March 2024", "March 14, 2024", "Mar. 14 2024", "2024-03-14", "2024/3/14",
     "14. März 2024", "14 mars 2024", "14 de marzo de 2024", "2024년 3월 14일",
     "2024年3月14日", "14th of March, 2024"],
)  # fmt: skip
def test_one_date_in_many_spellings(text: str) -> None:
    (day,) = figures.read(text).days
    assert (day.year, day.month, day.day) == (2024, 3, 14)


def test_small_words_are_not_months() -> None:
    assert figures.read("you may 3 times march 10 miles").days == ()


def test_a_year_may_stand_apart_from_its_day() -> None:
    judgement = judge("It opened on 14 March 2024.", "In 2024 it opened, on 14 March.")
    assert judgement.checks.missing == ()


def test_names() -> None:
    text = "According to Dr. John Smith, OpenAI's board met in New York City. Sales rose."
    found = [name.written for name in names.names(text)]
    assert found == ["Dr John Smith", "OpenAI", "New York City"]


def test_names_in_other_forms() -> None:
    index = names.index("TechCrunch wrote about New York City; the Olympic committee met.")
    forms = "Today Tech Crunch, NYC and the Olympics met."
    assert all(index.has(name) for name in names.names(forms))


@given(claim=st.text(max_size=120), passage=st.text(max_size=400), cosine=st.floats(-1, 1))
def test_any_text_is_judged(claim: str, passage: str, cosine: float) -> None:
    judgement = judge(claim, passage, cosine)
    window = judgement.checks.window
    assert 0.0 <= judgement.score <= 1.0
    assert 0 <= window.start <= window.end <= len(passage)
    assert 0.0 <= window.overlap <= 1.0
    assert len(judgement.checks.missing) <= support.MOST_MISSING


@given(st.text(max_size=400))
def test_a_text_misses_nothing_of_itself(text: str) -> None:
    assert judge(text, text).checks.missing == ()


@given(st.text(max_size=2000))
def test_sentences_are_in_order_and_inside(text: str) -> None:
    spans = list(support.sentences(text))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))


def test_pairs_beyond_the_limit_are_judged_without_the_model() -> None:
    claims = [support.Claim.read(f"The lock number {n} is long.") for n in range(32)]
    sources = [support.Passage.read(id=str(n), text=f"Lock {n} is long.") for n in range(64)]
    pairs = pairing.pairs(claims, sources)
    texts = pairing.texts(pairs)
    assert len(texts) <= 2 * pairing.MOST_WINDOWS
    assert len(pairing.judgements(pairs, texts, None)) == 32 * 64


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
    passage = support.Passage.read(id="p", text=CLUB)

    assert support.check(support.Claim.read(claim), passage).is_swapped is expected


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
