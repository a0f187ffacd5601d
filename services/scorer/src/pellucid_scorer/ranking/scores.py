"""The final score of every candidate, which ones are included, and their order.

final = weights · (semantic, trust, freshness, quality) + the subject's lift. A candidate is
included when its final score is above the threshold and its semantic part reaches the floor, so
that no trusted page of today gets in on another topic, and its quality is no spam's; of those,
near-duplicates are merged, each domain gets its share, and the best few stay. The result does not
depend on the candidates' order.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

from pellucid_runtime.domains import registrable_domain
from pellucid_scorer.models import Scale
from pellucid_scorer.ranking import domains, duplicates, subject
from pellucid_scorer.ranking.candidates import (
    Breakdown,
    Candidate,
    Exclusion,
    Rated,
    Semantic,
    Subject,
    Verdict,
)
from pellucid_scorer.ranking.freshness import Freshness
from pellucid_scorer.ranking.profiles import Profile
from pellucid_scorer.ranking.quality import QualityTable
from pellucid_scorer.ranking.spam import Likelihood, SpamModel, shipped_model
from pellucid_scorer.ranking.trust import TrustTable

QUALITY_FLOOR = 0.26
"""Less is spam; a form of .7 has it from a likelihood of .63 on (`eval/spam_train.py`)."""
TRUSTED = 0.7
HARMFUL = 0.4
LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)
"""Sorts results without a date behind those with one."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables that parts of the score are read from."""

    trust: TrustTable
    freshness: Freshness
    quality: QualityTable
    spam: SpamModel = field(default_factory=shipped_model)


@dataclass(frozen=True, slots=True)
class Question:
    """What candidates are rated against.

    Attributes:
        text: The standalone question.
        subject: What the conversation is about.
        now: Instant that ages refer to.
        real_time: Results of the last hours come first.
    """

    text: str
    subject: Subject
    now: datetime
    real_time: bool = False


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rates and orders candidates by tables and one request's rules."""

    tables: Tables
    rules: Profile
    question: Question

    def rank(
        self,
        candidates: Sequence[Candidate],
        semantics: Sequence[Semantic],
        vectors: npt.NDArray[np.float32],
        *,
        scale: Scale = Scale(),  # noqa: B008 - immutable
        encoder: str = "",
    ) -> tuple[Verdict, ...]:
        """Return one verdict per candidate: included ones in order of use, then the others.

        Args:
            candidates: Results with unique ids.
            semantics: Their semantic parts, in the same order.
            vectors: float32[n, d], their unit vectors, in the same order.
            scale: Of these vectors' cosines.
            encoder: Whose vectors they are, for the model of spam; empty: nothing is spam.
        """
        asked = subject.asked_about(self.question.text, self.question.subject)
        spam = self.tables.spam.rate(candidates, vectors, encoder)
        rated = [
            self._rate(candidate, semantic, asked, likely)
            for candidate, semantic, likely in zip(candidates, semantics, spam, strict=True)
        ]
        order = sorted(range(len(rated)), key=lambda place: self._order(rated[place]))
        verdicts = self._filtered([rated[place] for place in order], vectors[order], scale)
        return tuple(sorted(verdicts, key=lambda verdict: verdict.exclusion is not None))

    def _rate(
        self, candidate: Candidate, semantic: Semantic, asked: frozenset[str], likely: Likelihood
    ) -> Rated:
        host = domains.host_of(candidate.url)
        trust = self.tables.trust.rate(host, asked)
        # A site of good name is believed, whatever it sounds like.
        is_known = trust.score >= TRUSTED
        honest = 1.0 if is_known else 1.0 - likely.spam
        parts = Breakdown(
            semantic=semantic,
            trust=min(1.0, max(0.0, trust.score + candidate.trust_shift)),
            trust_rule=trust.rule,
            freshness=self.tables.freshness.score(candidate.published_at, self.question.now),
            quality=self.tables.quality.score(candidate.title, candidate.snippet) * honest,
            subject_lift=0.0,
            trust_shift=candidate.trust_shift,
        )
        base = _weighted(parts, self.rules)
        lift = subject.lift(self.question.subject, candidate.text, base)
        parts = replace(parts, subject_lift=lift) if lift else parts
        harmful = not is_known and likely.harmful > HARMFUL
        return Rated(candidate, registrable_domain(host), base + lift, parts, harmful)

    def _filtered(
        self, rated: Sequence[Rated], vectors: npt.NDArray[np.float32], scale: Scale
    ) -> Sequence[Verdict]:
        """Return one verdict per result; they come, and stay, in order of use."""
        refused = [self._refusal(one) for one in rated]
        good = [place for place, exclusion in enumerate(refused) if exclusion is None]
        passed = [rated[place] for place in good]
        alike = scale.likenesses(vectors[good] @ vectors[good].T)
        groups = duplicates.corroborations(passed, alike > self.rules.duplicate_cosine)
        limited = self._limited(passed, groups)
        return [
            Verdict(one, why) if why else next(limited)
            for one, why in zip(rated, refused, strict=True)
        ]

    def _refusal(self, rated: Rated) -> Exclusion | None:
        parts = rated.breakdown
        if self.tables.trust.is_blocked(parts.trust_rule):
            return Exclusion.BLOCKED
        if parts.semantic.score < self.rules.semantic_floor:
            return Exclusion.OFF_TOPIC
        if parts.quality < QUALITY_FLOOR:
            return Exclusion.LOW_QUALITY
        return None if rated.final > self.rules.threshold else Exclusion.BELOW_THRESHOLD

    def _limited(
        self, passed: Sequence[Rated], groups: Mapping[str, tuple[str, ...]]
    ) -> Iterator[Verdict]:
        """Apply duplicates, each domain's share and the number of results, in order of use."""
        merged = {other for others in groups.values() for other in others}
        left = [one.domain for one in passed if one.candidate.id not in merged]
        shares = iter(self._shares(left))
        for rated in passed:
            if rated.candidate.id in merged:
                yield Verdict(rated, Exclusion.NEAR_DUPLICATE)
            else:
                yield Verdict(rated, next(shares), groups.get(rated.candidate.id, ()))

    def _shares(self, ranked: Sequence[str]) -> Sequence[Exclusion | None]:
        """Return why each result is left out, by their domains in order of use.

        A domain has its share as long as others fill the list; the next best get what is left over.
        """
        per_domain: Counter[str] = Counter()
        found: list[Exclusion | None] = []
        for domain in ranked:
            exclusion = self._share(domain, per_domain)
            if exclusion is None:
                per_domain[domain] += 1
            found.append(exclusion)
        over = self.rules.max_results - per_domain.total()
        capped = [place for place, one in enumerate(found) if one is Exclusion.DOMAIN_CAP]
        for place in capped[:over]:
            found[place] = None
        return found

    def _share(self, domain: str, per_domain: Counter[str]) -> Exclusion | None:
        if domain and per_domain[domain] >= self.rules.max_per_domain:
            return Exclusion.DOMAIN_CAP
        if per_domain.total() >= self.rules.max_results:
            return Exclusion.BEYOND_LIMIT
        return None

    def _order(self, rated: Rated) -> tuple[bool, float, float, float, str]:
        """Return the sort key: breaking news when asked for, score, recency, subject, id."""
        now, freshness = self.question.now, self.tables.freshness
        published = freshness.usable(rated.candidate.published_at, now)
        breaking = self.question.real_time and freshness.is_breaking(published, now)
        return (
            not breaking,
            -rated.final,
            -_seconds(published),
            -rated.breakdown.subject_lift,
            rated.candidate.id,
        )


def _seconds(published: datetime | None) -> float:
    return ((published or LONG_AGO) - LONG_AGO).total_seconds()


def _weighted(parts: Breakdown, rules: Profile) -> float:
    weights = rules.weights
    total = (
        weights.semantic * parts.semantic.score
        + weights.trust * parts.trust
        + weights.freshness * parts.freshness
        + weights.quality * parts.quality
    )
    return min(1.0, max(0.0, total))
