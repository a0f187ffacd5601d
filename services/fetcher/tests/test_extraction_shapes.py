"""Parts that their shape gives away, in words that no list has."""

from selectolax.lexbor import LexborHTMLParser

from pellucid_fetcher.document import Document
from pellucid_fetcher.extraction.choosing.shapes import shaped_parts
from pellucid_fetcher.extraction.reading.dispatch import open_readers, read
from pellucid_fetcher.extraction.structure.walking import walk_page

PROSE = "".join(
    f"<p>The harbour master wrote down the tide of day {day} in the book beside the door.</p>"
    for day in range(12)
)
CARDS = (
    "<section><h2>From the same shelf</h2>"
    "<article><h3><a href=/a>A lighthouse for rent</a></h3><p>Forty steps and a view.</p></article>"
    "<article><h3><a href=/b>The clock that ran</a></h3><p>Backwards, and on time.</p></article>"
    "</section>"
)
LETTER = "<div><p>A word from the quay every Friday.</p><input type={kind}></div>"


def _shaped(body: str) -> list[str]:
    page = walk_page(LexborHTMLParser(f"<body><h1>Tides</h1>{body}</body>"))
    marks = shaped_parts(page.blocks)
    return [block.text for block, mark in zip(page.blocks, marks, strict=True) if mark]


def test_headings_that_are_links_under_a_heading_after_the_text_are_other_pages() -> None:
    assert _shaped(f"<div>{PROSE}</div>{CARDS}") == [
        "From the same shelf",
        "A lighthouse for rent",
        "Forty steps and a view.",
        "The clock that ran",
        "Backwards, and on time.",
    ]


def test_the_same_cards_before_the_text_or_with_headings_of_their_own_stay() -> None:
    assert _shaped(f"{CARDS}<div>{PROSE}</div>") == []
    own = CARDS.replace("<a href=/a>", "").replace("</a></h3><p>Forty", "</h3><p>Forty")
    assert _shaped(f"<div>{PROSE}</div>{own}") == []


def test_a_line_beside_a_field_asks_for_something() -> None:
    for kind in ("email", "checkbox", "text"):
        assert _shaped(f"<div>{PROSE}</div>{LETTER.format(kind=kind)}") == [
            "A word from the quay every Friday."
        ]
    for kind in ("hidden", "search", "number"):
        assert _shaped(f"<div>{PROSE}</div>{LETTER.format(kind=kind)}") == []


def test_a_form_with_a_table_or_a_long_text_is_a_subject() -> None:
    table = "<table><tr><td>Boat</td><td>Berth</td></tr><tr><td>Tern</td><td>4</td></tr></table>"
    assert _shaped(f"<div>{PROSE}</div><div>{table}<input type=text></div>") == []
    assert _shaped(f"<div>{PROSE}<input type=text></div>") == []


def test_a_link_that_recurs_is_a_button_and_one_that_does_not_is_not() -> None:
    post = "<div><p>I tied it twice and it held.</p><ul><li><a href=/q>Pass it on</a></ul></div>"
    assert _shaped(post * 3) == ["Pass it on"] * 3
    assert _shaped(post * 2) == []


REVIEW = (
    "<li><h4>Five stars</h4><p>I bought this kettle for my brother, and he has not stopped talking "
    "about the handle since the day on which it came, he says.</p></li>"
)
SOLD = '<script type="application/ld+json">{"@type":"Product","name":"Kettle"}</script>'


def _read(body: str) -> str:
    head = "<head><title>Kettle</title>" + (SOLD if "Kettle" in body else "") + "</head>"
    page = f"<html>{head}<body><main>{body}</main></body></html>".encode()
    return read(open_readers(), Document(page, "https://www.lantern.example/p/7", "text/html")).text


def test_reviews_are_left_out_where_goods_are_sold() -> None:
    reviews = f'<section class="reviews"><h2>Said of it</h2><ul>{REVIEW * 3}</ul></section>'
    text = _read(f'<h1>Kettle</h1><div class="description">{PROSE}</div>{reviews}')
    assert "tide of day 7" in text
    assert "brother" not in text


def test_code_that_recurs_is_kept_each_time() -> None:
    code = "<pre>lock.open(upper=True, lower=False)\nlock.wait(minutes=12)</pre>"
    text = _read(f"<h1>Locks</h1>{PROSE}<h2>Up</h2>{code}{PROSE}<h2>Down</h2>{code}<p>That is all.")
    assert text.count("lock.wait(minutes=12)") == 2
