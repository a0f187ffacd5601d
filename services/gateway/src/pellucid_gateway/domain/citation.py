"""Citations of an answer, how each was checked, and what the verifier did."""

from dataclasses import dataclass
from enum import StrEnum


class CitationCheck(StrEnum):
    """How a citation was found to be right."""

    SUPPORTED = "supported"
    """A judge read the passage and found that it says so."""
    MATCHED = "matched"
    """Figures, dates and names stand there, and the wording is alike."""
    UNCHECKED = "unchecked"
    """The scorer was down: only figures, dates, names and words were compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A checked claim; offsets are Unicode code points into the answer, end exclusive.

    Attributes:
        cited_text: The supporting passage, verbatim from the source's text as shown.
        support: 0 to 1; higher is better supported.
        added: The model did not cite here.
    """

    start: int
    end: int
    source: int
    url: str
    title: str
    cited_text: str
    support: float
    check: CitationCheck = CitationCheck.MATCHED
    added: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the answer, in Unicode code points, end exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationReport:
    """What the verifier did.

    Attributes:
        checked: Citations that the model wrote: kept + rebound + dropped.
        supported: Of those shown, whoever wrote them; with matched and unchecked all of them.
        added: Of those shown, where the model cited nothing.
    """

    checked: int = 0
    kept: int = 0
    supported: int = 0
    matched: int = 0
    unchecked: int = 0
    rebound: int = 0
    dropped: int = 0
    added: int = 0
    uncited_sentences: int = 0
