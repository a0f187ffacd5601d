"""Items of lists: those outside a list, and those whose beginning is not kept."""

from selectolax.lexbor import LexborHTMLParser

from pellucid_fetcher.extraction.reading import markdown
from pellucid_fetcher.extraction.structure.blocks import Block
from pellucid_fetcher.extraction.structure.walking import walk_page


def _blocks(inner: str) -> list[Block]:
    return walk_page(LexborHTMLParser(f"<body>{inner}</body>")).blocks


def _kinds(inner: str) -> list[str]:
    return [block.kind for block in _blocks(inner)]


def test_an_item_outside_a_list_ends_with_itself() -> None:
    page = "<div><li>Share</li></div><h1>Locks</h1><p>The keepers opened the gate.</p>"
    assert _kinds(page) == ["li", "h", "p"]


def test_a_list_inside_such_an_item_is_its_own() -> None:
    page = "<li>Gates<ul><li>upper</li><li>lower</li></ul>and a weir</li><p>After it.</p>"
    shown = [(block.kind, block.level, block.marker) for block in _blocks(page)]
    assert shown == [
        ("li", 1, "- "), ("li", 2, "- "), ("li", 2, "- "), ("li", 1, ""), ("p", 0, ""),
    ]  # fmt: skip


def test_what_goes_on_in_an_item_is_written_under_it() -> None:
    text = markdown.render(_blocks("<ul><li><p>One.</p><p>More of one.</p></li><li>Two.</li></ul>"))
    assert text == "- One.\n  More of one.\n- Two."


def test_later_blocks_of_an_item_whose_beginning_is_left_out_are_paragraphs() -> None:
    blocks = _blocks("<ul><li><p>Menu</p><p>One.</p><p>Two.</p><ul><li>a</li></ul></li></ul>")
    assert markdown.render(blocks[1:]) == "One.\n\nTwo.\n\n  - a"


def test_an_item_that_begins_with_a_heading_goes_on_under_its_first_paragraph() -> None:
    page = "<ul><li><h3>Which gate?</h3><p>The upper one.</p><p>Never the lower.</p></li></ul>"
    expected = "### Which gate?\n\n- The upper one.\n  Never the lower."
    assert markdown.render(_blocks(page)) == expected
