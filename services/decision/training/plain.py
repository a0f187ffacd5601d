"""The plainest ways to ask (`plain.yaml`), trained on beside what people wrote."""  # noqa: INP001 - a folder of scripts

import re
from collections.abc import Iterator
from pathlib import Path

import yaml
from messages import Labelled

SENTENCES = Path(__file__).resolve().parent / "plain.yaml"
KIND = "plain"
_GAP = re.compile(r"\{(\w+)\}")


def plain_messages() -> Iterator[Labelled]:
    """Yield each sentence with each word of its gap, or as it is; none of them is held out."""
    for language, part in yaml.safe_load(SENTENCES.read_text(encoding="utf-8")).items():
        for key, needs_search in (("searches", True), ("answers", False)):
            for sentence in part[key]:
                for text in _filled(sentence, part["gaps"]):
                    yield Labelled(text, language, KIND, needs_search, held_out=False)


def _filled(sentence: str, gaps: dict[str, list[str]]) -> list[str]:
    gap = _GAP.search(sentence)
    return (
        [sentence.replace(gap.group(), word) for word in gaps[gap.group(1)]] if gap else [sentence]
    )
