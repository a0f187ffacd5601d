"""How well a passage supports a claim, as one calibrated number with its sub-checks.

The best window of a passage (up to three sentences) is found by shared content words; figures,
dates and names of the claim are looked up in the whole passage; the model's cosine of claim and
window catches paraphrase. A logistic of these is the score, capped where a checkable fact is
missing. What to do about a score is the caller's decision.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pellucid_scorer import figures, names
from pellucid_scorer.words import content_terms, fold

WINDOW_SENTENCES = 3
"""Most sentences that are read together."""
LONGEST_SENTENCE = 600
"""Characters after which a text without full stops is cut, at a space where there is one."""
MOST_MISSING = 10

SENTENCE_END = re.compile(r"(?<=[.!?。！？…])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")

# Logistic of the features below. Fitted with L2 regularisation on the public development rows of
# a claim-verification benchmark (WiCE, 101 rows) by `eval/scorer_eval.py fit-support`, which also
# prints the cross-validated figures. Higher is more supported.
BIAS = -3.0
OVERLAP_WEIGHT = 4.0
COSINE_WEIGHT = 2.5

MISSING_FIGURE_CAP = 0.10
"""Most that a claim can score with a figure or date that the passage does not have: such a claim
is wrong or from elsewhere, whatever else agrees."""
MISSING_NAME_CAP = 0.20
"""The same for names, which can be spelled in more ways."""
NEGATION_CAP = 0.30
"""The same where one of claim and window denies what the other says."""

NEGATION = re.compile(
    r"\b(?:not|never|no longer|neither|nor|cannot|without|nicht|kein\w*|jamais|nunca|denied|denies"
    r"|failed to|refused to)\b|n['’]t\b|않|못|없|不|没|沒|未",
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
class Claim:
    """One claim, read once for all passages."""

    text: str
    terms: frozenset[str]
    figures: figures.Figures
    names: tuple[names.Name, ...]

    @classmethod
    def read(cls, text: str) -> "Claim":
        """Read a claim."""
        return cls(text, content_terms(text), figures.read(text), names.names(text))


@dataclass(frozen=True, slots=True)
class Passage:
    """The text of one source, read once for all claims."""

    id: str
    text: str
    figures: figures.Figures
    windows: tuple[tuple[int, int, frozenset[str]], ...]

    @classmethod
    def read(cls, *, id: str, text: str) -> "Passage":  # noqa: A002 - the caller's name for it
        """Read a passage and cut it into windows."""
        spans = tuple(sentences(text))
        windows = ((a, b, content_terms(text[a:b])) for a, b in _joined(spans))
        return cls(id, text, figures.read(text), tuple(windows))


@dataclass(frozen=True, slots=True)
class Checks:
    """What the lexical checks found about a claim and a passage."""

    window: Window
    missing_figures: tuple[str, ...]
    missing_dates: tuple[str, ...]
    missing_names: tuple[str, ...]
    is_negated: bool

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
        checks: What the lexical checks found.
        cosine: Likeness of claim and best window, in [0, 1].
    """

    passage_id: str
    score: float
    checks: Checks
    cosine: float


def check(claim: Claim, passage: Passage) -> Checks:
    """Run the lexical checks."""
    window = best_window(claim, passage)
    return Checks(
        window=window,
        missing_figures=tuple(
            figure.written for figure in claim.figures.missing_from(passage.figures)
        ),
        missing_dates=claim.figures.dates_missing_from(passage.figures),
        missing_names=tuple(name.written for name in names.missing_from(claim.names, passage.text)),
        is_negated=_denies(claim.text) != _denies(passage.text[window.start : window.end]),
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
    return Judgement(passage_id, min(_sigmoid(odds), _cap(checks)), checks, cosine)


def best_window(claim: Claim, passage: Passage) -> Window:
    """Return the window with the most content words of the claim; the shortest of equal ones."""
    ranked = (
        (_share(claim.terms, terms), start - end, start) for start, end, terms in passage.windows
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


def _joined(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield every run of up to `WINDOW_SENTENCES` neighbouring sentences."""
    for first, (start, _) in enumerate(spans):
        for _, end in spans[first : first + WINDOW_SENTENCES]:
            yield start, end


def _share(wanted: frozenset[str], present: frozenset[str]) -> float:
    return len(wanted & present) / len(wanted) if wanted else 0.0


def _denies(text: str) -> bool:
    return NEGATION.search(fold(text)) is not None


def _cap(checks: Checks) -> float:
    caps = (
        MISSING_FIGURE_CAP if checks.missing_figures or checks.missing_dates else 1.0,
        MISSING_NAME_CAP if checks.missing_names else 1.0,
        NEGATION_CAP if checks.is_negated else 1.0,
    )
    return min(caps)


def _sigmoid(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-odds))
