"""The final score, the filters and the order, over the real tables."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pellucid_runtime.errors import InvalidArgumentError
from pellucid_scorer.errors import TableError
from pellucid_scorer.models import Scale
from pellucid_scorer.ranking.candidates import (
    Candidate,
    Exclusion,
    Semantic,
    SemanticMethod,
    Subject,
    Verdict,
    Weights,
)
from pellucid_scorer.ranking.profiles import Overrides, Profile, Profiles
from pellucid_scorer.ranking.scores import Question, Ranking, Tables

NOW = datetime(2026, 5, 1, tzinfo=UTC)
HOSTS = (
    "www.reuters.com", "www.nasa.gov", "a.example.com", "b.example.com", "someone.github.io",
    "x.com", "203.0.113.7", "",
)  # fmt: skip

candidates_ = st.builds(
    Candidate,
    id=st.uuids().map(str),
    url=st.sampled_from(HOSTS).map(lambda host: f"https://{host}/p" if host else ""),
    title=st.sampled_from(["A quiet day", "Cheap deals", "", "NEWS OF THE DAY"]),
    snippet=st.sampled_from(["", "A study of Ann Lee and Acme.", "Plain words " * 12, "🎉" * 9]),
    published_at=st.none() | st.integers(-5, 900).map(lambda days: NOW - timedelta(days=days)),
)
rows_ = st.lists(
    st.tuples(candidates_, st.floats(0, 1), st.integers(0, 6)),
    max_size=24,
    unique_by=lambda row: row[0].id,
)
questions_ = st.builds(
    Question,
    text=st.just("What did Acme announce?"),
    subject=st.sampled_from([Subject(), Subject(("Ann Lee", "Acme"))]),
    now=st.just(NOW),
    real_time=st.booleans(),
)


def default_rules(profiles: Profiles, **overrides: object) -> Profile:
    return profiles.rules("", Overrides(**overrides), time_sensitive=False)


def rank(
    tables: Tables, rules: Profile, question: Question, rows: Sequence[tuple[Candidate, float, int]]
) -> tuple[Verdict, ...]:
    """Rank rows of candidate, semantic part and number of the direction of its vector."""
    vectors = np.eye(384, dtype=np.float32)[[direction for _, _, direction in rows]]
    semantics = [Semantic(score) for _, score, _ in rows]
    candidates = [candidate for candidate, _, _ in rows]
    return Ranking(tables, rules, question).rank(candidates, semantics, vectors)


def ask(text: str = "q", *, real_time: bool = False, subject: Subject | None = None) -> Question:
    return Question(text, subject or Subject(), NOW, real_time=real_time)


def one(id_: str, *, host: str = "", days: float | None = None, **fields: str) -> Candidate:
    published = None if days is None else NOW - timedelta(days=days)
    url = f"https://{host or id_ + '.example'}/"
    return Candidate(id=id_, url=url, published_at=published, **fields)


def order(verdicts: Sequence[Verdict]) -> list[str]:
    return [verdict.rated.candidate.id for verdict in verdicts]


def exclusions(verdicts: Sequence[Verdict]) -> dict[str, Exclusion | None]:
    return {verdict.rated.candidate.id: verdict.exclusion for verdict in verdicts}


def test_final_is_the_documented_sum(score_tables: Tables, profiles: Profiles) -> None:
    candidate = one("a", host="www.reuters.com", days=10, title="A quiet day")
    (verdict,) = rank(score_tables, default_rules(profiles), ask(), [(candidate, 0.6, 0)])
    assert verdict.rated.final == pytest.approx(0.5 * 0.6 + 0.25 * 0.9 + 0.15 * 0.9 + 0.1 * 0.7)


@given(rows=rows_, question=questions_)
def test_every_candidate_is_rated_once(
    score_tables: Tables,
    profiles: Profiles,
    rows: Sequence[tuple[Candidate, float, int]],
    question: Question,
) -> None:
    """P6: every result gets a score in [0, 1]."""
    verdicts = rank(score_tables, default_rules(profiles), question, rows)
    assert Counter(order(verdicts)) == Counter(row[0].id for row in rows)
    assert all(0.0 <= verdict.rated.final <= 1.0 for verdict in verdicts)


@given(rows=rows_, question=questions_, threshold=st.floats(0, 1))
def test_included_results_pass_threshold_floor_and_caps(
    score_tables: Tables,
    profiles: Profiles,
    rows: Sequence[tuple[Candidate, float, int]],
    question: Question,
    threshold: float,
) -> None:
    """P2: every returned result is above the threshold."""
    rules = default_rules(profiles, threshold=threshold)
    verdicts = rank(score_tables, rules, question, rows)
    included = [verdict.rated for verdict in verdicts if verdict.exclusion is None]
    assert all(rated.final > threshold for rated in included)
    assert all(rated.breakdown.semantic.score >= 0.20 for rated in included)
    assert len(included) <= 5
    shares = Counter(rated.domain for rated in included if rated.domain)
    assert len(included) == 5 or Exclusion.DOMAIN_CAP not in exclusions(verdicts).values()
    if any(count > 2 for count in shares.values()):
        assert Exclusion.BEYOND_LIMIT not in exclusions(verdicts).values()


@given(rows=rows_)
def test_order_is_by_score_then_recency(
    score_tables: Tables, profiles: Profiles, rows: Sequence[tuple[Candidate, float, int]]
) -> None:
    """P9: order is by score, then recency; included ones first."""
    verdicts = rank(score_tables, default_rules(profiles), ask(), rows)
    kept = [verdict for verdict in verdicts if verdict.exclusion is None]
    assert list(verdicts[: len(kept)]) == kept
    for group in (kept, verdicts[len(kept) :]):
        keys = [(-verdict.rated.final, _age(verdict)) for verdict in group]
        assert keys == sorted(keys)


def _age(verdict: Verdict) -> float:
    published = verdict.rated.candidate.published_at
    if published is None or published - NOW > timedelta(days=1):
        return float("inf")
    return (NOW - published).total_seconds()


@given(
    semantic=st.floats(0, 1),
    host=st.sampled_from(HOSTS[:-1]),
    days=st.none() | st.integers(0, 400),
    named=st.sampled_from(["Ann Lee", "Acme", "Tide Summit"]),
    ids=st.permutations(["a", "b"]),
)
def test_results_with_subject_entities_rank_above_equal_ones(
    *,
    score_tables: Tables,
    profiles: Profiles,
    semantic: float,
    host: str,
    days: int | None,
    named: str,
    ids: list[str],
) -> None:
    """P7: results with subject entities rank above those without, other things equal."""
    subject = Subject(("Ann Lee", "Acme", "Tide Summit"))
    other = "Bob Ray" if " " in named else "Bobs"
    rows = [
        (one(ids[0], host=host, days=days, snippet=f"A word of {named} today"), semantic, 0),
        (one(ids[1], host=host, days=days, snippet=f"A word of {other} today"), semantic, 1),
    ]
    verdicts = rank(score_tables, default_rules(profiles), ask(subject=subject), rows)
    assert order(verdicts)[0] == ids[0]


@given(rows=rows_, question=questions_, seed=st.integers())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_the_result_does_not_depend_on_the_order_of_candidates(
    score_tables: Tables,
    profiles: Profiles,
    rows: list[tuple[Candidate, float, int]],
    question: Question,
    seed: int,
) -> None:
    shuffled = random.Random(seed).sample(rows, len(rows))
    rules = default_rules(profiles)
    assert rank(score_tables, rules, question, rows) == rank(
        score_tables, rules, question, shuffled
    )


def test_an_off_topic_government_page_of_today_is_never_admitted(
    score_tables: Tables, profiles: Profiles
) -> None:
    page = one("gov", host="www.nasa.gov", days=0, title="Annual report", snippet="Study. " * 20)
    (verdict,) = rank(score_tables, default_rules(profiles), ask(), [(page, 0.19, 0)])
    assert verdict.rated.final > 0.35
    assert verdict.exclusion is Exclusion.OFF_TOPIC


def test_a_domain_fills_the_places_that_others_leave_over(
    score_tables: Tables, profiles: Profiles
) -> None:
    one_site = [(one(f"s{n}", host="www.reuters.com"), 0.9 - n / 100, n) for n in range(6)]
    others = [(one("x", host="a.example.org"), 0.6, 7), (one("y", host="b.test"), 0.6, 8)]
    alone = rank(score_tables, default_rules(profiles), ask(), one_site)
    assert [id_ for id_, why in exclusions(alone).items() if why is None] == [
        "s0", "s1", "s2", "s3", "s4"
    ]  # fmt: skip
    mixed = exclusions(rank(score_tables, default_rules(profiles), ask(), [*one_site, *others]))
    assert {id_ for id_, why in mixed.items() if why is None} == {"s0", "s1", "s2", "x", "y"}
    assert mixed["s3"] is Exclusion.DOMAIN_CAP


def test_a_blocked_domain_is_removed(score_tables: Tables, profiles: Profiles) -> None:
    trust = replace(score_tables.trust, entries={"spam.example": 0.0})
    rows = [(one("a", host="www.spam.example", days=0), 1.0, 0)]
    verdicts = rank(replace(score_tables, trust=trust), default_rules(profiles), ask(), rows)
    assert exclusions(verdicts) == {"a": Exclusion.BLOCKED}


def test_a_shift_moves_trust_within_its_range_and_unblocks_nothing(
    score_tables: Tables, profiles: Profiles
) -> None:
    trust = replace(
        score_tables.trust, entries={"spam.example": 0.0, "high.example": 0.95, "low.example": 0.1}
    )
    hosts = {"plain": 0.2, "high": 0.3, "low": -0.3, "spam": 0.3}
    rows = [
        (replace(one(name, days=0), trust_shift=shift), 1.0, place)
        for place, (name, shift) in enumerate(hosts.items())
    ]

    verdicts = rank(replace(score_tables, trust=trust), default_rules(profiles), ask(), rows)

    parts = {v.rated.candidate.id: v.rated.breakdown for v in verdicts}
    assert {name: one.trust for name, one in parts.items()} == pytest.approx(
        {"plain": 0.7, "high": 1.0, "low": 0.0, "spam": 0.3}
    )
    assert {name: one.trust_shift for name, one in parts.items()} == hosts
    assert exclusions(verdicts)["spam"] is Exclusion.BLOCKED
    assert exclusions(verdicts)["plain"] is None


def test_near_duplicates_keep_the_most_trusted_and_note_the_others(
    score_tables: Tables, profiles: Profiles
) -> None:
    rows = [
        (one("blog"), 0.95, 0),
        (one("agency", host="www.reuters.com"), 0.9, 0),
        (one("forum", host="x.com"), 0.9, 0),
        (one("other"), 0.9, 1),
    ]
    verdicts = rank(score_tables, default_rules(profiles), ask(), rows)
    by_id = {verdict.rated.candidate.id: verdict for verdict in verdicts}
    assert by_id["agency"].corroborated_by == ("blog", "forum")
    assert exclusions(verdicts)["blog"] is Exclusion.NEAR_DUPLICATE
    assert exclusions(verdicts)["other"] is None


def test_one_domain_does_not_corroborate_itself(score_tables: Tables, profiles: Profiles) -> None:
    rows = [(one(str(n), host=f"w{n}.example.com"), 0.9, 0) for n in range(3)]
    verdicts = rank(score_tables, default_rules(profiles), ask(), rows)
    assert all(not verdict.corroborated_by for verdict in verdicts)
    assert set(exclusions(verdicts).values()) == {None}


def test_vectors_of_unread_scripts_do_not_make_duplicates(
    score_tables: Tables, profiles: Profiles
) -> None:
    same = Semantic(0.9, 0.0, SemanticMethod.NGRAM)
    candidates = [
        one("a", snippet="항구는 안개로 닫혔다"),
        one("b", snippet="배터리는 겨울에 약하다"),
        one("c", snippet="항구는 안개로 닫혔다."),
    ]
    vectors = np.eye(384, dtype=np.float32)[[0, 0, 0]]
    ranking = Ranking(score_tables, default_rules(profiles), ask())
    verdicts = ranking.rank(candidates, [same] * 3, vectors)
    assert exclusions(verdicts) == {"a": None, "b": None, "c": Exclusion.NEAR_DUPLICATE}


def test_the_best_few_stay(score_tables: Tables, profiles: Profiles) -> None:
    rows = [(one(f"r{n}"), 0.9 - n / 100, n) for n in range(8)]
    verdicts = rank(score_tables, default_rules(profiles, max_results=3), ask(), rows)
    assert order(verdicts)[:3] == ["r0", "r1", "r2"]
    assert Counter(exclusions(verdicts).values()) == {None: 3, Exclusion.BEYOND_LIMIT: 5}


def test_breaking_news_come_first_for_real_time_questions(
    score_tables: Tables, profiles: Profiles
) -> None:
    rows = [(one("old", days=3), 0.9, 0), (one("new", days=0.5), 0.5, 1)]
    rules = default_rules(profiles)
    assert order(rank(score_tables, rules, ask(real_time=True), rows)) == ["new", "old"]
    assert order(rank(score_tables, rules, ask(), rows)) == ["old", "new"]


def test_a_date_in_the_far_future_counts_as_unknown_for_recency(
    score_tables: Tables, profiles: Profiles
) -> None:
    rows = [(one("z-future", days=-90), 0.9, 0), (one("a-unknown"), 0.9, 1)]
    verdicts = rank(score_tables, default_rules(profiles), ask(), rows)
    assert verdicts[0].rated.final == verdicts[1].rated.final
    assert order(verdicts) == ["a-unknown", "z-future"]


def test_nothing_to_rank(score_tables: Tables, profiles: Profiles) -> None:
    assert rank(score_tables, default_rules(profiles), ask(), []) == ()


def test_time_sensitive_questions_shift_the_weights(profiles: Profiles) -> None:
    weights = profiles.rules("", Overrides(), time_sensitive=True).weights
    assert weights.freshness == 0.25
    assert weights.total == pytest.approx(1.0)
    assert weights.semantic / weights.trust == pytest.approx(2.0)
    assert weights.trust / weights.quality == pytest.approx(2.5)


def test_a_requests_own_weights_are_used_as_they_are(profiles: Profiles) -> None:
    own = Weights(semantic=1.0, trust=0.0, freshness=0.0, quality=0.0)
    rules = profiles.rules("news", Overrides(weights=own, threshold=0.0), time_sensitive=True)
    assert (rules.weights, rules.threshold, rules.name) == (own, 0.0, "news")


def test_weights_that_do_not_sum_to_one_are_refused(profiles: Profiles) -> None:
    wrong = Weights(semantic=0.5, trust=0.5, freshness=0.5, quality=0.5)
    with pytest.raises(InvalidArgumentError):
        profiles.rules("", Overrides(weights=wrong), time_sensitive=False)


def test_an_unknown_profile_is_refused(profiles: Profiles) -> None:
    with pytest.raises(InvalidArgumentError, match="one of default"):
        profiles.rules("nobody-wrote-this", Overrides(), time_sensitive=False)


def test_operators_can_add_profiles() -> None:
    from pellucid_scorer.ranking.tables import bundled

    added = Profiles.from_yaml(bundled("profiles.yaml"), "strict: {threshold: 0.6}")
    rules = added.rules("strict", Overrides(), time_sensitive=False)
    assert (rules.threshold, rules.max_results) == (0.6, 5)
    for wrong in ("threshold: 2", "max_results: 0", "treshold: 0.6", "weights: {trust: 1}"):
        with pytest.raises(TableError, match="bad"):
            Profiles.from_yaml(bundled("profiles.yaml"), f"bad: {{{wrong}}}")


@pytest.mark.parametrize(("scale", "merged"), [(Scale(), True), (Scale(zero=0.75), False)])
def test_near_duplicates_are_told_on_the_scale_of_the_vectors(
    score_tables: Tables, profiles: Profiles, scale: Scale, *, merged: bool
) -> None:
    """What one model gives to copies, another gives to any two texts on one matter."""
    vectors = np.array([[1, 0], [0.98, 0.199]], np.float32)
    candidates = [one("a", host="a.example"), one("b", host="b.example")]
    ranking = Ranking(score_tables, default_rules(profiles), ask())
    verdicts = ranking.rank(candidates, [Semantic(0.9)] * 2, vectors, scale=scale)
    assert (Exclusion.NEAR_DUPLICATE in [v.exclusion for v in verdicts]) is merged
