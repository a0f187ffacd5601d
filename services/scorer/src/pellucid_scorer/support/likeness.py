"""How like a claim and a passage are, as one calibrated number.

The best window of a passage (up to three sentences) is found by shared content words; the model's
cosine of claim and window catches paraphrase. A logistic of the two is the score. Figures, dates,
names, denials and roles are not looked at: whether they stand is the caller's to decide.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pellucid_language import sentences
from pellucid_language.words import content_terms

WINDOW_SENTENCES = 3
"""Most sentences that are read together."""
LONGEST_SENTENCE = 600
"""Characters after which a text without full stops is cut, at a space where there is one."""

# Logistic of overlap and cosine. Two anchors fix it: a claim that shares nothing with a passage has
# odds of one in ten, and one whose overlap (.55) and cosine (.62) are those of the mean supported
# claim of the public development rows (WiCE, 101 rows) has their frequency of support, seven in
# ten. `eval/scorer_eval.py` prints the area under the curve.
BIAS = -2.3
OVERLAP_WEIGHT = 3.0
# Taken of a claim in another language, whose words cannot be compared: with a cosine of .4 it is
# then as likely as a claim with a third of its words in the passage and no likeness else.
OVERLAP_ACROSS = 0.15
COSINE_WEIGHT = 2.5


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


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim, read once for all passages."""

    text: str
    terms: frozenset[str]

    @classmethod
    def read(cls, text: str) -> "Claim":
        """Read a claim."""
        return cls(text, content_terms(text))


@dataclass(frozen=True, slots=True)
class Passage:
    """The text of one source, read once for all claims."""

    id: str
    text: str
    pieces: tuple[Piece, ...]

    @classmethod
    def read(cls, *, id: str, text: str) -> "Passage":  # noqa: A002 - the caller's name for it
        """Read a passage and cut it into windows."""
        return cls(id, text, tuple(_joined(text, tuple(_spans(text)))))


@dataclass(frozen=True, slots=True)
class Judgement:
    """How well one passage supports one claim by its wording.

    Attributes:
        passage_id: The passage.
        score: Calibrated support in [0, 1]; 0.5 is even odds.
        window: Where the passage comes nearest.
        cosine: Likeness of claim and best window, in [0, 1].
        verdict: How surely the window says the claim by a verifier, in [0, 1]; None: none read it.
    """

    passage_id: str
    score: float
    window: Window
    cosine: float
    verdict: float | None = None


def judge(passage_id: str, window: Window, cosine: float) -> Judgement:
    """Return the calibrated judgement.

    Args:
        passage_id: The passage.
        window: Its best window.
        cosine: Likeness of claim and best window; clamped to [0, 1].
    """
    cosine = min(1.0, max(0.0, cosine))
    odds = BIAS + OVERLAP_WEIGHT * window.overlap + COSINE_WEIGHT * cosine
    return Judgement(passage_id, 1.0 / (1.0 + math.exp(-odds)), window, cosine)


def best_window(claim: Claim, passage: Passage) -> Window:
    """Return the window with the most content words of the claim; the shortest of equal ones."""
    ranked = (
        (_share(claim.terms, piece.terms), piece.start - piece.end, piece.start)
        for piece in passage.pieces
    )
    share, length, start = max(ranked, default=(0.0, 0, 0))
    return Window(start, start - length, share)


def windows_across(claim: Claim, passage: Passage) -> tuple[Window, ...]:
    """Return each two neighbouring sentences, among which a model chooses.

    A claim in another language than the passage shares hardly a word with the right ones.
    """
    runs = [tuple(run) for _, run in groupby(passage.pieces, key=lambda piece: piece.start)]
    pieces = [run[:2][-1] for run in runs[::2]]
    return tuple(
        Window(p.start, p.end, max(OVERLAP_ACROSS, _share(claim.terms, p.terms))) for p in pieces
    )


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence of a text, in pieces where it is too long."""
    for start, end in sentences.spans(text):
        first = start
        while end - first > LONGEST_SENTENCE:
            space = text.rfind(" ", first + 1, first + LONGEST_SENTENCE)
            middle = space if space > first else first + LONGEST_SENTENCE
            yield first, middle
            first = middle
        yield first, end


def _joined(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    """Yield every run of up to `WINDOW_SENTENCES` neighbouring sentences."""
    terms = [content_terms(text[start:end]) for start, end in spans]
    for first, (start, _) in enumerate(spans):
        together: frozenset[str] = frozenset()
        for last in range(first, min(len(spans), first + WINDOW_SENTENCES)):
            together |= terms[last]
            yield Piece(start, spans[last][1], together)


def _share(wanted: frozenset[str], present: frozenset[str]) -> float:
    return len(wanted & present) / len(wanted) if wanted else 0.0
