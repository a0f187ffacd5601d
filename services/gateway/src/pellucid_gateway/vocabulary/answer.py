"""An answer as it was sent, whoever wrote it."""

from dataclasses import dataclass, field
from typing import Any

from pellucid_gateway.vocabulary.events import AnswerKind, Citation, CitationReport


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a small model said of a claim that words had left open.

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
        said: The model's text before its citations were checked.
        shown: Numbers of the sources that it was shown.
        verdicts: Of a small model on its claims, in the order asked.
    """

    text: str
    kind: AnswerKind
    citations: tuple[Citation, ...] = ()
    report: CitationReport = field(default_factory=CitationReport)
    partial: bool = False
    model: str = ""
    finish_reason: str = "stop"
    tool_calls: tuple[Any, ...] = ()
    said: str = ""
    shown: tuple[int, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
