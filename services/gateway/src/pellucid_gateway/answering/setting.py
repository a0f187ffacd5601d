"""What a prompt depends on besides the request."""

from dataclasses import dataclass
from datetime import date, datetime

from pellucid_gateway.turn_context.plans import DepthPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a prompt depends on besides the request.

    Attributes:
        question: The standalone question.
        language: ISO 639-1 of the answer; "und" follows the message.
        marker: Random word of this request for the fences.
        knowledge_cutoff: First day that the model knows nothing of.
        window_tokens: Prompt and answer together.
        searched: The web was asked, with or without success.
        is_small_talk: The message asks for nothing.
        private: Values in the person's messages that the model is not shown.
        unread: Pages that the person named and that could not be read.
        lost: Why the web could not be searched, as the person is told; empty where it could.
        notes: What the model should know about the sources, for example where they disagree.
    """

    question: str
    language: str
    now: datetime
    knowledge_cutoff: date
    window_tokens: int
    marker: str
    plan: DepthPlan
    searched: bool
    is_small_talk: bool = False
    private: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    lost: str = ""
    notes: tuple[str, ...] = ()
