"""An answer as it was sent, whoever wrote it."""

from dataclasses import dataclass, field
from typing import Any

from pellucid_gateway.vocabulary.events import AnswerKind, Citation, CitationReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer as sent; `tool_calls` and `finish_reason` as in `TurnResult`.

    Attributes:
        said: The model's text before its citations were checked.
        shown: Numbers of the sources that it was shown.
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
