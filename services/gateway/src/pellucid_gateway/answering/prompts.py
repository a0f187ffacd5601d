"""The prompt of an answer: rules, history, and one last message with everything that varies.

What comes before the last message is byte for byte what the turn before began with, as long as the
history fits, so that model servers find it in their caches. Tokens are counted as a model counts
them, with a margin. Only what we add, and the oldest history, is left out; the person's message
goes in whole unless it alone is larger than the window.
"""

from collections.abc import Iterable, Sequence

from pellucid_gateway.answering.context import Room, fitted
from pellucid_gateway.answering.particulars import (
    Length,
    asides,
    knowledge_rule,
    language_rule,
    length_rule,
    time_and_place,
    unread_rules,
)
from pellucid_gateway.answering.rules import RULES
from pellucid_gateway.answering.setting import Setting
from pellucid_gateway.answering.window import (
    LARGEST_ANSWER_SHARE,
    LONGEST_ANSWER_TOKENS,
    PER_MESSAGE_TOKENS,
    estimated,
    source_cap,
)
from pellucid_gateway.domain.answer_model import Prompt
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.request import ChatMessage, Role, TurnRequest
from pellucid_gateway.question.tokens import cut_middle, tokens_of

_TOKENS_PER_WORD = 3
_GAP = "\n\n"
_SAYS = "The person says:"
_FRUITLESS = "A web search found nothing usable."
_LOST = "The web could not be searched; the person is told: “{why}”"
_NO_SOURCES = "No sources come with this message: answer from what you know."
_UNAIDED = (
    "Say so, answer from what you know, and say how sure you are. Cite nothing and give no links."
)


def build_prompt(request: TurnRequest, sources: Sequence[Source], setting: Setting) -> Prompt:
    """Compose the prompt; what does not fit is left out, least important first.

    Order of importance: message, rules, sources by worth, then history from its newest message.
    """
    length = length_rule(request, sources)
    max_tokens = _answer_tokens(length, sources, setting)
    about = "\n".join(_about(request, sources, setting, length))
    room = estimated(setting.window_tokens - max_tokens) - 2 * PER_MESSAGE_TOKENS
    room -= tokens_of(f"{RULES}{about}{_GAP}{_SAYS}{_GAP}")
    message = cut_middle(request.message, room)
    room -= tokens_of(message)
    own = Room(room - tokens_of(_GAP), source_cap(sources, setting.plan))
    context = fitted(sources, marker=setting.marker, room=own, notes=setting.notes)
    history = fitting_history(request.messages[:-1], room - tokens_of(context.text + _GAP))
    last = _GAP.join(filter(None, (about, context.text, f"{_SAYS}\n{message}")))
    return Prompt(
        messages=alternating(
            (ChatMessage(Role.SYSTEM, RULES), *history, ChatMessage(Role.USER, last))
        ),
        max_tokens=max_tokens,
        model=request.model,
        context_tokens=tokens_of(context.text),
        shown=context.numbers,
        left_out=context.left_out,
    )


def _answer_tokens(length: Length, sources: Sequence[Source], setting: Setting) -> int:
    """The depth's cap over sources, more for a wish; without sources only against runaways."""
    cap = setting.plan.answer_tokens if sources else LONGEST_ANSWER_TOKENS
    most = max(cap, _TOKENS_PER_WORD * length.words)
    return min(most, setting.window_tokens // LARGEST_ANSWER_SHARE)


def _about(
    request: TurnRequest, sources: Sequence[Source], setting: Setting, length: Length
) -> list[str]:
    """What the last message says before the sources."""
    has_nothing = not sources and not setting.unread
    is_fruitless = setting.searched and has_nothing
    cause = _LOST.format(why=setting.lost) if setting.lost else _FRUITLESS
    return [
        f"{time_and_place(request, setting.now)} {knowledge_rule(setting.knowledge_cutoff)}",
        f"{language_rule(request.language)} {length.rule}",
        *([f"{cause} {_UNAIDED}"] if is_fruitless else [_NO_SOURCES] if has_nothing else []),
        *unread_rules(setting.unread),
        *asides(request),
    ]


def fitting_history(earlier: Sequence[ChatMessage], room: int) -> tuple[ChatMessage, ...]:
    """The newest messages that fit, whole and oldest first, from a message of the person on.

    Only the newest one is cut when it alone does not fit.
    """
    said = [m for m in earlier if m.role in {Role.USER, Role.ASSISTANT} and m.content.strip()]
    kept: list[ChatMessage] = []
    for message in reversed(said):
        content = message.content if kept else cut_middle(message.content, room // 2)
        room -= tokens_of(content) + PER_MESSAGE_TOKENS
        if room < 0:
            break
        kept.append(ChatMessage(message.role, content))
    while kept and kept[-1].role is not Role.USER:
        kept.pop()
    return tuple(reversed(kept))


def alternating(messages: Iterable[ChatMessage]) -> tuple[ChatMessage, ...]:
    """The messages with those of one role in a row as one: strict chat templates refuse others."""
    joined: list[ChatMessage] = []
    for message in messages:
        if joined and joined[-1].role is message.role:
            joined[-1] = ChatMessage(message.role, f"{joined[-1].content}{_GAP}{message.content}")
        else:
            joined.append(message)
    return tuple(joined)
