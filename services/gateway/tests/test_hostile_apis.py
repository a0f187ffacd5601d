"""Every face, over a socket: no reader finds a foreign address in what a client gets.

A sample; `eval/hostile_markdown.py` asks thousands and reads them with npm's readers and Chromium.
"""

import random
from pathlib import Path

import pytest
from hostile_apis import WAYS, Way, clients
from hostile_markdown import constructs, payloads, reached, shown, texts

from rig.sample import often

BENIGN = (
    "| Toll | Crowns |\n|:-----|------:|\n| Cars | 4.50 |\n\n"
    "```python\nif a<b: print('<img src=x>')\n```\n\nFor $a<b$ we get \\(x_1\\).\n\n- a\n  - b\n"
)


def _assert_harmless(states: list[str], *about: object) -> None:
    for state in states:
        for reader, page in shown(state).items():
            assert reached(page) == [], (reader, state, *about)


async def test_an_obedient_model_leads_no_client_elsewhere(tmp_path: Path) -> None:
    every = random.Random(5).sample(list(texts()), often(5) * len(WAYS))
    async with clients(tmp_path, model=True) as client:
        for place, (text, size) in enumerate(every):
            way = WAYS[place % len(WAYS)]
            _assert_harmless(await client.of_model(text, size, way), text, size, way)


async def test_hostile_titles_and_snippets_lead_no_client_elsewhere(tmp_path: Path) -> None:
    planted = [*constructs(), *random.Random(7).sample(list(payloads()), len(WAYS))]
    async with clients(tmp_path, model=False) as client:
        for place, payload in enumerate(planted):
            way = WAYS[place % len(WAYS)]
            _assert_harmless(await client.of_page(payload, way), payload, way)


@pytest.mark.parametrize(
    "way", [way for way in WAYS if way[1] == "none"], ids=lambda way: f"{way[0].name}-{way[2]}"
)
async def test_what_is_meant_well_comes_as_it_is(tmp_path: Path, way: Way) -> None:
    async with clients(tmp_path, model=True) as client:
        assert (await client.of_model(BENIGN, 9, way))[-1].strip() == BENIGN.strip()
