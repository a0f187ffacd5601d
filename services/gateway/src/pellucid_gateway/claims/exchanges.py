"""Whether a claim gives one thing what its source says of another: sides, ends and figures.

It compares places only: what stands before and after the same verb, which figure is where a change
began, and beside which words a figure stands.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pellucid_gateway.claims.claim_checks import undated
from pellucid_language.claimed_names import claimed_names
from pellucid_language.clauses import TIGHT_BORDER
from pellucid_language.folding import fold
from pellucid_language.quantities import Figure, amounts, same_amount
from pellucid_language.terms import function_terms, has_unspaced_script, terms
from pellucid_language.text_memory import remembered

# From this share of a claim's words a sentence speaks of the same.
_SAME_MATTER = 0.6
# By so much more of a figure's neighbourhood another figure's sentence must have.
_CLEARLY_MORE = 0.34
_LEAST_NEAR = 2
_PASSIVE = re.compile(r"\b(?:by|von|durch|par|por)\b")
_CAPITALISED = re.compile(r"[A-ZÀ-Þ][\w’'-]+")
_PRONOUN = re.compile(r"\s(?:him|her|it|them|us)\b")
# German puts the object first whenever it likes.
_GERMAN = re.compile(r"\b(?:der|die|das|den|dem|des|und|ein|eine|im|am|zum|zur)\b")
_VERB = re.compile(
    r"^(?:\w{2,}(?:ed|ght|ew|old|id|aid|ave|ook|ost)|beat|asks?|sues?|warns?|owns?)$"
)
_ROMANCE_VERB = re.compile(
    r"^(?:pid|solicit|exig|demand|acus|denunci|advirti|advert|critic|vend|compr|gan|derrot|venc|sup"
    r"|reempla|rempla|sustitu|nombr|nomm|accus|menac|amenaz|achet|battu|attaqu|poursui|condamn)\w+$"
)
_FROM = re.compile(r"\b(?:from|von|de|desde)\s+(?:[$€£]\s?)?(?=\d)|(?:由|从|從)(?=\d)")
_FROM_BEHIND = re.compile(r"^[^\d\s,。、，]{0,6}(?:에서|から)")


def are_exchanged(claim: str, found: Sequence[str]) -> bool:
    """Whether the claim turns a sentence around or gives its figure to something else.

    Args:
        claim: One sentence or clause.
        found: Sentences of the source.
    """
    claim, found = undated(claim), [undated(sentence) for sentence in found]
    if _figure_of_another(claim, found):
        return True
    nearest = max(found, key=lambda sentence: _share(_content(claim), sentence), default="")
    if _share(_content(claim), nearest) < _SAME_MATTER:
        return False
    return _ends_exchanged(claim, nearest) or _sides_exchanged(claim, nearest)


@remembered
def _content(text: str) -> frozenset[str]:
    return frozenset(t for t in terms(text) - function_terms() if not t.isdigit())


def _share(wanted: frozenset[str], text: str) -> float:
    return len(wanted & terms(text)) / len(wanted) if wanted else 0.0


def _ends_exchanged(claim: str, sentence: str) -> bool:
    """Both name where a change began, and the claim begins it where the source ends it."""
    mine, theirs = _beginnings(claim), _beginnings(sentence)
    if not mine or not theirs:
        return False
    ends = [f for f in amounts(sentence) if not any(same_amount(f, t) for t in theirs)]
    others = [f for f in amounts(claim) if not any(same_amount(f, m) for m in mine)]
    began_at_end = all(any(same_amount(m, end) for end in ends) for m in mine)
    return began_at_end and any(same_amount(o, t) for o in others for t in theirs)


def _beginnings(text: str) -> list[Figure]:
    starts = {match.end() for match in _FROM.finditer(fold(text))}
    return [f for f in amounts(text) if f.start in starts or _FROM_BEHIND.match(text[f.end :])]


def _sides_exchanged(claim: str, sentence: str) -> bool:
    """What stands before a verb in one stands after it in the other, and the other way round."""
    if has_unspaced_script(claim) or _GERMAN.search(claim):
        return False
    mine = fold(claim)
    theirs = max(fold(sentence).split(";"), key=lambda part: _share(_content(claim), part))
    if bool(_PASSIVE.search(mine)) != bool(_PASSIVE.search(theirs)):
        return False
    names = _content(" ".join(_CAPITALISED.findall(claim)))
    verbs = _verbs(mine) & _verbs(theirs)
    alike = [v for v in verbs if _is_passive(v, mine) == _is_passive(v, theirs)]
    pairs = [(_sides(mine, v), _sides(theirs, v)) for v in alike]
    return any(_crossed(a, b) or _crossed(a.only(names), b.only(names)) for a, b in pairs)


def _is_passive(verb: str, folded: str) -> bool:
    return re.search(rf"\b(?:is|are|was|were|been|being|be) (?:\w+ )?{verb}\b", folded) is not None


@dataclass(frozen=True, slots=True)
class _Sides:
    before: frozenset[str]
    after: frozenset[str]
    has_pronoun: bool

    def only(self, names: frozenset[str]) -> "_Sides":
        """The same for names alone."""
        return _Sides(self.before & names, self.after & names, has_pronoun=False)


def _sides(text: str, verb: str) -> _Sides:
    before, _, after = text.partition(verb)
    return _Sides(_content(before), _content(after), bool(_PRONOUN.match(after)))


def _crossed(mine: _Sides, theirs: _Sides) -> bool:
    answered = bool(mine.before & theirs.after) or theirs.has_pronoun
    return answered and bool(mine.after & theirs.before) and not mine.before & theirs.before


def _verbs(folded: str) -> frozenset[str]:
    words = re.findall(r"[a-z]+", folded)[1:]
    return frozenset(w for w in words if _VERB.match(w) or _ROMANCE_VERB.match(w))


def _figure_of_another(claim: str, found: Sequence[str]) -> bool:
    """Whether the words beside a figure stand beside another figure of its kind in the source."""
    return any(
        _said_of_another(near, figure, found)
        for near, figure in _neighbourhoods(claim)
        if len(near) >= _LEAST_NEAR and not figure.is_year
    )


def _neighbourhoods(text: str) -> Iterator[tuple[frozenset[str], Figure]]:
    """Each figure with the words of its clause since the figure before it."""
    start = 0
    for figure in amounts(text):
        cut = max(
            (m.end() for m in TIGHT_BORDER.finditer(text, start, figure.start)), default=start
        )
        tail = TIGHT_BORDER.split(text[figure.end :])[0]
        rest = amounts(tail)
        near = f"{text[cut : figure.start]} {'' if rest else tail}"
        yield _content(near), figure
        start = figure.end


def _said_of_another(near: frozenset[str], figure: Figure, found: Sequence[str]) -> bool:
    own = [s for s in found if any(same_amount(figure, f) for f in amounts(s))]
    if any(_counts_the_same(figure, f) for s in own for f in amounts(s)):
        return False
    if not own:
        return False
    rivals = [
        place
        for sentence in found
        if sentence not in own
        for place in _places_of_rivals(sentence, figure)
    ]
    if any(_is_another_named(near, s, rivals) for s in own):
        return True
    best = max(_share(near, sentence) for sentence in own)
    return max((_share(near, place) for place in rivals), default=0.0) >= best + _CLEARLY_MORE


def _counts_the_same(figure: Figure, other: Figure) -> bool:
    """Whether both stand right before the same noun, as in "58 patients"."""
    nouns = {word for word in figure.around & other.around if word.startswith(">")}
    return bool(nouns) and not figure.measure and same_amount(figure, other)


def _is_another_named(near: frozenset[str], own: str, rivals: Sequence[str]) -> bool:
    """Whether the figure's sentence names somebody else, and a rival's names the claim's."""
    others = frozenset(t for name in claimed_names(own) for t in terms(name)) - near
    missing, share = near - terms(own), _share(near, own)
    return bool(others) and any(
        missing & frozenset(t for name in claimed_names(place) for t in terms(name))
        for place in rivals
        if _share(near, place) > share and not _GERMAN.search(fold(place))
    )


def _places_of_rivals(sentence: str, figure: Figure) -> list[str]:
    """Where a sentence has figures of the same kind: all of it for one, their clauses for more."""
    rivals = [f for f in amounts(sentence) if f.measure == figure.measure and not f.is_year]
    if len(rivals) <= 1:
        return [sentence] if rivals else []
    clauses = TIGHT_BORDER.split(sentence)
    return [c for c in clauses if any(f.measure == figure.measure for f in amounts(c))]
