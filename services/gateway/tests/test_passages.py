"""What is shown of a page: whole pieces with what they need, for each part of the question."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid_gateway.question import passages
from pellucid_gateway.question.named_pages import named_page, outline
from pellucid_gateway.question.page_pieces import pieces_of, with_needs
from pellucid_gateway.question.parts import parts_of
from pellucid_gateway.question.passage_choice import best_of
from pellucid_gateway.question.passages import Page
from pellucid_gateway.question.tokens import GAP, tokens_of
from rig.sample import often

PAGE = """# Skerry Bridge

The Skerry Bridge opened after six years of work on Saturday. Gulls were everywhere that morning.
A toll of 4.50 crowns applies to cars from April. The mayor wore a blue hat to the event.

## Fares

| Vehicle | Fare | Season |
| --- | --- | --- |
| Bicycle | 1.20 crowns | all year |
| Coach | 19.80 crowns | summer |

## Questions

### May I walk across?

Yes, on the northern side. It closes at dusk.

What to bring:

- a lamp
- two spare batteries

## History

The first ferry ran in 1871. It sank in 1902.
"""


def shown(question: str, tokens: int = 40) -> str:
    return best_of(PAGE, question, title="Skerry Bridge", most_tokens=tokens)


def test_the_sentence_that_the_question_asks_for_is_shown() -> None:
    assert "A toll of 4.50 crowns applies" in shown("What is the toll for cars on the bridge?", 20)


def test_a_row_brings_the_heads_of_its_columns() -> None:
    text = shown("What does a coach pay?", 30)

    assert "| Vehicle | Fare | Season |" in text
    assert "| Coach | 19.80 crowns | summer |" in text


def test_a_small_table_is_shown_whole_where_it_fits() -> None:
    assert "| Bicycle | 1.20 crowns | all year |" in shown("What does a coach pay?", 60)
    assert "Bicycle" not in shown("What does a coach pay?", 30)


def test_a_heading_that_repeats_the_title_is_left_out() -> None:
    page = "# Bridge opens\n\nThe bridge opened today."
    as_title = best_of(page, "bridge?", title="Bridge opens | The Post", most_tokens=60)

    assert as_title == "The bridge opened today."
    assert best_of(page, "bridge?", title="The Post", most_tokens=60).startswith("Bridge opens\n")


def test_code_keeps_its_indentation() -> None:
    code = "async with connect() as stream:\n    async for event in stream:\n        save(event)"
    text = best_of(f"```\n{code}\n```", "connect to a stream", title="", most_tokens=60)

    assert text == code


def test_heads_of_columns_are_not_shown_without_a_row() -> None:
    assert "Season" not in shown("Who wore a hat at the opening in the tourist season?", 30)


INLINE = """## Often asked

**Do I need a pass now?** Not yet. Until 31 March nobody pays anything. The gate stays open.

The council met in May. Will there be a second gate? Nobody has decided that so far.
"""


@pytest.mark.parametrize(
    ("sentence", "needed"),
    [
        ("Until 31 March nobody pays anything.", ("Do I need a pass now?", "Not yet.")),
        ("The gate stays open.", ("Do I need a pass now?",)),
        ("Nobody has decided that so far.", ("Will there be a second gate?",)),
    ],
    ids=["after a brief answer", "later in the paragraph", "asked on the way"],
)
def test_an_answer_within_a_paragraph_brings_its_question(
    sentence: str, needed: tuple[str, ...]
) -> None:
    pieces = pieces_of(INLINE)
    (place,) = [i for i, piece in enumerate(pieces) if piece.text == sentence]

    brought = [pieces[i].text for i in with_needs([place], pieces)]

    assert sorted(brought) == sorted(("Often asked", *needed, sentence))


@pytest.mark.parametrize(
    "page",
    ["ä\n" * 4_000, "a:\n" * 4_000, "It. " * 4_000, "Why? No. " * 4_000],
    ids=["short lines", "announcements", "pronouns", "questions"],
)
def test_chains_without_end_bring_little(page: str) -> None:
    pieces = pieces_of(page)

    assert max(len(with_needs([place], pieces)) for place in range(len(pieces))) <= 14


LATE = """# Skerry Bridge

The bridge stands on two towers of concrete. Gulls nest on the bridge in spring.

The mayor praised the builders of the bridge. Many people crossed the bridge on foot.

## Background

The opening of the bridge had been moved from June. A test had found that 212 anchors were loose.
"""


def test_a_reason_is_shown_with_the_sentence_that_it_explains() -> None:
    text = best_of(LATE, "Why was the opening of the bridge moved?", title="", most_tokens=45)

    assert "moved from June. A test had found that 212 anchors were loose." in text


def test_an_answer_brings_its_question() -> None:
    text = shown("Can I walk across?", 24)

    assert "May I walk across?" in text
    assert "Yes, on the northern side." in text


def test_items_of_a_list_bring_the_line_that_introduces_them() -> None:
    text = shown("What do I have to bring?", 24)

    assert "What to bring:\n- a lamp\n- two spare batteries" in text


def test_a_line_under_an_item_brings_the_item() -> None:
    pieces = pieces_of("# Boots\n\n- Ridgewalker\n  $190.00\n- Coldpeak\n  $129.73\n\nWe post.")
    texts = [piece.text for piece in pieces]

    assert pieces[texts.index("$129.73")].about == ("Boots", "- Coldpeak")
    shown = with_needs([texts.index("$129.73")], pieces)
    assert [texts[i] for i in sorted(shown)] == ["Boots", "- Coldpeak", "$129.73"]
    assert pieces[texts.index("- Coldpeak")].about == ("Boots",), "not the price above it"


def test_a_sentence_that_points_back_brings_the_one_before() -> None:
    assert "The first ferry ran in 1871. It sank in 1902." in shown("When did it sink in 1902?", 24)


def test_both_parts_of_a_question_get_their_passage() -> None:
    text = shown("When did the first ferry run, and what does a bicycle pay?", 45)

    assert "1871" in text
    assert "1.20 crowns" in text


def test_what_code_says_stays_as_it_is_written() -> None:
    page = "Set it so:\n\n```\nmax_size = 4  # bytes\nrun --no_store *.txt\n```\n"

    assert "max_size = 4 # bytes\nrun --no_store *.txt" in best_of(
        page, "How do I set max_size?", title="", most_tokens=60
    )


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Who built it?", 1),
        ("Who built it? And what did it cost?", 2),
        ("Wann wurde sie eröffnet und wer hat sie gebaut?", 2),
        ("Quand a-t-il ouvert et combien a-t-il coûté ?", 2),
        ("¿Quién la construyó y cuánto costó?", 2),
        ("How do salt and pepper grow?", 1),
    ],
)
def test_parts_of_a_question(question: str, parts: int) -> None:
    assert len(parts_of(question)) == parts


def long_page(chars: int) -> str:
    filler = (
        "Paragraph {n} tells of the harbour, of nets and of the weather of day {n}. "
        "Nobody wrote down what the gulls did then.\n\n"
    )
    parts = [filler.format(n=n) for n in range(chars // 120)]
    parts.insert(len(parts) // 2, "The harbour master is Ilka Vestergaard, who came in 1998.\n\n")
    return "# The harbour book\n\n" + "".join(parts) + "The last line of the book."


def test_a_short_named_page_is_shown_whole() -> None:
    reading = passages.read([Page(PAGE)], "What is it about?")

    text = named_page(reading, reading.worth, 0, most_chars=5_000)

    assert [piece.text for piece in pieces_of(PAGE)] == [
        piece.text for piece in pieces_of(text.replace("\n", "\n\n"))
    ] or all(piece.text in text for piece in pieces_of(PAGE))


MARKET = (
    "# 青波町の朝市について\n\n朝市は毎週日曜日の午前6時から港の第二倉庫前で開かれます。"
    "出店は約60軒です。駐車場は80台分あり、無料です。雨の日も開催します。1月の第一日曜日はお休みです。"
)


def test_a_page_without_blanks_is_shown_whole_where_it_fits() -> None:
    reading = passages.read([Page(MARKET)], "駐車場は無料?")

    assert GAP not in named_page(reading, reading.worth, 0, most_chars=len(MARKET) + 1)


def test_of_a_paragraph_that_is_too_long_the_nearest_sentences_are_shown() -> None:
    reading = passages.read([Page(MARKET)], "駐車場は無料?")

    text = named_page(reading, reading.worth, 0, most_chars=60)

    assert "駐車場は80台分あり、無料です。" in text
    assert len(text) <= 60


def test_a_long_named_page_keeps_beginning_end_and_what_is_asked_for() -> None:
    reading = passages.read([Page(long_page(40_000))], "Who is the harbour master?")

    text = named_page(reading, reading.worth, 0, most_chars=5_000)

    assert len(text) <= 5_000
    assert text.startswith("The harbour book")
    assert text.endswith("The last line of the book.")
    assert "Ilka Vestergaard" in text
    assert GAP in text


LONG = "\n\n".join(
    f"## Chapter {n}\n\nThe harbour of {n} has a pier and a crane. "
    + "Ships of all sizes call there in every season of the year. " * 12
    for n in range(60)
)


@pytest.mark.parametrize(
    ("question", "covered"),
    [("Wie viele Schiffe kommen im Jahr dorthin?", 0.95), ("pier crane ships season", 0.5)],
    ids=["another_language", "same_language"],
)
def test_words_of_another_language_choose_nothing(question: str, covered: float) -> None:
    reading = passages.read([Page(LONG)], question)
    seen = sum(window.end - window.first for window in reading.windows)
    share = seen / len(reading.pages[0])

    assert len(reading.windows) <= passages.MOST_COMPARED
    assert (share >= covered) is (covered > 0.9)


def test_of_a_first_paragraph_that_is_too_long_its_first_sentences_are_kept() -> None:
    lead = "Ferries cost 3 crowns. " + "Gulls are loud in the morning there. " * 22
    reading = passages.read([Page(f"Hello.\n\n{lead}\n\n" + "Boats. Quay. " * 900)], "boats")
    text = named_page(reading, reading.worth, 0, most_chars=2_000)

    assert text.startswith("Hello.\nFerries cost 3 crowns. Gulls")


def test_an_outline_has_something_of_every_section() -> None:
    sections = [
        f"## Section {n}\n\nPoint {n} comes first. {'More of it. ' * 40}" for n in range(20)
    ]
    reading = passages.read([Page("\n\n".join(sections))], "Summarise it")

    text = outline(reading, 0, most_chars=4_000)

    assert len(text) <= 4_000
    assert all(f"Point {n} comes first." in text for n in range(20))


@settings(max_examples=often(150), deadline=None)
@given(st.text(max_size=600), st.text(max_size=60), st.integers(4, 80))
def test_the_budget_is_kept_whatever_the_page_says(text: str, question: str, budget: int) -> None:
    found = best_of(text, question or "?", title="", most_tokens=budget)

    assert tokens_of(found) <= budget + 1


@settings(max_examples=often(100), deadline=None)
@given(st.text(alphabet="ab .\n#-|`:?*1", max_size=400))
def test_pieces_need_only_what_stands_before_them(text: str) -> None:
    pieces = pieces_of(text)

    for place, piece in enumerate(pieces):
        assert all(need < place for need in piece.needs)
        assert place in with_needs([place], pieces)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=3_000), st.integers(200, 900))
def test_named_pages_keep_their_room(text: str, most: int) -> None:
    reading = passages.read([Page(text)], "What is it?")

    assert len(named_page(reading, reading.worth, 0, most_chars=most)) <= most
    assert len(outline(reading, 0, most_chars=most)) <= most


def test_where_nothing_but_the_title_fits_something_is_shown_all_the_same() -> None:
    page = (
        "# Bridge opens\n\n" + "The bridge opened today and it was a long day for all of them. " * 3
    )

    assert best_of(page, "bridge?", title="Bridge opens", most_tokens=8)
