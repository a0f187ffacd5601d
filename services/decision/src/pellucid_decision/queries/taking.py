"""What a question takes from the story around it: a place, a name, or what the story is about."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pellucid_decision.queries.fitting import beyond, room_for
from pellucid_decision.queries.limits import SHORT
from pellucid_decision.queries.story import (
    FEW_WORDS,
    codes_told,
    is_name,
    last_things,
    names_told,
    names_visited,
    pointing_words,
    points_back,
    rare_told,
    says,
    things_in,
    things_told,
)
from pellucid_decision.question.asked import Asked
from pellucid_decision.question.asking import NEVER
from pellucid_decision.question.chunk import Chunk
from pellucid_decision.question.terms import FIRM, Kind
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_decision.text.lexicon import DENSE_LANGUAGES

# Names of a story that its question takes at most.
STORY_NAMES = 2
# A question with so many things of its own needs no name of the story.
WHOLE_WORDS, WHOLE_DENSE = 5, 4
# Words of the clause before it that it takes at most.
NEAR_WORDS = 3
# Words of what the teller has heard, for a question that says little.
HEARD_WORDS = 4
_NAMES = FIRM - {Kind.NUMBER}
# Behind a place where somebody lives.
_LIVES = r".{0,3}(?:살|사는|거주|住)"


@dataclass(frozen=True, slots=True)
class Story:
    """A message that tells something around its question.

    Attributes:
        asked: Its questions, and what it tells.
        place: Where the person said they are or go; empty when they did not.
        rules: Rules of its language.
    """

    asked: Asked
    place: str
    rules: LanguageRules

    def for_question(self, own: Sequence[Chunk]) -> tuple[Chunk, ...]:
        """Return what the question takes from what the person told before it."""
        before, rules = self.asked.before, self.rules
        if not before:
            return ()
        telling = [chunk for chunk in own if says(chunk, rules)]
        if not telling:
            return things_told(before, rules)
        times = self._times_there(self.asked.questions[0])
        if times > 1:
            return names_told(before, rules)[-STORY_NAMES:]
        codes = beyond(codes_told(before, rules), own)[:1]
        whole = self._visited(own) if self._is_whole(own) else ()
        names = tuple(dict.fromkeys((*(whole or self._names_told(own)), *codes)))
        few = sum(chunk.kind is not Kind.NUMBER for chunk in telling) <= FEW_WORDS
        if times:
            return self._there(own, names, few=few)
        near = self._near(own)
        if not near and not self._is_whole(own) and points_back(self.asked.questions[0], rules):
            named = names_told(before, rules)[-STORY_NAMES:] if self._names(own) else ()
            return (
                tuple(room_for(beyond(named, own), own))
                if named
                else self._referred(names, telling)
            )
        names = near or names or self._rare(own, few=few)
        return tuple(room_for(beyond(names, own), own)) if names else ()

    def _visited(self, own: Sequence[Chunk]) -> tuple[Chunk, ...]:
        """Return where the teller goes, which a question that says enough may still need."""
        if self.rules.code not in DENSE_LANGUAGES:
            return beyond(names_visited(self.asked.before, self.rules), own)[:1]
        lives = re.search(rf"{re.escape(self.place)}{_LIVES}", self.asked.before)
        there = bool(self.place) and not lives and self.place in self.asked.before
        return (Chunk(self.place, Kind.ENTITY),) if there and not self._names(own) else ()

    def _rare(self, own: Sequence[Chunk], *, few: bool) -> tuple[Chunk, ...]:
        """Return the rarest words of what was told before a question that says little."""
        ahead = self.asked.before
        if self.asked.behind:
            ahead = ahead.replace(self.asked.behind, "")
        dense = self.rules.code in DENSE_LANGUAGES
        lacks = (not self._is_whole(own) if dense else few) and not self._names(own)
        return rare_told(ahead, self.rules) if lacks and ahead.strip() else ()

    def _near(self, own: Sequence[Chunk]) -> tuple[Chunk, ...]:
        """Return what stands right before a question that names nothing itself."""
        if self._names(own) or self._is_whole(own):
            return ()
        heard = self.rules.phrase("heard") or NEVER
        few = sum(says(chunk, self.rules) for chunk in own) < WHOLE_DENSE
        back = points_back(self.asked.questions[0], self.rules)
        back = back or (few and heard.search(self.asked.previous) is not None)
        clause = self.asked.near or (self.asked.previous if back else "")
        things = tuple(things_in(clause, self.rules)) if clause else ()
        if few and heard.search(clause):  # "I heard that there is a grant for ..."
            return things[-HEARD_WORDS:]
        if self.asked.near.strip() == self.asked.before.strip() and len(things) <= NEAR_WORDS:
            return things  # all that is told: "my laptop runs hot, ..."
        first = next((n for n, chunk in enumerate(things) if chunk.kind in _NAMES), None)
        naming = self.rules.phrase("naming_clause")
        told = first is not None or (naming is not None and naming.search(clause))
        return things[first:][-NEAR_WORDS:] if told else ()

    def _there(
        self, own: Sequence[Chunk], names: tuple[Chunk, ...], *, few: bool
    ) -> tuple[Chunk, ...]:
        """Return where the story plays, for a question that asks of what is there."""
        if self.place:
            return (Chunk(self.place, Kind.ENTITY),)
        things = things_told(self.asked.before, self.rules) if few and not names else names
        return tuple(room_for(beyond(things, own), own))

    def _referred(self, names: tuple[Chunk, ...], telling: Sequence[Chunk]) -> tuple[Chunk, ...]:
        """Return what a question with "it" or "that" speaks of; less, the more it says itself."""
        before, rules = self.asked.before, self.rules
        if names and len(telling) > FEW_WORDS:
            return names_told(before, rules)[-STORY_NAMES:] or names
        bare = len(telling) == 1 and len(names) < STORY_NAMES
        last = rare_told(before, rules) if bare else ()
        if not last and (len(telling) < FEW_WORDS or not names):
            last = last_things(before, rules)
        return tuple(dict.fromkeys((*names, *last)))

    def _names(self, own: Sequence[Chunk]) -> bool:
        question, dense = self.asked.questions[0], self.rules.code in DENSE_LANGUAGES
        if dense:  # an unknown word may also be one that the glosses lack
            return any(chunk.kind in _NAMES for chunk in own)
        telling = (chunk for chunk in own if len(chunk.text) > SHORT or chunk.text.isalpha())
        return any(is_name(chunk, question, self.rules) for chunk in telling)

    def _is_whole(self, own: Sequence[Chunk]) -> bool:
        """Whether a question says enough by itself."""
        if self.rules.code in DENSE_LANGUAGES:
            telling = [chunk for chunk in own if says(chunk, self.rules)]
            joined = self.rules.code == "zh"  # whose chunks may be whole clauses
            words = sum(max(1, len(one.text) // 2) if joined else 1 for one in telling)
            return words >= WHOLE_DENSE
        return len(own) >= WHOLE_WORDS

    def _names_told(self, own: Sequence[Chunk]) -> tuple[Chunk, ...]:
        """Return the names of the story for a question that has none, the place before others."""
        if self._names(own):
            return ()
        if self._is_whole(own):
            return ()
        names = beyond(names_told(self.asked.before, self.rules), own)
        place = self.place
        if place and not any(place in chunk.text for chunk in (*names, *own)):
            names = (Chunk(place, Kind.ENTITY), *names)
        return names[:STORY_NAMES]

    def _times_there(self, question: str) -> int:
        """Count how a question speaks of where the story plays: "from there to here" is two."""
        words = pointing_words(question, self.rules)
        pattern = self.rules.phrase("there")
        return len(words & self.rules.words("there")) or int(
            bool(pattern and pattern.search(question))
        )
