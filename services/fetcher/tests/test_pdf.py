"""PDFs as people make them: columns, headings, tables, running heads, page numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from pellucid_fetcher.document import Document, Extracted
from pellucid_fetcher.extraction.reading import sniffing
from pellucid_fetcher.extraction.reading.pdf import read_pdf
from pellucid_fetcher.outcome import FetchStatus

WIDTH, HEIGHT = 595, 842
SIZE = 10
PITCH = 12
# In the encoding of the test's fonts.
FI = "\\336"

LEFT = [
    "The first signal of the coast was fired",
    "in 1841. It was a small cannon that",
    "frightened the fish. Seventeen of the",
    "fishermen signed a letter to the coun-",
    "cil, which asked for a bell instead of",
    "the cannon and got it in the spring.",
]
RIGHT = [
    "A whistle was hung in 1856. It could be",
    "heard at a distance of two miles in still",
    "air and hardly at all in a gale from the",
    "west. After the loss of a brig the town",
    "ordered a steam horn, which was tested",
    "in the same autumn on the outer pier.",
]


@dataclass(frozen=True)
class Shown:
    """One line where it is painted, in points from the lower left corner."""

    text: str
    x: float
    y: float
    size: float = SIZE
    bold: bool = False


def column(lines: Sequence[str], x: float, top: float) -> list[Shown]:
    return [Shown(line, x, top - PITCH * number) for number, line in enumerate(lines)]


def written(pages: Sequence[Sequence[Shown]]) -> bytes:
    """Write a PDF of pages."""
    count = len(pages)
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(count))
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /MacRomanEncoding >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        font.format("Helvetica"),
        font.format("Helvetica-Bold"),
    ]
    for number, page in enumerate(pages):
        fonts = "<< /Font << /F0 3 0 R /F1 4 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}]"
            f" /Contents {6 + 2 * number} 0 R /Resources {fonts} >>"
        )
        stream = "".join(
            f"BT /F{int(one.bold)} {one.size} Tf {one.x} {one.y} Td ({_escaped(one.text)}) Tj ET\n"
            for one in page
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}endstream")
    body, offsets = "%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    return f"{body}{end}startxref\n{len(body)}\n%%EOF".encode("latin-1")


def _escaped(text: str) -> str:
    return text.replace("(", "\\(").replace(")", "\\)")


def extracted(*pages: Sequence[Shown]) -> Extracted:
    return read_pdf(Document(written(pages), "https://example.com/a.pdf", sniffing.PDF))


def paragraphs(*pages: Sequence[Shown]) -> list[str]:
    return extracted(*pages).text.split("\n\n")


FIRST = (
    "The first signal of the coast was fired in 1841. It was a small cannon that frightened the"
    " fish. Seventeen of the fishermen signed a letter to the council, which asked for a bell"
    " instead of the cannon and got it in the spring."
)
SECOND = " ".join(RIGHT)


@pytest.mark.parametrize("painted", ["by column", "by row"])
def test_two_columns_are_read_one_after_the_other(painted: str) -> None:
    left, right = column(LEFT, 60, 700), column(RIGHT, 320, 700)
    rows = [line for pair in zip(left, right, strict=True) for line in pair]
    body = [*left, *right] if painted == "by column" else rows
    title = Shown("Signals in the fog of the northern coast, and who heard them", 60, 740, 18)
    assert paragraphs([title, *body]) == [f"# {title.text}", FIRST, SECOND]


def test_a_table_across_two_columns_stays_a_table() -> None:
    rows = [("Miles", "Bell", "Horn"), ("2", "71 %", "98 %"), ("5", "22 %", "78 %")]
    table = [
        Shown(cell, 60 + 180 * place, 600 - PITCH * number)
        for number, row in enumerate(rows)
        for place, cell in enumerate(row)
    ]
    found = paragraphs([*column(LEFT, 60, 700), *column(RIGHT, 320, 700), *table])
    assert found[:2] == [FIRST, SECOND]
    assert found[2].split("\n") == [
        "| Miles | Bell | Horn |",
        "| --- | --- | --- |",
        "| 2 | 71 % | 98 % |",
        "| 5 | 22 % | 78 % |",
    ]


def test_headings_are_larger_or_bold_and_stand_by_size() -> None:
    page = [
        Shown("Harbour report", 60, 760, 22),
        Shown("Findings", 60, 720, 15),
        *column(LEFT, 60, 690),
        Shown("What was not found", 60, 690 - 8 * PITCH, bold=True),
        *column(RIGHT, 60, 690 - 10 * PITCH),
    ]
    assert paragraphs(page) == [
        "# Harbour report",
        "## Findings",
        FIRST,
        "### What was not found",
        SECOND,
    ]


def test_ligatures_are_letters() -> None:
    page = column([f"The {FI}sh quay is e{FI}cient.".replace("eﬁ", "e"), "It is old."], 60, 700)
    assert "The fish quay" in extracted(page).text


def test_running_heads_and_page_numbers_are_no_text() -> None:
    pages = [
        [
            Shown(f"Harbour report Chapter {number // 2}", 60, 810),
            Shown(str(number + 11), 520, 810),
            *column(LEFT if number % 2 else RIGHT, 60, 700),
            Shown(f"- {number + 11} -", 290, 30),
        ]
        for number in range(4)
    ]
    assert paragraphs(*pages) == [SECOND, FIRST, SECOND, FIRST]


def test_a_paragraph_goes_on_over_the_end_of_a_page() -> None:
    assert paragraphs(column(LEFT[:4], 60, 700), column(LEFT[4:], 60, 700)) == [FIRST]


def test_the_hyphen_of_a_compound_stays() -> None:
    lines = [
        "The lamp was well known on the coast, as was the",
        "man who lit it. Its light became a well-",
        "known sign for the boats that came from the har-",
        "bour, where a long-term contract for oil was made.",
        "When the roadside lamps were lit as well, the long-",
        "term contract ended, and the oil for the road-",
        "side lamps was bought elsewhere on that side.",
    ]
    text = extracted(column(lines, 60, 700)).text
    assert "a well-known sign for the boats that came from the harbour, where" in text
    assert "the long-term contract ended, and the oil for the roadside lamps" in text


def test_items_stand_apart_and_rows_of_prose_are_no_table() -> None:
    page = [
        *column(LEFT, 60, 700),
        *column(["1. Raise the wall by a metre.", "2. Move the gauge to the rock."], 60, 600),
    ]
    assert paragraphs(page) == [
        FIRST,
        "1. Raise the wall by a metre.",
        "2. Move the gauge to the rock.",
    ]


def test_a_page_without_text_is_told() -> None:
    assert extracted([]).status is FetchStatus.NO_TEXT
