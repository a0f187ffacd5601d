"""Spam is told by its form and its sound, on texts that the model was not made from."""

from datetime import UTC, datetime

import numpy as np
import pytest

from pellucid_scorer import convert
from pellucid_scorer.ports import Encoder
from pellucid_scorer.ranking import tables
from pellucid_scorer.ranking.candidates import Candidate, Exclusion, Semantic, Subject, Verdict
from pellucid_scorer.ranking.profiles import Overrides
from pellucid_scorer.ranking.scores import Question, Ranking
from pellucid_scorer.ranking.spam import form_of, shipped_model

SPAM = (
    Candidate(
        "farm",
        "https://tide-info-answers.example/lock-hours",
        "Lock Opening Hours | Lock Opening Hours Today | Best Lock Hours 2026",
        "Are you looking for lock opening hours? You are in the right place! Lock opening hours "
        "are explained in this article about lock opening hours.",
    ),
    Candidate(
        "casino",
        "https://regatta-results.goldspin.example/",
        "Regatta results 2026 - best casino bonus 400%",
        "Regatta results. Claim 400% bonus and 100 free spins, best slots, instant payout. Join!",
    ),
    Candidate(
        "crack",
        "https://fullcrack-zone.example/notewise",
        "Notewise Pro 9 Crack + License Key Free Download [Latest]",
        "Download Notewise Pro cracked full version with keygen. Disable your antivirus first.",
    ),
)
HONEST = (
    Candidate(
        "shop",
        "https://tidehouse-shop.example/lamp",
        "Tidehouse L3 storm lamp, brass - 84.00",
        "In stock, delivery in 3 days. Add to basket. Two-year warranty.",
    ),
    Candidate(
        "advisory",
        "https://cert-ondry.example/2026-31",
        "Advisory 2026-31: malware in fake Notewise installers",
        "Installers from third parties contain a password stealer. How to find and remove it.",
    ),
    Candidate(
        "health",
        "https://hearing-inst.example/tinnitus",
        "Tinnitus: what helps and what does not",
        "A review of 31 trials found a benefit for behavioural therapy and none for supplements.",
    ),
    Candidate(
        "hours",
        "https://www.canal-authority.example/locks",
        "Opening hours of the locks | Canal Authority",
        "From April to October daily from 7:00 to 19:00, in winter on request.",
    ),
)


RULES = tables.read_profiles().rules("", Overrides(), time_sensitive=False)


def ranked(encoder: Encoder, candidates: tuple[Candidate, ...]) -> dict[str, Verdict]:
    """Verdicts by id, of results that are on the topic whatever they are."""
    texts = [encoder.prefixes.passage + candidate.text for candidate in candidates]
    vectors = encoder.encode(encoder.tokenize(texts))
    question = Question("lock opening hours", Subject(), datetime(2026, 11, 27, tzinfo=UTC))
    ranking = Ranking(tables.read_tables(), RULES, question)
    semantics = [Semantic(0.8)] * len(candidates)
    verdicts = ranking.rank(candidates, semantics, np.asarray(vectors), encoder=encoder.name)
    return {verdict.rated.candidate.id: verdict for verdict in verdicts}


def test_spam_is_left_out_and_told_as_such(real_encoder: Encoder) -> None:
    verdicts = ranked(real_encoder, SPAM)

    assert {v.exclusion for v in verdicts.values()} == {Exclusion.LOW_QUALITY}
    assert verdicts["crack"].rated.harmful
    assert not verdicts["farm"].rated.harmful
    assert convert._scored(verdicts["crack"]).warnings == ["possibly_harmful"]


def test_shops_advisories_and_facts_stay(real_encoder: Encoder) -> None:
    verdicts = ranked(real_encoder, HONEST)

    assert {v.exclusion for v in verdicts.values()} == {None}
    assert not any(v.rated.harmful for v in verdicts.values())


def test_a_site_of_good_name_is_believed(real_encoder: Encoder) -> None:
    (crack,) = (candidate for candidate in SPAM if candidate.id == "crack")
    known = Candidate(crack.id, "https://www.cert.gov/a", crack.title, crack.snippet)

    verdict = ranked(real_encoder, (known,))["crack"]
    assert verdict.exclusion is None
    assert not verdict.rated.harmful


def test_without_a_known_encoder_nothing_is_spam() -> None:
    likely = shipped_model().rate(SPAM, np.zeros((len(SPAM), 384), np.float32), "another/cpu")

    assert {one.spam for one in likely} == {0.0}


@pytest.mark.parametrize("candidate", [*SPAM, *HONEST, Candidate("empty")], ids=lambda c: c.id)
def test_measures_of_form_are_shares(candidate: Candidate) -> None:
    assert all(0.0 <= value <= 1.0 for value in form_of(candidate))
