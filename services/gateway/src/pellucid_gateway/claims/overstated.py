"""Whether a claim says more than its passage: a thing done that is only thought of, all for some.

"The firm closed its plant" is not what "the firm plans to close its plant" says, though it shares
every word of it. Only the sentence that says most of the claim is looked at, and a word that leaves
things open counts only where it is about what the claim states.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import yaml

from pellucid_language.clauses import PAUSE, UNSPACED_PAUSE
from pellucid_language.folding import fold
from pellucid_language.scripts import is_spaceless
from pellucid_language.words import content_terms

SCOPE_WORDS = 7
"""Words after a word that leaves something open which tell what is left open."""
SCOPE_CHARS = 16
"""The same in characters on both sides, where spaces do not bound words."""
COUNTED_WORDS = 4
"""Words after "all" and "most" which tell of what."""
_DONE = (
    r"(?:was|were|has|have|had|did|is|are|\w{2,}ed|won|left|met|sold|bought|took|gave|led|wrote"
    r"|already|built|began|became|fell|rose|paid|put|made|found|said|held|cut|shut|went|came|got)\b"
)
_PARTICIPLE = r"(?:\w{2,}ed|\w{2,}en|built|sold|shut|cut|won|made|paid|held)"
PAST_OR_LASTING = re.compile(
    rf"(?!(?:is|are)\b(?! (?:\w+ )?(?:{_PARTICIPLE}|available|on sale|in force)\b))\b{_DONE}"
)
"""What states a thing as done or lasting, in English; "it opens in May" leaves it open too."""
DONE_ELSEWHERE = re.compile(
    r"\bbereits\b|\b(?:hat|haben|wurden?)\s.*\b\w+(?:t|en)\W*$"
    r"|\b(?:a|ont)\s(?:deja\s|ete\s)?(?!une?\b)\w+(?:e|i|u)e?s?\b"
    r"|\b(?:ha|han|fue|fueron)\s\w+(?:ado|ido)s?\b|\b\w{3,}(?:ieron|aron)\b"
    r"|\b(?:concedio|aprobo|recibio|abrio|vendio|perdio|cerro|firmo|gano|compro|subio|decidio"
    r"|cumplio|logro|obtuvo|hizo|redujo|entro|llego|cayo)\b"
)
"""The same in folded German, French and Spanish."""
SAME_LETTERS = 4
"""Letters of a word that leaves something open by which a claim has it too."""
AND_DONE = re.compile(rf"\s(?:and|but)\s(?:\w+ly\s|then\s|later\s|also\s)?(?={_DONE})")
"""What is told after it is no longer left open: "offered by its owner and sold"."""


def is_overstated(claim: str, sentences: Sequence[str]) -> bool:
    """Tell whether each of some sentences leaves open, or says of a part, what a claim states.

    Args:
        claim: One sentence.
        sentences: Those of a passage that say most of it; none: nothing is overstated.

    >>> is_overstated("Ash closed its plant in Hull.", ["Ash plans to close its plant in Hull."])
    True
    >>> is_overstated("Ash may close its plant in Hull.", ["Ash plans to close its plant in Hull."])
    False
    """
    return bool(sentences) and all(
        _leaves_open(claim, sentence) or _says_of_a_part(claim, sentence) for sentence in sentences
    )


def may_be(claim: str) -> bool:
    """Tell whether a claim states a thing firmly, or of a whole; else it cannot be overstated."""
    folded = fold(claim)
    return _is_firm(folded) or _words()["whole"].search(folded) is not None


def _is_firm(folded: str) -> bool:
    """Whether a claim states a thing as done or lasting, as far as that shows."""
    if _words()["open"].search(folded):
        return False
    if DONE_ELSEWHERE.search(folded):
        return True
    if _words()["careful"].search(folded):
        return False
    return not folded.isascii() or PAST_OR_LASTING.search(folded) is not None


def _leaves_open(claim: str, sentence: str) -> bool:
    if not _is_firm(fold(claim)):
        return False
    wanted, text, own = content_terms(claim), fold(sentence), fold(claim)
    return any(
        wanted & content_terms(_scope(text, found))
        for found in _words()["open"].finditer(text)
        if len(found.group()) <= SAME_LETTERS or found.group()[:-1] not in own
    )


def _scope(text: str, found: "re.Match[str]") -> str:
    """What is left open: the next words of the clause, and the words before where none follow."""
    if is_spaceless(text):
        before = UNSPACED_PAUSE.split(text[: found.start()])[-1][-SCOPE_CHARS:]
        return before + UNSPACED_PAUSE.split(text[found.end() :])[0][:SCOPE_CHARS]
    left_open, *done = AND_DONE.split(_clause_behind(text, found), maxsplit=1)
    behind = left_open.split()[:SCOPE_WORDS]
    if done and not behind:
        return ""
    before = PAUSE.split(text[: found.start()])[-1].split()[-SCOPE_WORDS:]
    return " ".join(behind if len(behind) > 1 else before)


def _clause_behind(text: str, found: "re.Match[str]") -> str:
    return PAUSE.split(text[found.end() :])[0]


def _says_of_a_part(claim: str, sentence: str) -> bool:
    words = _words()
    mine, theirs = fold(claim), fold(sentence)
    if words["part"].search(mine) or words["whole"].search(theirs):
        return False
    of_all = _counted(mine, words["whole"])
    return any(one & other for one in of_all for other in _counted(theirs, words["part"]))


def _counted(text: str, quantity: "re.Pattern[str]") -> Sequence[frozenset[str]]:
    """Content words right after each word for a quantity."""
    return [
        content_terms(" ".join(_clause_behind(text, found).split()[:COUNTED_WORDS]))
        for found in quantity.finditer(text)
    ]


@cache
def _words() -> Mapping[str, re.Pattern[str]]:
    table: dict[str, list[str]] = yaml.safe_load(
        files(__package__).joinpath("overstated.yaml").read_text("utf-8")
    )
    return {name: re.compile("|".join(expressions)) for name, expressions in table.items()}
