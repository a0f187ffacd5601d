"""Plain ways to ask, trained on beside what people wrote and never counted.

`plain.yaml` holds the plainest sentences in all languages, each with at most one gap. `everyday/`
holds, per language, everyday messages and follow-ups: local facts, specifications, prices, bare
noun phrases, and as many that need no search although they name times and prices.
"""  # noqa: INP001 - a folder of scripts

import re
from collections.abc import Iterator
from pathlib import Path

import yaml
from messages import Labelled

_FOLDER = Path(__file__).resolve().parent
SENTENCES = _FOLDER / "plain.yaml"
EVERYDAY = tuple(sorted((_FOLDER / "everyday").glob("*.yaml")))
KIND = "plain"
_GAP = re.compile(r"\{(\w+)\}")
_ALTERNATIVES = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")


def plain_messages() -> Iterator[Labelled]:
    """Yield the sentences of `plain.yaml`, then the everyday messages; none is held out."""
    for language, part in yaml.safe_load(SENTENCES.read_text(encoding="utf-8")).items():
        for key, needs_search in (("searches", True), ("answers", False)):
            for sentence in part[key]:
                for text in _filled(sentence, part["gaps"]):
                    yield Labelled(text, language, KIND, needs_search, held_out=False)
    for path in EVERYDAY:
        yield from _everyday(path)


def _everyday(path: Path) -> Iterator[Labelled]:
    part = yaml.safe_load(path.read_text(encoding="utf-8"))
    for key, needs_search in (("searches", True), ("answers", False)):
        for sentence in part[key]:
            for text in alternatives(sentence):
                yield Labelled(text, path.stem, KIND, needs_search, held_out=False)
    for wanted, asked, answered, sentence in part["follow_ups"]:
        for text in alternatives(sentence):
            turns = (asked, answered)
            yield Labelled(text, path.stem, KIND, wanted == "search", turns, held_out=False)


def alternatives(sentence: str) -> list[str]:
    """Return a sentence once for each alternative of its longest list, the others in turn.

    >>> alternatives("[cheap|quiet|central] hotel in [Bath|Ely]")
    ['cheap hotel in Bath', 'quiet hotel in Ely', 'central hotel in Bath']
    """
    lists = [found.split("|") for found in _ALTERNATIVES.findall(sentence)]
    frame = _ALTERNATIVES.sub("{}", sentence.replace("{", "{{").replace("}", "}}"))
    return [
        frame.format(*(words[number % len(words)] for words in lists))
        for number in range(max(map(len, lists), default=1))
    ]


def _filled(sentence: str, gaps: dict[str, list[str]]) -> list[str]:
    gap = _GAP.search(sentence)
    return (
        [sentence.replace(gap.group(), word) for word in gaps[gap.group(1)]] if gap else [sentence]
    )
