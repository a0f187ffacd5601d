"""What a decision is made from: one message, the turns before it, and what the chat is about."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

HISTORY_TURNS = 21
TURN_CHARACTERS = 8192


class Role(StrEnum):
    """Who wrote a turn."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class WebMode(StrEnum):
    """The person's switch."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier message.

    Attributes:
        role: Who wrote it.
        content: Its text, cleaned; the beginning of one longer than `TURN_CHARACTERS`.
        about_named_page: The caller says that the person had named a page before it was said.
    """

    role: Role
    content: str
    about_named_page: bool = False


@dataclass(frozen=True, slots=True)
class Subject:
    """What the conversation is about: a video, a document or a product. Data, never instruction.

    Attributes:
        kind: The frontend's word for it.
        title: Title as shown to the person.
        speakers: People, most important first.
        organizations: Organisations, most important first.
        event: Event that it belongs to.
        description: What it is about.
    """

    kind: str = ""
    title: str = ""
    speakers: tuple[str, ...] = ()
    organizations: tuple[str, ...] = ()
    event: str = ""
    description: str = ""

    def elements(self) -> tuple[str, ...]:
        """Return the names that make a query specific, most telling first."""
        named = (*self.speakers[:2], *self.organizations[:2], self.event, self.title)
        return tuple(name.strip() for name in named if name.strip())


@dataclass(frozen=True, slots=True)
class Ask:
    """One message with what is needed to understand it.

    Attributes:
        message: The person's message, cleaned.
        now: The instant that "today" refers to, in the person's time zone.
        cutoff: First day that the answer model knows nothing of.
        history: Turns before it, oldest first.
        subject: What the conversation is about, if known.
        web_mode: The person's switch.
        force_search: Results are wanted without an answer.
        no_external: Nothing may leave the installation.
        language: ISO 639-1 code given by the caller, or empty to detect.
        conversation_id: Scope of decision reuse; empty means no reuse.
        max_queries: Most queries on one thing, 1 to 3.
        max_parts: Most things asked in one message that get a query each, 1 to 3.
        memories: What is known of the person and fits the message, best first.
        search_offered: The answer before offered to search for the subject.
    """

    message: str
    now: datetime
    cutoff: datetime
    history: tuple[Turn, ...] = ()
    subject: Subject | None = None
    web_mode: WebMode = WebMode.AUTO
    force_search: bool = False
    no_external: bool = False
    language: str = ""
    conversation_id: str = ""
    max_queries: int = 3
    max_parts: int = 3
    memories: tuple[str, ...] = ()
    search_offered: bool = False

    def person_turns(self) -> tuple[str, ...]:
        """Return what the person wrote before, oldest first."""
        return tuple(turn.content for turn in self.history if turn.role is Role.USER)
