"""A message with the turns before it, as the models may see it and queries may use it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pellucid_decision.text.conversation import Ask, Role, Turn
from pellucid_decision.text.links import find_links
from pellucid_decision.text.normal import TAIL_CHARACTERS, window
from pellucid_decision.understanding.private import blanked, private_of
from pellucid_decision.understanding.query_assembly import written
from pellucid_decision.understanding.words import MESSAGE, Piece, Word, words_of
from pellucid_language.scripts import is_spaceless

# Beyond what the model reads of a turn.
TURN_CHARACTERS = 1200
# Of the message, what a prompt shows at most.
MESSAGE_CHARACTERS = 3000
# A value at the edge of what is shown is told by the words beyond it.
_EDGE_CHARACTERS = 400
_WORD = re.compile(r"\w+")
# A shorter word that a page has as well tells nothing of it.
_TELLING_CHARACTERS = 4


@dataclass(frozen=True, slots=True)
class Context:
    """What a decision is made from.

    Attributes:
        ask: The request.
        message: The person's message without addresses and with its ends only, where it is long.
        turns: Of person and assistant, oldest first.
        private: Values that must stand in no query, longest first.
        pages: Numbers of the turns, from 1, that may quote a page which the person named.
        background: Numbers of the turns that nobody said; see `context_of`.
    """

    ask: Ask
    message: str
    turns: tuple[Turn, ...]
    private: tuple[str, ...]
    pages: frozenset[int]
    background: range = range(0)

    @property
    def texts(self) -> tuple[str, ...]:
        """The message, then the turns."""
        return (self.message, *(turn.content for turn in self.turns))

    @property
    def own_text(self) -> str:
        """All that the person wrote, is known of them, and what the chat is about; lower case."""
        said = [turn.content for turn in self.turns if turn.role is Role.USER]
        subject = self.ask.subject.elements() if self.ask.subject else ()
        return " ".join((*said, *subject, *self.ask.memories, self.ask.message)).casefold()

    def words(self, pieces: Iterable[Piece]) -> tuple[Word, ...]:
        """Return the words that may stand in a query; private ones and those of a page may not."""
        texts = blanked(self.texts, self.private)
        own = self.own_text
        return tuple(
            word
            for word in words_of(texts, pieces)
            if word.text not in self.pages or _has_word(own, word.key)
        )

    def without_page_words(self, query: str) -> str:
        """Return a query without the words that only a page which the person named has."""
        if not self.pages:
            return query
        said = " ".join(self.turns[number - 1].content for number in self.pages).casefold()
        own = self.own_text
        kept = [word for word in query.split() if not self._only_of_page(word, said, own)]
        return " ".join(kept)

    def _only_of_page(self, word: str, said: str, own: str) -> bool:
        parts = [part.casefold() for part in _WORD.findall(word)]
        telling = [
            p for p in parts if len(p) >= _TELLING_CHARACTERS or not p.isascii() or p.isdigit()
        ]
        return any(_has_word(said, part) and not _has_word(own, part) for part in telling)


def context_of(ask: Ask, message: str, background: Sequence[Turn] = ()) -> Context:
    """Return what a decision is made from.

    Args:
        ask: The request.
        message: Its message without addresses.
        background: What stands behind the person's first message as if it had been said; before
            it the trained model reads nothing.
    """
    spoken = [
        turn for turn in ask.history if turn.role in {Role.USER, Role.ASSISTANT} and turn.content
    ]
    users = (place for place, turn in enumerate(spoken, start=1) if turn.role is Role.USER)
    first = next(users, 0)
    if background and ask.search_offered and spoken and spoken[-1].role is Role.ASSISTANT:
        spoken.pop()  # what was offered says more than the offer
    known = [*spoken[:first], *background, *spoken[first:]]
    numbers = range(first + 1, first + 1 + len(background))
    turns = tuple(Turn(turn.role, turn.content[:TURN_CHARACTERS]) for turn in known)
    return Context(
        ask=ask,
        message=window(message),
        turns=turns,
        private=private_of((*_readable(ask.message, spoken), *ask.memories)),
        pages=_of_pages(known) - set(numbers),
        background=numbers,
    )


def _readable(message: str, turns: Sequence[Turn]) -> Iterator[str]:
    """Yield what of the person's messages can get into a query or a prompt, newest first."""
    head, tail = MESSAGE_CHARACTERS + _EDGE_CHARACTERS, TAIL_CHARACTERS + _EDGE_CHARACTERS
    yield from (message,) if len(message) <= head + tail else (message[:head], message[-tail:])
    for turn in reversed(turns):
        if turn.role is Role.USER:
            yield turn.content[: TURN_CHARACTERS + _EDGE_CHARACTERS]


def before_answer(ask: Ask) -> Ask:
    """Return the request whose answer a message speaks of: the last question of the person."""
    places = [n for n, turn in enumerate(ask.history) if turn.role is Role.USER]
    if not places:
        return ask
    last = places[-1]
    return Ask(
        message=ask.history[last].content,
        now=ask.now,
        cutoff=ask.cutoff,
        history=ask.history[:last],
        subject=ask.subject,
        web_mode=ask.web_mode,
        no_external=ask.no_external,
        language=ask.language,
        max_queries=ask.max_queries,
        max_parts=ask.max_parts,
    )


def chosen_from_history(words: Iterable[Word]) -> str:
    """Return the words of a query that the history lends, joined."""
    return written([word for word in words if word.text != MESSAGE])


def _of_pages(turns: Sequence[Turn]) -> frozenset[int]:
    """Return the assistant's turns from the one on that a named page may be quoted in."""
    named = False
    found = set()
    for number, turn in enumerate(turns, start=1):
        if turn.role is Role.USER:
            named = named or bool(find_links(turn.content))
        elif named or turn.about_named_page:
            found.add(number)
    return frozenset(found)


def _has_word(text: str, word: str) -> bool:
    """Whether a lower-case text has a word, or a run of letters where blanks bound no words."""
    if word not in text:
        return False
    return is_spaceless(word) or re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None
