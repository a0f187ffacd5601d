"""Names, roles and denials in Korean, Japanese and Chinese, where no capital letter marks a name.

Words are told apart by offices, kinds of places, particles and order. Like the checks of the other
scripts they only speak against a claim, and leave alone what they cannot read.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from importlib import resources
from typing import Any

import yaml

from pellucid_language.clauses import UNSPACED_BORDER, clauses
from pellucid_language.scripts import HAN, HANGUL, KANA
from pellucid_language.terms import has_unspaced_script

_EDGE = re.compile(r"[，。；：、！？,.;:!?\s]")
_HAN = re.compile(f"[{HAN}]")
_OTHER = re.compile(f"[{HANGUL}{KANA}]")
# A Chinese name is known by its beginning.
_HEAD_CHARS = 3
_LEAST_OF_NAME = 2


@dataclass(frozen=True, slots=True)
class _Marks:
    names: tuple[re.Pattern[str], ...]
    not_a_name: re.Pattern[str]
    roles: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    turning: re.Pattern[str]
    between: re.Pattern[str]
    denied: tuple[re.Pattern[str], ...]


def absent_name(claim: str, text: str) -> str:
    """First name in the claim that the text has nothing of; empty when there is none.

    >>> absent_name("田辺知事は認めた", "森下知事は認めた。")
    '田辺'
    """
    marks = _marks()
    if not has_unspaced_script(claim) or not has_unspaced_script(text):
        return ""
    found = (match.group(1) for pattern in marks.names for match in pattern.finditer(claim))
    names = (name for name in found if not marks.not_a_name.search(name))
    return next((name for name in names if not _is_there(name, text)), "")


def _is_there(name: str, text: str) -> bool:
    """A name may have grown by a word before or after it, so either end of it is enough."""
    return name[:_LEAST_OF_NAME] in text or name[-_LEAST_OF_NAME:] in text


def turned(claim: str, sentence: str) -> bool:
    """Whether the two exchange who acts and what is acted on.

    >>> turned("나루가 하늘을 인수했다", "하늘은 나루를 인수했다")
    True
    >>> turned("北岭击败了海川", "海川击败了北岭")
    True
    """
    if any(_are_turned(one, other) for one in _clauses(claim) for other in _clauses(sentence)):
        return True
    roles = _marks().roles
    return _are_of_one_voice(claim, sentence) and any(
        _exchanged(acting, acted_on, claim, sentence) for acting, acted_on in roles
    )


def _are_turned(clause: str, other: str) -> bool:
    if not _are_of_one_voice(clause, other):
        return False
    return _reordered(clause, other) or _around_shared(clause, other)


def _are_of_one_voice(one: str, other: str) -> bool:
    turning = _marks().turning
    return bool(turning.search(one)) == bool(turning.search(other))


def _exchanged(
    acting: re.Pattern[str], acted_on: re.Pattern[str], claim: str, sentence: str
) -> bool:
    first = set(acting.findall(claim)) & set(acted_on.findall(sentence))
    second = set(acted_on.findall(claim)) & set(acting.findall(sentence))
    return bool(first and second)


def _reordered(clause: str, other: str) -> bool:
    one, two = _halves(clause), _halves(other)
    return bool(one and two and one[1] == two[1] and _crossed(one, two))


def _halves(clause: str) -> tuple[str, str, str] | None:
    """Before, the word that tells the order, and after."""
    match = _marks().between.search(clause)
    before = clause[: match.start()].strip() if match else ""
    return (before, match.group(), clause[match.end() :]) if match and before else None


def _crossed(one: tuple[str, str, str], other: tuple[str, str, str]) -> bool:
    first, second = one[0][:_HEAD_CHARS], other[0][:_HEAD_CHARS]
    if min(len(first), len(second)) < _HEAD_CHARS:
        return False
    return first in other[2] and second in one[2] and first not in other[0]


def denies(claim: str, sentences: Sequence[str], negations: re.Pattern[str]) -> bool:
    """Whether the claim denies by its verb what a clause states with the same verb and matter.

    Args:
        claim: One sentence.
        sentences: Those of the source.
        negations: What denies.
    """
    verbs = [m.group(1) for pattern in _marks().denied for m in pattern.finditer(claim)]
    for verb in verbs:
        own = [c for s in sentences for c in _clauses(s) if verb in c]
        head = claim.strip()[:_LEAST_OF_NAME]
        if any(head in clause for clause in own) and not any(map(negations.search, own)):
            return True
    return False


def _around_shared(clause: str, other: str) -> bool:
    """Whether, in Chinese, the words beside the longest shared stretch have changed sides."""
    if not _HAN.search(clause) or _OTHER.search(clause):
        return False
    shared = SequenceMatcher(None, clause, other, autojunk=False).find_longest_match()
    left = _EDGE.split(clause[: shared.a])[-1]
    right = _EDGE.split(clause[shared.a + shared.size :])[0]
    before = _EDGE.split(other[: shared.b])[-1]
    after = _EDGE.split(other[shared.b + shared.size :])[0]
    if shared.size < _LEAST_OF_NAME or min(len(left), len(right)) < _LEAST_OF_NAME:
        return False
    return left in after and right in before


def _clauses(text: str) -> list[str]:
    return clauses(text, UNSPACED_BORDER)


@cache
def _marks() -> _Marks:
    source = resources.files("pellucid_language").joinpath("unspaced_checks.yaml")
    data: dict[str, Any] = yaml.safe_load(source.read_text("utf-8"))
    acting: Mapping[str, str] = data["acting"]
    acted_on: Mapping[str, str] = data["acted_on"]
    return _Marks(
        names=tuple(map(re.compile, data["names"])),
        not_a_name=re.compile(data["not_a_name"]),
        roles=tuple((re.compile(acting[k]), re.compile(acted_on[k])) for k in acting),
        turning=re.compile(data["turning"]),
        between=re.compile(data["between"]),
        denied=tuple(map(re.compile, data["denied"])),
    )
