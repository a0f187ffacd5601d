"""Secrets told by a clause: what is named or opened in it, how the value is joined, and its form.

"The safe opens with 74-12-33" and "my debit card pin, 6178," share no phrase. What they share is
evidence: a value with the form of a secret, a word that names a secret or what one opens, and the
join between both, as a copula, a pause or "opens with" makes it. Each counts points; no kind is
enough by itself, so what machines show ("error 0x80070005"), units, years and things for sale stay.
"""

import re
from collections.abc import Iterator, Sequence

from pellucid_language.pii.clause_words import Word, clauses_of, kinds_of
from pellucid_language.pii.value_forms import form_points, is_phrase_word, is_plain
from pellucid_language.stop_words import stop_words

Span = tuple[int, int]

# Points that make a secret; by kind: form 1-3, name 1-3, join 1-3, "my" 1.
_ENOUGH = 7
_JOINED, _BESIDE = 3, 2
_NAMES = frozenset({"secret", "generic", "ambiguous", "counted"})
_TELLING = _NAMES | {"guard", "opened", "service"}
_WORD = re.compile(r"mots? de passe|\w[\w-]*")
_IS = frozenset({"is", "ist", "est", "es"})
_ENDS = frozenset(",)?!.;")
_BETWEEN_LOG_INS = frozenset({"/", "|"})
_FEWEST_BEHIND = 2
# How far a name stands before its value, in words.
_REACH = 9
_FEWEST_OF_PHRASE, _MOST_OF_PHRASE = 3, 25
_SURE_OF_PHRASE = 4


def find_stated_values(text: str) -> Iterator[Span]:
    """Yield where such values stand."""
    if not may_state_any(text):
        return
    for words in clauses_of(text):
        clause = _Clause(words)
        if clause.is_telling:
            yield from clause.values()


def may_state_any(text: str) -> bool:
    """Whether a text has a word that names or guards a secret."""
    words = _WORD.findall(text.lower())
    return any(_TELLING & kinds_of(word) for word in words)


class _Clause:
    """The words of a clause, and what they say together."""

    def __init__(self, words: tuple[Word, ...]) -> None:
        """Read what each word may be.

        Args:
            words: In order.
        """
        self._words = words
        kinds = {kind for word in words for kind in word.kinds}
        self._is_mine = "mine" in kinds
        self._is_guarded = "guard" in kinds
        self._is_answered = {"reply", "question", "mine"} <= kinds
        self._is_shown = "shown" in kinds
        self.is_telling = bool(kinds & _TELLING)

    def values(self) -> Iterator[Span]:
        """Yield where the values of the clause stand."""
        told = -2
        for i, word in enumerate(self._words):
            form = form_points(word.bare, is_quoted=word.is_quoted) or self._is_reply(i)
            if form and not self._is_measured(i):
                is_next = told == i - 1 or (told == i - 2 and self._words[i - 1].is_and)
                if is_next or self._points(i, form) >= _ENOUGH:
                    told = i
                    yield word.start, word.end
        yield from self._phrases()

    def _is_reply(self, i: int) -> int:
        """Points of a plain word that answers a security question."""
        is_told = i > 0 and "copula" in self._words[i - 1].kinds
        is_word = is_plain(self._words[i].bare)
        return int(is_told and is_word and self._is_answered)

    def _is_measured(self, i: int) -> bool:
        """Whether a unit follows, or a machine shows the value."""
        then = self._words[i + 1] if i + 1 < len(self._words) else None
        is_amount = then is not None and not self._words[i].pause and "units" in then.kinds
        return is_amount and self._words[i].bare[-1].isdigit()

    def _points(self, i: int, form: int) -> int:
        name, join = max(self._before(i), self._behind(i), key=sum)
        if not name or not join:
            return 0
        doubt = 4 if self._is_shown and form < _JOINED else 0
        return form + name + join + self._is_mine - doubt

    def _before(self, i: int) -> tuple[int, int]:
        """Points of the name before a value and of the join between both."""
        j = i - 1
        while j >= 0 and {"adverbs"} == self._words[j].kinds & {"adverbs", "copula"}:
            j -= 1
        if j < 0 or {"articles"} == self._words[j].kinds & {"articles", "towards"}:
            return 0, 0
        last = self._words[j]
        if "with" in last.kinds:
            return self._opened_with(j)
        if "typed" in last.kinds and self._is_mine:
            return self._asked_for(j)
        if "having" in last.kinds and form_points(self._words[i].bare) == _JOINED:
            return self._named(j - 1), _JOINED
        if "towards" in last.kinds:
            return self._set_to(j)
        return self._joined_to(i, j)

    def _joined_to(self, i: int, j: int) -> tuple[int, int]:
        """The same where a copula, a pause or nothing stands between them."""
        last = self._words[j]
        if last.low in _BETWEEN_LOG_INS or last.is_and:
            return self._logged_in(i, j)
        if "copula" in last.kinds or last.is_copula:
            return self._named(j if last.is_copula else j - 1), _JOINED
        if last.pause or self._words[i].is_apart:
            ends = self._words[i].pause or i + 1 == len(self._words) or last.pause != ","
            return self._named(j), _JOINED if ends else 0
        return self._beside(j)

    def _beside(self, j: int) -> tuple[int, int]:
        """Points of a name with the value right behind it."""
        kinds = self._words[j].kinds
        if kinds & {"guard", "service"} and not kinds & _NAMES:
            is_told_of = j > 0 and self._name(j - 1)
            return self._named(j), _BESIDE if is_told_of else 1
        if " " in self._words[j + 1].bare and not self._is_mine:
            return 0, 0
        return self._name(j, served=1), _BESIDE

    def _named(self, j: int) -> int:
        """Points of the nearest name at or before a place with only its additions behind it."""
        for k in range(j, max(-1, j - _REACH), -1):
            points = self._name(k, of_thing=True)
            if points and self._is_head(k, j):
                return points
        return 0

    def _is_head(self, k: int, j: int) -> bool:
        """Whether what stands behind a name only adds to it: "of the gate at work"."""
        if any(word.pause == "," for word in self._words[k:j]):
            return False
        added = k + 1
        while added <= j and {"guard", "service"} & self._words[added].kinds:
            added += 1
        return added > j or "relations" in self._words[added].kinds

    def _name(self, k: int, *, of_thing: bool = False, served: int = 2) -> int:
        """Points of a word as the name of a secret.

        Args:
            k: Its place.
            of_thing: What is opened counts as well.
            served: Points of a generic name beside a service, whose codes may be errors.
        """
        kinds = self._words[k].kinds
        before = self._words[max(0, k - 3) : k]
        if before and "public" in before[-1].kinds:
            return 0
        if "generic" not in kinds:
            points = self._of_name(k, before)
            return points or (2 if of_thing and "opened" in kinds else 0)
        return self._of_generic(self._near(k, before), before, served)

    def _near(self, k: int, before: Sequence[Word]) -> set[str]:
        """What the words beside a name are."""
        beside = (*before, *self._words[k + 1 : k + 6])
        return {kind for word in beside for kind in word.kinds}

    def _of_name(self, k: int, before: Sequence[Word]) -> int:
        kinds = self._words[k].kinds
        if "secret" in kinds:
            return 3
        if "reply" in kinds:
            return 3 * self._is_answered
        if "ambiguous" in kinds and not self._is_shown:
            return 2 + bool(self._near(k, before) & {"guard", "service"})
        return 3 * ("counted" in kinds and "opened" in self._near(k, before))

    def _of_generic(self, near: set[str], before: Sequence[Word], served: int) -> int:
        if "guard" in near:
            return 3
        is_own = any({"mine", "yours"} & word.kinds for word in before[-2:])
        if "service" in near:
            return served
        return 2 if self._is_guarded or is_own else 0

    def _opened_with(self, j: int) -> tuple[int, int]:
        """Points of "opens with", "log in with" before a value."""
        said = self._words[max(0, j - 4) : j]
        if any("opens" in word.kinds for word in said) and self._is_guarded:
            return 2, _JOINED
        enters = any("enters" in word.kinds for word in said)
        return (2, _JOINED - (not self._is_mine)) if enters else (0, 0)

    def _logged_in(self, i: int, j: int) -> tuple[int, int]:
        """Points of the value behind a user's name: "login for work: jdoe / …", "admin and …"."""
        said = {kind for word in self._words[max(0, j - _REACH) : j] for kind in word.kinds}
        comes_in = said & ({"creds"} if self._words[j].is_and else {"creds", "enters", "service"})
        is_sure = form_points(self._words[i].bare) == _JOINED
        return 2 * bool(comes_in and is_sure), _JOINED

    def _asked_for(self, j: int) -> tuple[int, int]:
        """Points of "it asks for the code, I typed …": the name stands anywhere before."""
        names = [self._name(k, of_thing=True) for k in range(max(0, j - 2 * _REACH), j)]
        return max(names, default=0), _JOINED

    def _set_to(self, j: int) -> tuple[int, int]:
        """Points of "set the lock to …"."""
        said = self._words[max(0, j - _REACH) : j]
        is_set = any({"sets", "uses"} & word.kinds for word in said)
        names = [self._name(k, of_thing=True) for k in range(max(0, j - _REACH), j)]
        return (max(names, default=0), _JOINED) if is_set else (0, 0)

    def _behind(self, i: int) -> tuple[int, int]:
        """Points of the name behind a value: "is … a good PIN", "… as my code"."""
        then = self._words[i + 1 : i + 8]
        if len(then) < _FEWEST_BEHIND or self._words[i].pause in {",", ":"}:
            return 0, 0
        rated = then[1:] if then[0].low in _IS else then
        judged = any("judged" in word.kinds for word in rated[:3]) and "articles" in rated[0].kinds
        is_used = "purpose" in then[0].kinds and any(
            "uses" in word.kinds for word in self._words[max(0, i - 4) : i]
        )
        is_own = "purpose" in then[0].kinds and any("mine" in word.kinds for word in then[1:3])
        is_bare = "purpose" in then[0].kinds and len(then) > 1 and "secret" in then[1].kinds
        opens = len(then) > 1 and "towards" in then[0].kinds and "opens" in then[1].kinds
        if opens and self._is_mine and self._is_guarded:
            return 2, _JOINED
        if not (judged or is_used or is_own or is_bare):
            return 0, 0
        for k in range(i + 2, min(i + 7, len(self._words))):
            if points := self._name(k):
                return points, _JOINED
            if self._words[k].pause:
                break
        is_served = is_used and any({"guard", "service"} & word.kinds for word in then)
        return (1, _JOINED) if is_served and is_own else (0, 0)

    def _phrases(self) -> Iterator[Span]:
        """Yield where plain words stand that are joined to the name of a secret."""
        for j, word in enumerate(self._words[:-1]):
            is_join = (
                bool({"copula", "with"} & word.kinds) or word.pause in {":", "="} or word.is_copula
            )
            if not is_join:
                continue
            run = self._run(j + 1)
            if len(run) < _FEWEST_OF_PHRASE:
                continue
            quoted = run[0].is_quoted
            name = self._joined_name(j)
            is_sure = len(run) >= _SURE_OF_PHRASE or word.pause == ":" or quoted
            if name + (self._is_mine or quoted) >= _JOINED + (not is_sure) and is_sure:
                yield run[0].start, run[-1].end

    def _joined_name(self, j: int) -> int:
        word = self._words[j]
        if "with" in word.kinds:
            name, join = self._opened_with(j)
            begun = self._words[j - 1].low in {"starts", "begins", "beginnt", "commence", "empieza"}
            return self._named(j - 2) if begun else name if join else 0
        return self._named(j if word.pause or word.is_copula else j - 1)

    def _run(self, first: int) -> tuple[Word, ...]:
        """The words from a place that have no grammar, up to a pause or a word of grammar."""
        run: list[Word] = []
        for word in self._words[first : first + _MOST_OF_PHRASE]:
            if not is_phrase_word(word):
                ends = len(run) >= _SURE_OF_PHRASE and word.low in stop_words()
                return tuple(run) if ends else ()
            run.append(word)
            if word.closes or word.pause in _ENDS:
                break
        return tuple(run)
