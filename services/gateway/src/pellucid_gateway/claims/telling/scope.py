"""Whether a claim says of all what its passage says of some: quantities, limits and degrees.

"All lorries must take the detour" is not what "lorries over 20 tonnes must take the detour" says.
A claim of all needs a passage of all, or one that limits the counted thing in no way.
"""

import re
from collections.abc import Iterator, Sequence

from pellucid_language.folding import fold
from pellucid_language.stems import stem
from pellucid_language.terms import function_terms, has_unspaced_script, terms
from pellucid_language.verbs import is_bare_verb, is_past
from pellucid_language.words import content_terms

_ALL = re.compile(
    r"(?<!in )(?<!after )(?<!of )(?<!above )(?<!not )\b(?:all|every|each|no|none)\b(?!-)"
    r"(?! (?:day|night|week|month|year|hour|time|over|other|longer|more|less|doubt)\b)"
    r"((?: [\w'’-]+){1,7})"
)
_ALL_COUNTED = re.compile(r"\ball (?:of )?(?:the |its |their )?(\d[\d.,]*\d|\d)")
_ENTIRE = re.compile(r"\b(?:whole|entire(?:ly)?|completely|fully)\b")
_ALWAYS = re.compile(
    r"(?<!not )\b(?:always|at any time|any time|all year|every (?:day|night|week|month|year)"
    r"|year-round|around the clock|everywhere|equally|alike)\b"
)
_WHOLE = re.compile(
    r"\b(?:all|every\w*|each|always|any\w*|entire\w*|whole|both|none|no(?! longer)|nobody|never"
    r"|nothing|unanimous\w*|total\w*|full\w*|throughout|same|without exception|100)\b"
)
_COUNT = r"(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_PART = re.compile(
    rf"\b{_COUNT} (?:out )?of (?:the |its |their |his |her |all )?{_COUNT}\b"
    r"|\b(?:most|mostly|mainly|many|some|several|few|part|partly|largely|often|usually|sometimes"
    r"|seldom|rarely|nearly|almost|half|majority|minority|hardly|only|except\w*|exempt\w*|exclud\w*"
    r"|quarter|third|worst|hardest)\b"
)
_TIMES = re.compile(
    r"\b(?:only|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|in (?:summer|winter|spring|autumn)"
    r"|at (?:night|weekends)|weekends?|weekdays|hardest|most)\b"
)
_NOT_COUNTED = re.compile(
    r"^(?:of|the|its|his|her|their|these|those|our|kinds?|types?|sorts?|\d+|two|three|four|five|six"
    r"|seven|eight|nine|ten|eleven|twelve)$"
)
_NOUN_ENDS = re.compile(
    r"^(?:is|are|was|were|be|been|has|have|had|do|does|did|will|would|may|might|can|could|must"
    r"|should|in|on|at|by|for|from|of|to|with|over|under|who|which|that|and|or)$"
)
_NUMBER = re.compile(rf"^{_COUNT}$")
_BEFORE_NOUN = re.compile(
    r"^(?:the|a|an|its|his|her|their|our|of|and|or|in|on|at|by|for|from|to|with|that|as|this|these"
    r"|but|than|where|when|without|no|another|more)$"
)
_NARROWING = frozenset(
    [
        "in",
        "on",
        "over",
        "under",
        "above",
        "below",
        "with",
        "without",
        "from",
        "older",
        "younger",
        "who",
        "which",
        "that",
        "for",
        "checked",
        "at",
        "near",
        "between",
        "of",
    ]
)
_BEHIND = 5
_NEAR_NEAREST = 0.75
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_TOP = re.compile(r"\b(?:\w{3,}est|most|least|best|worst)\b(?! of| people| likely)")
_NEARLY_TOP = re.compile(
    r"\b(?:second|third|fourth|fifth|one of the|among the)[ -](?:\w+ )?"
    r"(?:\w{3,}est|most|least|best|worst)\b"
)
_SURE = re.compile(
    r"\b(?:certainly|definitely|surely|undoubtedly|proved|proven|confirmed|guaranteed"
    r"|for good(?! \w)|permanently|once and for all)\b"
)
_UNSURE = re.compile(
    r"\b(?:may|might|could|would|possibl\w*|perhaps|likely|believ\w+|thinks?|suspect\w*|assum\w+"
    r"|suggest\w*|hop(?:e|es|ed|ing)|expect\w*|warn\w*|until|whether|if)\b"
)


def is_of_more(claim: str, sentences: Sequence[str]) -> bool:
    """Tell whether a claim says of all, first or for sure what a passage says with a limit.

    Args:
        claim: One sentence or clause, in English; others are left alone.
        sentences: Those of a passage.

    >>> is_of_more("All lorries take the detour.", ["Lorries over 20 tonnes take the detour."])
    True
    >>> is_of_more("All lorries take the detour.", ["The lorries take the detour."])
    False
    """
    if has_unspaced_script(claim) or not sentences:
        return False
    folded = fold(claim)
    near = [fold(sentence) for sentence in _nearest(claim, sentences)]
    if not near:
        return False
    checks = (_is_of_whole, _is_of_all, _is_of_always, _is_first, _is_surer)
    return any(check(folded, near) for check in checks)


def _nearest(claim: str, sentences: Sequence[str]) -> list[str]:
    wanted = content_terms(claim)
    shares = [len(wanted & content_terms(sentence)) for sentence in sentences]
    best = max(shares)
    return [s for s, n in zip(sentences, shares, strict=True) if best and n >= _NEAR_NEAREST * best]


def _is_of_all(claim: str, near: Sequence[str]) -> bool:
    """Everything counted is limited wherever a near sentence tells of it."""
    if _PART.search(claim) or _counts_alike(claim, near):
        return False
    return any(_is_limited(noun, claim, near) for noun in _counted(claim))


def _counts_alike(claim: str, near: Sequence[str]) -> bool:
    """The claim is of all so many, and a near sentence has as many, not "five of so many"."""
    return any(
        re.search(rf"(?<!of )(?<!of the )\b{re.escape(match.group(1))}\b", sentence)
        for match in _ALL_COUNTED.finditer(claim)
        for sentence in near
    )


def _is_of_whole(claim: str, near: Sequence[str]) -> bool:
    """The claim is of the whole of what each near sentence tells a part."""
    if not _ENTIRE.search(claim) or _PART.search(claim):
        return False
    return all(_PART.search(s) and not _WHOLE.search(s) for s in near)


def _counted(claim: str) -> Iterator[str]:
    """The noun behind each word for all."""
    for match in _ALL.finditer(claim):
        noun = ""
        for word in match.group(1).split():
            if noun and (_NOUN_ENDS.search(word) or is_past(word) or is_bare_verb(word)):
                break
            noun = "" if _NOT_COUNTED.search(word) else word
        is_noun = bool(noun) and not _NOUN_ENDS.search(noun)
        # "Made no comment" is as good as "has not commented".
        if is_noun and (not match.group().startswith("no ") or match.start() == 0):
            yield noun


def _is_limited(noun: str, claim: str, near: Sequence[str]) -> bool:
    found = [(sentence, k) for sentence in near for k in _places(stem(noun), sentence)]
    return bool(found) and all(_has_limit(claim, sentence, k) for sentence, k in found)


def _places(key: str, sentence: str) -> list[int]:
    return [k for k, word in enumerate(_WORD.findall(sentence)) if stem(word) == key]


def _has_limit(claim: str, sentence: str, place: int) -> bool:
    """Whether a sentence counts, describes or narrows the noun where the claim does not."""
    words = _WORD.findall(sentence)
    if _WHOLE.search(sentence) and not _PART.search(sentence):
        return False
    if _PART.search(sentence):
        return True
    known = terms(claim)
    before = words[place - 1] if place else ""
    counts = [word for word in words[max(0, place - 2) : place] if _NUMBER.search(word)]
    if any(count not in _WORD.findall(claim) for count in counts):
        return True
    if before and not _BEFORE_NOUN.search(before) and not terms(before) <= known:
        return True
    after = words[place + 1] if place + 1 < len(words) else ""
    narrowing = terms(" ".join(words[place + 2 : place + 2 + _BEHIND])) - function_terms()
    return after in _NARROWING and bool(narrowing - known)


def _is_of_always(claim: str, near: Sequence[str]) -> bool:
    """The claim is of any time or place, and each near sentence names some."""
    if not _ALWAYS.search(claim):
        return False
    return all(_TIMES.search(s) and not _ALWAYS.search(s) for s in near)


def _is_first(claim: str, near: Sequence[str]) -> bool:
    """The claim gives the first place to what has the second, or is one of several."""
    if not _TOP.search(claim) or _NEARLY_TOP.search(claim):
        return False
    return any(_NEARLY_TOP.search(s) for s in near) and not any(
        _TOP.search(_NEARLY_TOP.sub(" ", s)) for s in near
    )


def _is_surer(claim: str, near: Sequence[str]) -> bool:
    """The claim says for sure or for good what each near sentence leaves unsure."""
    return bool(_SURE.search(claim)) and all(
        _UNSURE.search(s) and not _SURE.search(s) for s in near
    )
