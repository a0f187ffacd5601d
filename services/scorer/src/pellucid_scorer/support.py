"""How well a passage supports a claim, as one calibrated number with its sub-checks.

The best window of a passage (up to three sentences) is found by shared content words; figures,
dates and names of the claim are looked up in the whole passage; the model's cosine of claim and
window catches paraphrase. A logistic of these is the score, of which little is left where a
checkable fact is missing, denied, has its roles swapped, or is more than the passage says. What to
do about a score is the caller's decision.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pellucid_scorer import figures, names, overstated, particles, parties, roles
from pellucid_scorer.scripts import is_spaceless
from pellucid_scorer.words import content_terms

WINDOW_SENTENCES = 3
"""Most sentences that are read together."""
LONGEST_SENTENCE = 600
"""Characters after which a text without full stops is cut, at a space where there is one."""
MOST_MISSING = 10

SENTENCE_END = re.compile(r"(?<=[.!?。！？…])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")

MORE_MISSING = 0.6
"""What each further missing fact leaves of the score. Any of .5 to .7 gives the same area (.811)
on the development rows; 1 gives .802."""

# Logistic of overlap and cosine. Two anchors fix it: a claim that shares nothing with a passage has
# odds of one in ten, and one with nothing missing whose overlap (.55) and cosine (.62) are those of
# the mean supported claim of the public development rows (WiCE, 101 rows) has their frequency of
# support, seven in ten. Area under the curve there, caps included: .81 (overlap alone .66, cosine
# alone .59); `eval/scorer_eval.py` prints it.
BIAS = -2.3
OVERLAP_WEIGHT = 3.0
COSINE_WEIGHT = 2.5

MISSING_FIGURE_CAP = 0.10
"""Most that a claim can score with a figure that the passage does not have; on the development rows
none of ten such claims was supported."""
MISSING_DATE_CAP = 0.15
"""The same for dates (3 of 22 supported)."""
MISSING_NAME_CAP = 0.15
"""The same for names (4 of 29 supported)."""
NEGATION_CAP = 0.30
"""The same where one of claim and nearest sentence denies what the other says."""
SWAPPED_CAP = 0.30
"""The same where names of the claim have changed places, or one has what is said of another."""
OVERSTATED_CAP = 0.30
"""The same where the claim states what the nearest sentences leave open, or says all for some."""
LEAST_STATED = 0.4
"""Share of a claim's content words from which a sentence may be the one that it overstates."""
NEAR_NEAREST = 0.75
"""Of the nearest sentence's share: another such sentence may be the one that is meant."""
SAME_WORDS = 0.6
"""Share of a claim's content words from which a sentence says the same or the opposite."""

DENIED_WORDS = 4
DENIED_CHARS = 60
"""What a negation speaks of stands within so many words and characters after it."""

CLAUSE_END = re.compile(r"[,;:.!?、，。；]")

NEGATION = re.compile(
    r"\b(?:not|never|no(?!\.?\s*\d)|neither|nor|cannot|nicht|kein\w*|nie|pas|aucune?|jamais|nunca"
    r"|non|não|nem|denied|denies|failed to|refused to)\b|n['’]t\b|않|못|없|不|没|沒|未|ない"
    r"|なかった|ません|ず(?=に|、|。)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a passage.

    Attributes:
        start: First code point.
        end: Code point after the last.
        overlap: Share of the claim's content words in it, in [0, 1].
    """

    start: int
    end: int
    overlap: float


@dataclass(frozen=True, slots=True)
class Piece:
    """One to three neighbouring sentences of a passage and their content words."""

    start: int
    end: int
    terms: frozenset[str]
    sentences: int


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim, read once for all passages."""

    text: str
    terms: frozenset[str]
    figures: figures.Figures
    names: tuple[names.Name, ...]
    may_be_overstated: bool

    @classmethod
    def read(cls, text: str) -> "Claim":
        """Read a claim."""
        claimed = names.names(figures.without_dates(text))
        firm = overstated.may_be(text)
        return cls(text, content_terms(text), figures.read(text), claimed, firm)


@dataclass(frozen=True, slots=True)
class Passage:
    """The text of one source, read once for all claims."""

    id: str
    text: str
    figures: figures.Figures
    names: names.Index
    pieces: tuple[Piece, ...]

    @classmethod
    def read(cls, *, id: str, text: str) -> "Passage":  # noqa: A002 - the caller's name for it
        """Read a passage and cut it into windows."""
        pieces = _joined(text, tuple(sentences(text)))
        return cls(id, text, figures.read(text), names.index(text), tuple(pieces))


@dataclass(frozen=True, slots=True)
class Checks:
    """What the lexical checks found about a claim and a passage."""

    window: Window
    missing_figures: tuple[str, ...]
    missing_dates: tuple[str, ...]
    missing_names: tuple[str, ...]
    is_negated: bool
    is_swapped: bool = False
    is_overstated: bool = False

    @property
    def missing(self) -> tuple[str, ...]:
        """Everything that is missing, as written in the claim; at most `MOST_MISSING`."""
        every = (*self.missing_figures, *self.missing_dates, *self.missing_names)
        return every[:MOST_MISSING]


@dataclass(frozen=True, slots=True)
class Judgement:
    """How well one passage supports one claim.

    Attributes:
        passage_id: The passage.
        score: Calibrated support in [0, 1]; 0.5 is even odds.
        likeness: The same as if no checkable fact were missing.
        checks: What the lexical checks found.
        cosine: Likeness of claim and best window, in [0, 1].
    """

    passage_id: str
    score: float
    likeness: float
    checks: Checks
    cosine: float


def check(claim: Claim, passage: Passage) -> Checks:
    """Run the lexical checks."""
    window = best_window(claim, passage)
    nearest = best_window(claim, passage, longest=1)
    is_near = nearest.overlap >= SAME_WORDS
    sentence = passage.text[nearest.start : nearest.end]
    return Checks(
        window=window,
        missing_figures=tuple(
            figure.written for figure in claim.figures.missing_from(passage.figures)
        ),
        missing_dates=claim.figures.dates_missing_from(passage.figures),
        missing_names=tuple(name.written for name in claim.names if not passage.names.has(name)),
        is_negated=is_near and _is_negated(claim, sentence),
        is_swapped=(is_near and _is_swapped(claim, sentence)) or _is_of_another(claim, passage),
        is_overstated=claim.may_be_overstated
        and nearest.overlap >= LEAST_STATED
        and _is_overstated(claim, passage, nearest.overlap),
    )


def judge(passage_id: str, checks: Checks, cosine: float) -> Judgement:
    """Return the calibrated judgement.

    Args:
        passage_id: The passage.
        checks: What the lexical checks found.
        cosine: Likeness of claim and best window; clamped to [0, 1].
    """
    cosine = min(1.0, max(0.0, cosine))
    odds = BIAS + OVERLAP_WEIGHT * checks.window.overlap + COSINE_WEIGHT * cosine
    likeness = _sigmoid(odds)
    return Judgement(passage_id, likeness * _allowed(checks), likeness, checks, cosine)


def best_window(claim: Claim, passage: Passage, *, longest: int = WINDOW_SENTENCES) -> Window:
    """Return the window with the most content words of the claim; the shortest of equal ones.

    Args:
        claim: The claim.
        passage: The passage.
        longest: Most sentences of the window.
    """
    ranked = (
        (_share(claim.terms, piece.terms), piece.start - piece.end, piece.start)
        for piece in passage.pieces
        if piece.sentences <= longest
    )
    share, length, start = max(ranked, default=(0.0, 0, 0))
    return Window(start, start - length, share)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence of a text, in order, without blank ones."""
    start = 0
    for match in (*SENTENCE_END.finditer(text), None):
        end = match.start() if match else len(text)
        yield from _cut(text, start, end)
        start = match.end() if match else end


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a sentence, in pieces where it is too long."""
    while end - start > LONGEST_SENTENCE:
        space = text.rfind(" ", start + 1, start + LONGEST_SENTENCE)
        middle = space if space > start else start + LONGEST_SENTENCE
        yield start, middle
        start = middle
    if text[start:end].strip():
        yield start, end


def _joined(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    """Yield every run of up to `WINDOW_SENTENCES` neighbouring sentences."""
    terms = [content_terms(text[start:end]) for start, end in spans]
    for first, (start, _) in enumerate(spans):
        together: frozenset[str] = frozenset()
        for last in range(first, min(len(spans), first + WINDOW_SENTENCES)):
            together |= terms[last]
            yield Piece(start, spans[last][1], together, last - first + 1)


def _share(wanted: frozenset[str], present: frozenset[str]) -> float:
    return len(wanted & present) / len(wanted) if wanted else 0.0


def _is_negated(claim: Claim, sentence: str) -> bool:
    """Tell whether the passage's nearest sentence is the claim with or without a "not"."""
    return _denies(claim.text, content_terms(sentence)) != _denies(sentence, claim.terms)


def _is_swapped(claim: Claim, sentence: str) -> bool:
    """Tell whether the passage's nearest sentence has the claim's parties the other way round."""
    if is_spaceless(claim.text):
        return particles.are_swapped(claim.text, sentence)
    return roles.are_swapped(claim.text, sentence) or roles.is_turned(claim.text, sentence)


def _is_of_another(claim: Claim, passage: Passage) -> bool:
    """Tell whether the passage says of somebody else what the claim says of its subject."""
    said = parties.said(claim.text, claim.names, claim.terms, passage.text)
    if said is None:
        return False
    return parties.is_of_another(said, [p.terms for p in passage.pieces if p.sentences == 1])


def _is_overstated(claim: Claim, passage: Passage, best: float) -> bool:
    """Tell whether the nearest sentences leave open, or say of a part, what is claimed.

    Args:
        claim: The claim.
        passage: The passage.
        best: Share of the claim's words that the nearest sentence has.
    """
    near = (
        passage.text[piece.start : piece.end]
        for piece in passage.pieces
        if piece.sentences == 1 and _share(claim.terms, piece.terms) >= NEAR_NEAREST * best
    )
    return overstated.is_overstated(claim.text, tuple(near))


def _denies(text: str, terms: frozenset[str]) -> bool:
    """Tell whether a text denies something in which one of the terms takes part."""
    return any(
        terms & content_terms(text[max(0, found.start() - _reach_back(found)) : _scope_end(found)])
        for found in NEGATION.finditer(text)
    )


def _scope_end(found: "re.Match[str]") -> int:
    """Return where the few words that a negation speaks of end: at most at the clause's end."""
    clause = CLAUSE_END.split(found.string[found.end() : found.end() + DENIED_CHARS])[0]
    words = [match.end() for match in re.finditer(r"\S+", clause)]
    return found.end() + max(words[:DENIED_WORDS], default=0)


def _reach_back(found: "re.Match[str]") -> int:
    """Return how far before a negation its verb may stand: Korean and German may put it there."""
    if found.group().casefold() == "nicht":
        return DENIED_CHARS // 2
    return 0 if found.group().isascii() else DENIED_WORDS * 2


def _allowed(checks: Checks) -> float:
    """Return the share of its score that a claim keeps, less for every fact that is missing.

    A share rather than a bound, so that of two claims with the same defect the better supported
    one still scores higher.
    """
    caps = (
        MISSING_FIGURE_CAP if checks.missing_figures else 1.0,
        MISSING_DATE_CAP if checks.missing_dates else 1.0,
        MISSING_NAME_CAP if checks.missing_names else 1.0,
        NEGATION_CAP if checks.is_negated else 1.0,
        SWAPPED_CAP if checks.is_swapped else 1.0,
        OVERSTATED_CAP if checks.is_overstated else 1.0,
    )
    return min(caps) * MORE_MISSING ** max(0, len(checks.missing) - 1)


def _sigmoid(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-odds))
