"""Figures that follow from two of a page are accepted when they agree, and not when they do not.

What disagrees is refused in digits; in words ("nearly half") it is left to a judge.
"""

import pytest

from pellucid_gateway.verification.fact_matching import FactMatch, match_facts

PROFIT = "Profit rose to 64 million pounds from 58 million."
WAIT = "The average wait fell from 5.2 to 3.9 hours."
VOTE = "On Sunday 5,310 voted no and 4,480 yes."
PATH = "Der Radweg kostet 4,2 Millionen Euro. Der Bund zahlt die Hälfte."
FEE = "入館料は1800円から2000円になる。"
FEVER = "The vaccine protected 45 percent for 18 months. Fever was seen in one in twenty."
OPERA = "Harg began writing it in 2014 and finished it in 2021."
STAFF = "Of the rooms, 12 of the 140 are empty."
TABLE = """In millions of euros:

| Segment | Revenue (million euros) | Before |
|---|---|---|
| Balances | 198.4 | 201.7 |
| Sensors | 151.6 | 128.9 |"""
STORAGE = "Keep it below 25 °C. It weighs 500 g."
HOURS = "On Saturday it closes at 18:30, else at 17:00."
COURT = (
    "Monday, 22 January 2024. It was decided on Friday. The time to appeal is 40 days. "
    "In three years it is looked at again."
)
SCORES = "The houses got 10, 18, 30, 37, 48, 57, 70 and 84 votes."
SPEED = "Charging takes 14 minutes, half as long as with the first model."


def is_told(claim: str, page: str) -> bool:
    """Whether form alone finds the figures of a claim."""
    found = match_facts(claim, page)
    return found.numbers_found and not found.is_open


@pytest.mark.parametrize(
    ("page", "right", "wrong"),
    [
        (PROFIT, "Profit grew by 6 million pounds", "Profit grew by 9 million pounds"),
        (PROFIT, "Profit was 6 million pounds higher", "Profit rose to 6.5 million pounds"),
        (WAIT, "The wait fell by 1.3 hours", "The wait fell by 2.3 hours"),
        (WAIT, "The wait is less than four hours", "The wait is less than six hours"),
        (VOTE, "The no camp won by 830 votes", "The no camp won by 380 votes"),
        (PATH, "Der Bund zahlt 2,1 Millionen Euro", "Der Bund zahlt 1,2 Millionen Euro"),
        (FEE, "入館料は200円上がる", "入館料は300円上がる"),
        (FEVER, "It protected nearly half of all", "It protected nearly a third of all"),
        (FEVER, "It protected for a year and a half", "It protected for half a year"),
        (FEVER, "Five percent had a fever", "Six percent had a fever"),
        (OPERA, "Writing it took seven years", "Writing it took nine years"),
        (STAFF, "About 9 percent are empty", "About 19 percent are empty"),
        (SPEED, "The first model took 28 minutes", "The first model took 42 minutes"),
    ],
)
def test_a_figure_that_is_worked_out_is_checked(page: str, right: str, wrong: str) -> None:
    assert is_told(right, page)
    assert not is_told(wrong, page)


@pytest.mark.parametrize(
    ("page", "phrases"),
    [
        ("It lasts 18 months.", ["a year and a half", "anderthalb Jahre", "un an et demi"]),
        ("It lasts 18 months.", ["un año y medio", "1년 반", "一年半", "1年半"]),
        ("It lasts 6 months.", ["half a year", "ein halbes Jahr", "medio año", "반년", "半年"]),
        ("It is 48 percent.", ["nearly half", "fast die Hälfte", "près de la moitié"]),
        ("It is 48 percent.", ["casi la mitad", "거의 절반", "ほぼ半数", "近半数"]),
        ("It is 20 percent.", ["one in five", "jeder Fünfte", "un sur cinq", "una de cada cinco"]),
        ("It is 20 percent.", ["5명 중 1명", "5人に1人", "五分之一"]),
    ],
)
def test_spans_and_parts_are_read_in_seven_languages(page: str, phrases: list[str]) -> None:
    other = page.replace("18", "30").replace("6 ", "9 ").replace("48", "61").replace("20", "33")
    assert [p for p in phrases if not is_told(p, page)] == []
    assert [p for p in phrases if is_told(p, other)] == []


@pytest.mark.parametrize(
    ("claim", "is_open"), [("It lasts two years", True), ("It lasts 24 months", False)]
)
def test_only_words_are_left_to_a_judge(claim: str, *, is_open: bool) -> None:
    found = match_facts(claim, "It lasts 18 months.")
    assert (found.numbers_found, found.is_open) == (is_open, is_open)


def test_what_chance_may_explain_is_left_open() -> None:
    found = match_facts("Those over 80 won by 20 votes", SCORES)
    assert (found.numbers_found, found.is_open) == (True, True)


@pytest.mark.parametrize(
    ("page", "right", "wrong"),
    [
        (
            TABLE,
            "Sensors brought in 22.7 million euros more",
            "Sensors brought in 22.7 billion euros",
        ),
        (TABLE, "Sensors made 151.6 million euros", "Sensors made 151.6 million dollars"),
        (STORAGE, "Keep it below 77 °F", "Keep it below 82 °F"),
        (STORAGE, "It weighs half a kilogram", "It weighs a quarter of a kilogram"),
        (HOURS, "On Saturday it closes an hour and a half later", "It closes three hours later"),
    ],
)
def test_tables_units_and_times_of_day(page: str, right: str, wrong: str) -> None:
    assert is_told(right, page)
    assert not is_told(wrong, page)


@pytest.mark.parametrize(
    ("page", "right", "wrong"),
    [
        (COURT, "It was decided on 19 January 2024", "It was decided on 18 January 2024"),
        (
            COURT,
            "The time to appeal ends on 2 March 2024",
            "The time to appeal ends on 3 March 2024",
        ),
        (COURT, "It is looked at again in January 2027", "It is looked at again in January 2028"),
    ],
)
def test_days_are_reckoned_from_a_whole_date(page: str, right: str, wrong: str) -> None:
    assert match_facts(right, page) == FactMatch(
        numbers_found=True, names_found=True, dates_found=True
    )
    missed = match_facts(wrong, page)
    assert missed.is_open or not missed.all_found


def test_names_of_another_language_are_left_to_a_judge() -> None:
    page = "Das Amt für Denkmalpflege in Brunntal hat zugestimmt."
    found = match_facts("The Monuments Office in Brunntal agreed", page, is_across=True)
    assert (found.all_found, found.is_open) == (True, True)
