"""Swapped roles in Korean, Japanese and Chinese, whose names have no capital letters.

Korean and Japanese mark who acts and who is acted on by particles; in Chinese the same words on
either side of the same verb tell it.
"""

import re
from collections.abc import Mapping
from difflib import SequenceMatcher

KOREAN_DOER = re.compile(r"([가-힣A-Za-z0-9]{2,})(?:은|는|이|가)(?=\s|$)")
KOREAN_DONE_TO = re.compile(r"([가-힣A-Za-z0-9]{2,})(?:을|를)(?=\s|$)")
JAPANESE_DOER = re.compile(r"([一-鿿ァ-ヿーA-Za-z0-9]{2,})[はが]")
JAPANESE_DONE_TO = re.compile(r"([一-鿿ァ-ヿーA-Za-z0-9]{2,})を")

SHORTEST_VERB = 2
"""Characters that two Chinese sentences must share between their parties."""
SHORTEST_PARTY = 2

HAN = re.compile(r"[一-鿿]")
OTHER = re.compile(r"[가-힣ぁ-ヿ]")
EDGE = re.compile(r"[，。；：、！？,.;:!?\s]")


def are_swapped(claim: str, sentence: str) -> bool:
    """Tell whether a claim gives the parties of a sentence each other's role.

    >>> are_swapped("나루가 하늘을 인수했다", "하늘은 나루를 인수했다")
    True
    >>> are_swapped("北岭击败了海川", "海川击败了北岭")
    True
    >>> are_swapped("海川击败了北岭", "海川击败了北岭")
    False
    """
    if HAN.search(claim) and not OTHER.search(claim):
        return _are_turned(claim, sentence)
    return any(
        _are_exchanged(_parties(claim, doer, other), _parties(sentence, doer, other))
        for doer, other in ((KOREAN_DOER, KOREAN_DONE_TO), (JAPANESE_DOER, JAPANESE_DONE_TO))
    )


def _parties(
    text: str, doer: "re.Pattern[str]", other: "re.Pattern[str]"
) -> Mapping[str, frozenset[str]]:
    return {
        "doer": frozenset(doer.findall(text)),
        "other": frozenset(other.findall(text)),
    }


def _are_exchanged(
    claim: Mapping[str, frozenset[str]], sentence: Mapping[str, frozenset[str]]
) -> bool:
    return bool(claim["doer"] & sentence["other"] and claim["other"] & sentence["doer"])


def _are_turned(claim: str, sentence: str) -> bool:
    """Tell whether the words beside the longest shared stretch have changed sides."""
    shared = SequenceMatcher(None, claim, sentence, autojunk=False).find_longest_match()
    if shared.size < SHORTEST_VERB:
        return False
    left = EDGE.split(claim[: shared.a])[-1]
    right = EDGE.split(claim[shared.a + shared.size :])[0]
    before = EDGE.split(sentence[: shared.b])[-1]
    after = EDGE.split(sentence[shared.b + shared.size :])[0]
    if min(len(left), len(right)) < SHORTEST_PARTY:
        return False
    return left in after and right in before
