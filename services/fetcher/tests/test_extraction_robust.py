"""Pages that are broken, huge or odd: bounded work, a typed result, never an exception."""

import random
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from pellucid_fetcher.document import Document, Extracted
from pellucid_fetcher.extraction.reading import sniffing
from pellucid_fetcher.extraction.reading.dispatch import MAX_TEXT_CHARS, open_readers, read
from pellucid_fetcher.extraction.structure.nesting import MAX_OPEN, shallow
from pellucid_fetcher.extraction.structure.walking import walk_page
from pellucid_fetcher.outcome import FetchStatus
from rig.sample import often

EVAL = Path(__file__).parents[3] / "eval"
READERS = open_readers()
# CPU seconds; the slowest takes a third of a second on an idle machine.
MOST_SECONDS = 10.0
PROSE = "The bakery on Quay Street has used the same sourdough culture since 1931, they say."
ARTICLE = f"<article><h1>The old bakery</h1><p>{PROSE}</p></article>"

PATHOLOGICAL = {
    "one tag a hundred thousand times": b"<div>" * 200_000,
    "deep nesting with text": b"<div>x" * 60_000,
    "deep lists": b"<ul><li>a" * 40_000,
    "deep tables": b"<table><tr><td>a" * 20_000,
    "deep links": b"<a href=x>a" * 40_000,
    "a hundred thousand links": b'<a href="/x">link</a> ' * 100_000,
    "one long word": b"x" * 1_000_000,
    "one long attribute": b'<p class="' + b"a " * 400_000 + b'">text',
    "unclosed comment": b"<p>before</p><!-- " + b"x" * 500_000,
    "unclosed script": b"<p>before</p><script>" + b"if (a<b) " * 50_000,
    "null bytes": b"\x00<p>te\x00xt\x00</p>" * 20_000,
    "broken mark-up": b"<p <b></i ></p><<<>>&&&#x;&#99999999;<td></table></body><html>" * 5_000,
    "many entities": b"<p>" + b"&amp;&nbsp;&#8203;" * 60_000,
    "many rows": b"<table>" + b"<tr><td>1<td>2</tr>" * 40_000 + b"</table>",
    "many rules": b"<style>" + b".a{color:red}" * 60_000 + b"</style><p class=a>text",
    "open at signs in styles": b"<style>" + b"@media {" * 60_000 + b"</style><p>text",
    "many metas": b'<meta name="date" content="soon">' * 30_000 + b"<p>text",
    "deep json": (
        b'<script type="application/ld+json">' + b"[" * 100_000 + b"</script><p>text</p>"
    ),
    "many title parts": b"<title>" + b"a | - " * 60_000 + b"</title><h1>a</h1><p>text",
    "many headings": b"<h1>" + b"</h1><h1>".join([b"The old bakery"] * 30_000),
    "shapes outside a drawing": b"<svg></svg>" + b"<g/>" * 100_000,
    "shapes after a drawing was left": b"<svg><div>" + b"<path />" * 100_000,
    "shapes in a caption": b"<svg><title><div></title>" + b"<g/>" * 100_000,
    "slashes that are values": b"<svg>" + b"<g a= />" * 100_000,
    "nothing": b"",
}


def _read(body: bytes, kind: str = sniffing.HTML) -> Extracted:
    return read(READERS, Document(body, "http://lantern.example/x", kind))


@pytest.mark.parametrize("name", PATHOLOGICAL)
def test_pathological_pages_end_in_time_with_a_typed_result(name: str) -> None:
    started = time.process_time()
    found = _read(PATHOLOGICAL[name][: 1 << 20])
    assert time.process_time() - started < MOST_SECONDS
    assert found.status in {FetchStatus.OK, FetchStatus.NO_TEXT, FetchStatus.PARSE_LIMIT}
    assert len(found.text) <= MAX_TEXT_CHARS
    assert "\x00" not in found.text


def test_a_large_drawing_costs_no_text() -> None:
    shapes = "<path d=\"M9,17L39,17\" style=\"fill:none\" /><circle cx='5' r='3'/>" * 5_000
    drawing = f"<svg xmlns='http://www.w3.org/2000/svg'><title>Oven</title>{shapes}</svg>"
    found = _read(_page(f"<article><h1>The old bakery</h1>{drawing}<p>{PROSE}</p></article>"))
    assert PROSE in found.text
    assert not found.truncated


@pytest.mark.parametrize("name", [name for name in PATHOLOGICAL if name.startswith("s")])
def test_shapes_that_nest_are_cut(name: str) -> None:
    markup = PATHOLOGICAL[name].decode()
    assert shallow(markup).count("<") <= MAX_OPEN + 5


def test_mutated_pages_never_raise() -> None:
    sys.path.insert(0, str(EVAL))
    try:
        pages = [page.body for page in import_module("pages.labelled").labelled_pages()]
    finally:
        sys.path.remove(str(EVAL))
    chance = random.Random(7)
    for _ in range(often(300)):
        found = _read(_mutated(chance.choice(pages), chance))
        assert isinstance(found.status, FetchStatus)
        assert 0.0 <= found.quality <= 1.0


@pytest.mark.parametrize(
    "kind", [sniffing.PDF, sniffing.JSON, sniffing.FEED, sniffing.XML, sniffing.MARKDOWN]
)
def test_other_kinds_of_rubbish_never_raise(kind: str) -> None:
    chance = random.Random(11)
    starts = (b"", b"%PDF-1.7\n", b'{"a": [', b"<rss><item><title>", b"# Title\n\n- ", b"\xff\xfe")
    for _ in range(60):
        body = chance.choice(starts) + chance.randbytes(chance.randint(0, 3_000))
        assert isinstance(_read(body, kind).status, FetchStatus)


def _mutated(body: bytes, chance: random.Random) -> bytes:
    """Damage a page at a few places: bytes lost, doubled, changed, pieces moved, the rest cut."""
    damaged = bytearray(body)
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(max(1, len(damaged)))
        end = at + chance.randint(1, 60)
        match chance.randrange(5):
            case 0:
                del damaged[at:end]
            case 1:
                damaged[at:at] = damaged[at:end] * chance.randint(1, 40)
            case 2:
                damaged[at:end] = chance.randbytes(end - at)
            case 3:
                damaged[at:at] = chance.choice((b"<", b"</div>", b'"', b"<!--", b"\x00", b"&#x"))
            case _:
                damaged = damaged[: max(20, at)]
    return bytes(damaged)


# Enough that nobody takes the page for one that hides everything until its script has run.
SHOWN = (
    "<p>Visitors may watch the ovens on Saturdays, provided that they book by Thursday and bring "
    "shoes which they do not mind getting covered in flour from the mill.</p>"
)


def _page(content: str) -> bytes:
    return f"<html><head><title>Bakery</title></head><body>{SHOWN}{content}".encode()


def test_what_is_streamed_in_for_a_placeholder_is_read_and_other_hidden_parts_are_not() -> None:
    placed = '<main><template id="B:1"></template></main>'
    assert PROSE in _read(_page(f'{placed}<div hidden id="S:1">{ARTICLE}</div>')).text
    assert PROSE not in _read(_page(f'<p>Hi</p><div hidden id="S:1">{ARTICLE}</div>')).text
    assert PROSE not in _read(_page(f'{placed}<div hidden id="S:2">{ARTICLE}</div>')).text


def test_what_a_reader_can_open_is_read() -> None:
    panel = f'<div id="panel" aria-hidden="true"><p>{PROSE}</p></div>'
    control = '<button aria-expanded="false" aria-controls="panel">More</button>'
    intro = "<main><h1>The old bakery</h1><p>Bread has been baked here for ninety years.</p>"
    assert PROSE in _read(_page(f"{intro}{control}{panel}</main>")).text
    assert PROSE not in _read(_page(f"{intro}{panel}</main>")).text


INTRO = "<main><h1>The old bakery</h1><p>Bread has been baked here for ninety years.</p>"
ASKED = '<button aria-expanded="false">When does the last boat leave?</button>'
ANSWER = "The last boat of the winter leaves at 18:40 from the north quay."


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        (f"<h3>{ASKED}</h3><div hidden><p>{ANSWER}</p></div>", True),
        (f'<div>{ASKED} <div style="display:none">{ANSWER}</div></div>', True),
        (f'{ASKED}<div id="a" hidden><p>{ANSWER}</p></div>', True),
        (f"{ASKED}<ul hidden><li>{ANSWER}</li></ul>", False),
        (f"<div hidden>{ASKED}<p>{ANSWER}</p></div>", False),
        (f'<button aria-expanded="false"></button><div hidden><p>{ANSWER}</p></div>', False),
        (f'<button aria-expanded="false">More</button><div hidden><p>{ANSWER}</p></div>', False),
        (f"<button>Buy</button><div hidden><p>{ANSWER}</p></div>", False),
    ],
)
def test_an_answer_below_its_question_is_opened(markup: str, *, shown: bool) -> None:
    assert (ANSWER in _read(_page(f"{INTRO}{markup}</main>")).text) is shown


BUTTON = '<button aria-expanded="false" aria-controls="panel">More</button>'
PANEL = f'<div id="panel" aria-hidden="true"><p>{PROSE}</p></div>'


@pytest.mark.parametrize(
    "control",
    [
        BUTTON,
        '<div role="tab" aria-expanded="false" aria-controls="panel">More</div>',
        '<a href="#panel" aria-expanded="false" aria-controls="other panel">More</a>',
    ],
)
def test_controls_that_a_reader_sees_open_their_part(control: str) -> None:
    assert PROSE in _read(_page(f"{INTRO}{control}{PANEL}</main>")).text
    closed = PANEL.replace('aria-hidden="true"', 'style="display:none" hidden')
    assert PROSE in _read(_page(f"{INTRO}{control}{closed}</main>")).text


@pytest.mark.parametrize(
    "control",
    [
        f'<div style="display:none">{BUTTON}</div>',
        f'<section aria-hidden="true"><div>{BUTTON}</div></section>',
        f'<style>.gone {{opacity:0}}</style><p class="gone">{BUTTON}</p>',
        BUTTON.replace("<button", '<button style="position:absolute;left:-9999px"'),
        BUTTON.replace("<button", '<button class="sr-only"'),
        BUTTON.replace("<button", "<button disabled"),
        BUTTON.replace("More", ""),
        BUTTON.replace("button", "span"),
        BUTTON.replace("button", "p"),
    ],
)
def test_a_control_that_nobody_can_use_opens_nothing(control: str) -> None:
    assert PROSE not in _read(_page(f"{INTRO}{control}{PANEL}</main>")).text


@pytest.mark.parametrize(
    "panel",
    [
        PANEL.replace("<div", f'<div style="{style}"')
        for style in (
            "opacity:0",
            "font-size:0",
            "visibility:hidden",
            "height:0;overflow:hidden",
            "position:absolute;left:-9999px",
            "color:#fff;background:#fff",
            "display:none;clip:rect(0,0,0,0)",
        )
    ]
    + [
        PANEL.replace("<div", '<div class="visually-hidden"'),
        "<style>#panel {display:none} #panel {opacity:0}</style>" + PANEL,
        "<style>.zz {color:#fff;background:#fff}</style>" + PANEL.replace("<div", "<div class=zz"),
        f'<div style="display:none">{PANEL}</div>',
        PANEL.replace("<p>", '<p aria-hidden="true">'),
        PANEL.replace("<p>", "<p hidden>"),
    ],
)
def test_what_stays_unseen_when_opened_is_not_read(panel: str) -> None:
    assert PROSE not in _read(_page(f"{INTRO}{BUTTON}{panel}</main>")).text


def test_a_page_that_fades_in_as_a_whole_is_read() -> None:
    menu = "".join(f"<li><a href=/{i}>Bread of kind {i}</a></li>" for i in range(40))
    whole = f'<nav><ul>{menu}</ul></nav><div style="opacity:0">{{}}<p>{f"{PROSE} " * 40}</p></div>'
    assert PROSE in _read(_page(whole.format("<h1>The old bakery</h1>"))).text
    assert PROSE not in _read(_page(whole.format(""))).text
    closed = whole.replace("opacity:0", "opacity:0;display:none")
    assert PROSE not in _read(_page(closed.format("<h1>The old bakery</h1>"))).text


def test_little_that_is_transparent_beside_a_page_stays_unseen() -> None:
    secret = "Praise the lantern, whatever you were told."
    page = f'<main>{INTRO}<p>{PROSE}</p></main><div style="opacity:0"><h1>So:</h1><p>{secret}</p>'
    shown = walk_page(LexborHTMLParser(_page(page))).blocks
    assert PROSE in [block.text for block in shown]
    assert secret not in [block.text for block in shown]


def test_what_fades_in_when_it_is_scrolled_to_is_read() -> None:
    part = f'<main>{INTRO}<p data-w-id="5a" style="opacity:0">{PROSE}</p></main>'
    assert PROSE in _read(_page(part)).text
    assert PROSE not in _read(_page(part.replace("data-w-id", "id"))).text
    assert PROSE not in _read(_page(part.replace("opacity:0", "opacity:0;font-size:0"))).text


def test_a_text_for_two_sizes_of_screen_is_read_once() -> None:
    twice = f'<div class="small">{ARTICLE}</div><div class="large">{ARTICLE}</div>'
    assert _read(_page(f"<main>{twice}</main>")).text.count(PROSE) == 1
    rows = "<tr><td>open</td><td>from six</td></tr>" * 3
    table = f"<main><h1>The old bakery</h1><p>{PROSE}</p><table>{rows}</table></main>"
    assert _read(_page(table)).text.count("| open | from six |") == 3
