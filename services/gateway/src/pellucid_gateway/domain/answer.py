"""An answer as it was sent, whoever wrote it."""

from dataclasses import dataclass, field
from typing import Any

from pellucid_gateway.domain.citation import Citation, CitationReport, Span
from pellucid_gateway.domain.events import AnswerKind


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a language model said of a claim.

    Attributes:
        claim: As it was asked about.
        sources: Numbers of the sources whose words were shown with it.
    """

    claim: str
    sources: tuple[int, ...]
    supported: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer as sent; `tool_calls` and `finish_reason` as in `TurnResult`.

    Attributes:
        unsupported: Statements that no source was found to say.
        said: The model's text before its citations were checked.
        shown: Numbers of the sources that it was shown.
        verdicts: Of a language model on its claims, in the order in which they counted.
    """

    text: str
    kind: AnswerKind
    citations: tuple[Citation, ...] = ()
    report: CitationReport = field(default_factory=CitationReport)
    unsupported: tuple[Span, ...] = ()
    partial: bool = False
    model: str = ""
    finish_reason: str = "stop"
    tool_calls: tuple[Any, ...] = ()
    said: str = ""
    shown: tuple[int, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
