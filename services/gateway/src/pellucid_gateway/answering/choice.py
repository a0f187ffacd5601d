"""Which sentences answer without a model: for each part of the question, then what bears on it.

A further sentence is from another source where one has something to say, rather agrees with what
leads, and never gives another value of the kind that was asked for: which of two values holds is
not told by setting them side by side. Where sources disagree, that is found and told elsewhere.
"""

import re
from collections.abc import Sequence

from pellucid_gateway.answering import excerpt_worth
from pellucid_gateway.answering.excerpt_worth import Likeness
from pellucid_gateway.answering.quotable import Candidate
from pellucid_gateway.conflicts.notes import Conflict, Preference, Side
from pellucid_gateway.domain.request import Depth
from pellucid_gateway.question.asked_for import AskedFor, asked_for, carries
from pellucid_gateway.question.asked_things import beyond, names_of, share_told, things_of
from pellucid_gateway.question.key_facts import is_superseded
from pellucid_gateway.question.parts import parts_of
from pellucid_language.quantities import amounts
from pellucid_language.terms import terms
from pellucid_language.written_dates import days_of, undated

_MOST = {Depth.QUICK: 2, Depth.STANDARD: 3, Depth.DEEP: 5, Depth.LEAN: 3}
# Two sentences that share this much say the same.
_SAME_SAYING = 0.7
# A further sentence must be worth this share of the best one; of a second source less.
_LEAST_SHARE, _LEAST_SECOND_SHARE = 0.8, 0.35
# Of one that names somebody where the best does not.
_LEAST_NAMING_SHARE = 0.7
# One that has a kind of thing which nothing chosen has.
_LEAST_KIND_SHARE, _SAME_SOURCE = 0.6, 0.15
# What it is worth that a further sentence has the value that leads, or is from another source.
_AGREES, _NEW_SOURCE, _NEW_DOMAIN = 0.15, 0.4, 0.1
# A value that a source gave so long before the newest one that gives any may hold no more.
_STALE_DAYS = 180
_STALE = 0.15
_VALUED = 0.5
_LEAST_WORTH = 0.01
# So like the question a sentence may be added that has nothing of the kind asked for.
_LIKE = 0.35
_ASKS, _CLOSERS = ("?", "？"), "\"'”’»)）」』"
# Twice in a sentence: it tells who gives which value.
_BY = re.compile(r"\b(?:by|according to|laut|selon|según)\b|によれば|에 따르면|据", re.IGNORECASE)


def shortlist(found: Sequence[Candidate], question: str, most: int) -> tuple[Candidate, ...]:
    """The candidates that share most words with a part of the question, in their order."""
    found = about_the_named(found, question)
    each = [excerpt_worth.worth(found, part, None) for part in parts_of(question)]
    orders = [sorted(range(len(found)), key=lambda i: (-one[i], i)) for one in each]
    best = dict.fromkeys(i for turn in zip(*orders, strict=True) for i in turn)
    return tuple(found[i] for i in sorted(list(best)[:most]))


def about_the_named(found: Sequence[Candidate], question: str) -> Sequence[Candidate]:
    """Candidates of sources that mention a name of the question; all when it has no name.

    A question about one company is not answered by a sentence about another. A page that the
    person named is what they ask about, whatever it mentions.
    """
    named = names_of(question)
    if not named:
        return found
    sources = {candidate.source.n: candidate.source for candidate in found}
    speaking = {
        n
        for n, s in sources.items()
        if s.user_supplied or named & terms(f"{s.title} {s.text or s.facts}")
    }
    return tuple(candidate for candidate in found if candidate.source.n in speaking)


def choose(
    found: Sequence[Candidate],
    question: str,
    depth: Depth,
    near: Sequence[Likeness] | None = None,
) -> tuple[Candidate, ...]:
    """The best sentence for each part of the question, then what adds to it.

    Args:
        found: Candidates.
        question: The standalone question.
        depth: How many.
        near: Likeness of the candidates to each part of the question; None without a scorer.

    Returns:
        Best first, a part after the other.
    """
    return _Choice(found, question, near).made(_MOST[depth])


class _Choice:
    """What is chosen of some candidates for one question."""

    def __init__(
        self, found: Sequence[Candidate], question: str, near: Sequence[Likeness] | None
    ) -> None:
        self._found = found
        self._question = question
        self._parts = parts_of(question)
        self._near = near or (None,) * len(self._parts)
        self._worth = [
            _without_stale(found, excerpt_worth.worth(found, part, likeness), part)
            for part, likeness in zip(self._parts, self._near, strict=True)
        ]
        self._chosen: list[int] = []

    def made(self, most: int) -> tuple[Candidate, ...]:
        for part in range(len(self._parts)):
            self._lead(part)
        for kind in sorted(asked_for(self._question)):
            self._lead_of(kind)
        leads = tuple(self._chosen)
        while self._chosen and len(self._chosen) < max(most, len(leads) + 1):
            best = self._further(leads)
            if best is None:
                break
            self._chosen.append(best)
        return tuple(self._found[i] for i in self._chosen)

    def _lead(self, part: int) -> None:
        """The best for a part, unless what is chosen serves it about as well."""
        worth = self._worth[part]
        if not worth:
            return
        best = max(range(len(worth)), key=lambda i: (worth[i], -i))
        best = self._naming(part, best)
        if best not in self._chosen:
            self._chosen.append(best)

    def _naming(self, part: int, best: int) -> int:
        """The best that names somebody where a person is asked for, if one comes near the best.

        "The company will have a new chief executive" is like "who is it?", and tells nobody.
        """
        wanted, question = frozenset({AskedFor.PERSON}), self._parts[part]
        if AskedFor.PERSON not in asked_for(question):
            return best
        near = _LEAST_NAMING_SHARE * self._worth[part][best]
        naming = [
            i
            for i, worth in enumerate(self._worth[part])
            if worth >= near and carries(self._found[i].text, wanted, question)
        ]
        told = carries(self._found[best].text, wanted, question) or not naming
        return best if told else max(naming, key=lambda i: (self._worth[part][i], -i))

    def _lead_of(self, kind: AskedFor) -> None:
        """The best that has a kind of thing which is asked for and still open."""
        wanted = frozenset({kind})
        carried = [carries(c.text, wanted, self._question) >= _VALUED for c in self._found]
        if any(carried[i] for i in self._chosen):
            return
        own = {self._found[i].source.n for i in self._chosen}
        total = [
            max(worth[i] for worth in self._worth) + _SAME_SOURCE * (candidate.source.n in own)
            for i, candidate in enumerate(self._found)
        ]
        may = [i for i, has in enumerate(carried) if has and self._is_worth(i)]
        if may:
            self._chosen.append(max(may, key=lambda i: (total[i], -i)))

    def _is_worth(self, i: int) -> bool:
        parts = range(len(self._parts))
        return any(self._worth[p][i] >= _LEAST_KIND_SHARE * self._best(p) for p in parts)

    def _further(self, leads: Sequence[int]) -> int | None:
        """The next sentence that bears on what was asked; None where none does."""
        may = {
            i: gain
            for i in range(len(self._found))
            if i not in self._chosen and (gain := self._gain(i, leads)) is not None
        }
        return max(may, key=lambda i: (may[i], -i)) if may else None

    def _gain(self, i: int, leads: Sequence[int]) -> float | None:
        """What a further sentence adds; None where it may not."""
        candidate = self._found[i]
        chosen = [self._found[c] for c in self._chosen]
        is_second = all(c.source.n == chosen[0].source.n for c in chosen) and (
            candidate.source.n != chosen[0].source.n
        )
        least = _LEAST_SECOND_SHARE if is_second else _LEAST_SHARE
        part = max(range(len(self._parts)), key=lambda p: self._worth[p][i] / self._best(p))
        if self._worth[part][i] < least * self._best(part) or not self._speaks(part)[i]:
            return None
        if not self._may_add(i, leads, part) or is_superseded(candidate.text):
            return None
        if any(_says_the_same(candidate, c) for c in chosen):
            return None
        lead = self._found[self._lead_for(part, leads)]
        agreement = _agreement(candidate, lead, self._parts[part])
        is_same_source = candidate.source.n == lead.source.n
        if agreement < 0 and not (is_same_source and self._is_about_as_much(i, lead, part)):
            return None
        news = _NEW_SOURCE * is_second + _NEW_DOMAIN * all(
            c.source.domain != candidate.source.domain for c in chosen
        )
        return self._worth[part][i] / self._best(part) + _AGREES * max(0.0, agreement) + news

    def _is_about_as_much(self, i: int, lead: Candidate, part: int) -> bool:
        """Whether it tells as many of the things asked about as what leads.

        The price below it on a page is rather that of the next article.
        """
        candidate = self._found[i]
        things = beyond(things_of(self._parts[part]), candidate.source.title)
        told = [share_told(things, f"{c.about} {c.said}") for c in (candidate, lead)]
        return not things or told[0] >= told[1]

    def _lead_for(self, part: int, leads: Sequence[int]) -> int:
        return leads[min(part, len(leads) - 1)]

    def _may_add(self, i: int, leads: Sequence[int], part: int) -> bool:
        """Whether it tells a thing of the asked kind where the lead does, or is near to it."""
        candidate, lead = self._found[i], self._found[self._lead_for(part, leads)]
        if candidate.text.rstrip(_CLOSERS)[-1:] in _ASKS:
            return False
        kinds = excerpt_worth.told_in(candidate.text, asked_for(self._parts[part]))
        told = [carries(c.text, kinds, self._parts[part]) for c in (lead, candidate)]
        if not kinds or told[1] >= min(_VALUED, told[0]):
            return True
        near = self._near[part]
        return AskedFor.PERSON not in kinds and (near is None or near.of(i) >= _LIKE)

    def _best(self, part: int) -> float:
        return max(*self._worth[part], _LEAST_WORTH)

    def _speaks(self, part: int) -> Sequence[bool]:
        return excerpt_worth.speaking(self._found, self._parts[part], self._near[part])


def _without_stale(
    found: Sequence[Candidate], worth: Sequence[float], question: str
) -> list[float]:
    """The worth, less for a value of the asked kind that is older than the newest one."""
    kinds = asked_for(question)
    dated = [
        (i, c.source.published.time)
        for i, c in enumerate(found)
        if kinds and c.source.published and carries(c.text, kinds, question) >= _VALUED
    ]
    newest = max((time for _, time in dated), default=None)
    less = dict.fromkeys(range(len(found)), 0.0)
    for i, time in dated:
        days = (newest - time).days if newest else 0
        less[i] = _STALE * min(1.0, days / _STALE_DAYS)
    return [one - less[i] for i, one in enumerate(worth)]


def _says_the_same(one: Candidate, other: Candidate) -> bool:
    own, theirs = terms(one.text), terms(other.text)
    return bool(own) and len(own & theirs) / len(own) > _SAME_SAYING


def _agreement(candidate: Candidate, lead: Candidate, question: str) -> float:
    """1 with a value that the lead has, -1 with only another one, 0 with none of the asked kind."""
    kinds = asked_for(question) & {AskedFor.NUMBER, AskedFor.DATE, AskedFor.VERSION}
    if not kinds or carries(candidate.text, kinds, question) < _VALUED:
        return 0.0
    own, known = _values(candidate.text), _values(lead.text)
    if not own or not known:
        return 0.0
    shared = own.keys() & known.keys()
    if shared and (AskedFor.VERSION in kinds or len(_BY.findall(candidate.text)) > 1):
        return 1.0
    measures = {"", *known.values()}
    is_other = any(own[value] in measures for value in own.keys() - known.keys())
    return -1.0 if is_other else float(bool(shared))


def _values(text: str) -> dict[object, str]:
    """The days and amounts of a sentence, each with its kind."""
    told = [figure for figure in amounts(undated(text)) if not figure.is_year]
    figures: dict[object, str] = {v: figure.measure for figure in told for v in figure.values}
    return figures | dict.fromkeys(days_of(text), "day")


def with_both_sides(
    chosen: Sequence[Candidate], every: Sequence[Candidate], conflicts: Sequence[Conflict]
) -> tuple[Candidate, ...]:
    """The chosen sentences with the sides of the first disagreement.

    Where one side is rather to be believed only that one is quoted, and leads: that the other one
    disagrees is told with its value.
    """
    for conflict in conflicts[:1]:
        sides = [_candidate_of(conflict.first, every)]
        if conflict.preference is Preference.NONE:
            sides.append(_candidate_of(conflict.second, every))
        both = [candidate for candidate in sides if candidate]
        if len(both) < len(sides):
            break
        others = [c for c in chosen if c not in both and c.source.n != conflict.second.source.n]
        return (*both, *others)[: max(len(chosen), len(both))]
    return tuple(chosen)


def _candidate_of(side: Side, every: Sequence[Candidate]) -> Candidate | None:
    """The sentence of a side, else the one of its source that is most like it and has its value."""
    own = [c for c in every if c.source.n == side.source.n]
    for candidate in own:
        if side.sentence in candidate.text or candidate.text in side.sentence:
            return candidate
    valued = [c for c in own if side.value in c.text]
    wanted = terms(side.sentence)
    return max(valued, key=lambda c: len(terms(c.text) & wanted), default=None)
