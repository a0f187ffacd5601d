"""What mode, vetoes, addresses, rules and matrix make of a message, and what may be contested.

The interplay of web mode, addresses, vetoes and forced search is settled here and nowhere else.
"""

import math

from pellucid_decision.decision import Stage, Verdict
from pellucid_decision.stages.case import Case
from pellucid_decision.text.conversation import WebMode

FINAL_VETOES = ("task_prompt", "tool_result", "dont_search")
# Logistic that turns a rule score into a confidence, fitted on the own messages that rules settle
# (`training/confidence.py`).
_RULE_SLOPE = 8.67
_RULE_CENTRE = 0.425
_MODE_CONFIDENCE = 1.0
_URL_CONFIDENCE = 0.97
_ABOUT_CONFIDENCE = 0.95
# A rule's search (or answer) stands unless the classifier's first look is below (above) this.
# Swept on the own messages held out by fold, 0.3 to 0.6 and 0.5 to 0.7: the lower for searches, the
# more traps are searched. Small talk and word problems, whose vetoes are this strong, stand.
CONTEST = 0.60
# Rules that are as sure as this stand against all but a classifier that sees nothing for the web: a
# name that it never met must not decide (`test_names.py`). Swept on the own messages held out by
# fold, 0.10 to 0.20, and scores of 0.80 to 0.97: the lower, the more traps are searched. A short
# question that goes on from one that was looked up says as little by its own words.
CONTEST_FIRM = 0.15
FIRM_SCORE = 0.95
UNCONTESTED_VETO = 1.0
# What no model knows, however the message is worded.
_PLAIN_NEEDS = ("package_error", "outage", "device_code")
_ALSO_SEARCH = ("explicit_lookup", "ask_sources", "reviews")


def settle(case: Case) -> Verdict | None:
    """Return the verdict of the stages that need nothing outside, None when they leave it open."""
    by_order = _by_mode(case) or _by_veto(case) or _by_address(case)
    return by_order or _by_answer(case) or _by_score(case)


def contestable(case: Case, verdict: Verdict) -> bool:
    """True for verdicts that weighed words; what the person or a frontend ordered is not one."""
    if verdict.stage is not Stage.RULE or verdict.reason_code in (*FINAL_VETOES, "about_answer"):
        return False
    if verdict.search:
        return not case.reading.has(*_PLAIN_NEEDS)
    return not case.reading.vetoed(UNCONTESTED_VETO)


def contested(case: Case, verdict: Verdict, look: float) -> bool:
    """True when the classifier clearly disagrees with a rule, so that the later stages decide.

    Args:
        case: The message.
        verdict: What the rules say.
        look: Probability that the web is needed, from the text alone.
    """
    if not contestable(case, verdict):
        return False
    if not verdict.search:
        return look > CONTEST
    firm = case.reading.score >= FIRM_SCORE or case.reading.has("followup_of_search")
    return look < (CONTEST_FIRM if firm else CONTEST)


def _by_mode(case: Case) -> Verdict | None:
    ask = case.ask
    if ask.web_mode is WebMode.OFF:
        reason = "Web access is switched off for this message."
        return Verdict(False, Stage.MODE, _MODE_CONFIDENCE, "web_off", reason)  # noqa: FBT003 - first field
    if ask.web_mode is WebMode.ON:
        reason = "Web search is switched on for this message."
        return Verdict(True, Stage.MODE, _MODE_CONFIDENCE, "web_on", reason)  # noqa: FBT003 - first field
    if ask.force_search and not case.topicless:
        reason = "Search results were asked for."
        return Verdict(True, Stage.MODE, _MODE_CONFIDENCE, "forced", reason)  # noqa: FBT003 - first field
    if ask.force_search:
        reason = "There is no topic to search for, so this is answered as chat."
        return Verdict(False, Stage.MODE, _MODE_CONFIDENCE, "topicless", reason)  # noqa: FBT003 - first field
    return None


def _by_veto(case: Case) -> Verdict | None:
    fired = [signal for signal in case.reading.signals if signal.name in FINAL_VETOES]
    if not fired or (fired[0].name == "dont_search" and case.links):
        return None
    return _rule_verdict(case, fired[0].name, search=False)


def _by_address(case: Case) -> Verdict | None:
    if not case.links:
        return None
    also = case.reading.has(*_ALSO_SEARCH) and not case.reading.has("dont_search")
    if also:
        reason = "The message names a page and also asks to search or compare."
        return Verdict(True, Stage.URL, _URL_CONFIDENCE, "url_and_search", reason)  # noqa: FBT003 - first field
    reason = "The message names a page, which is read instead of searching."
    return Verdict(False, Stage.URL, _URL_CONFIDENCE, "url", reason)  # noqa: FBT003 - first field


def _by_answer(case: Case) -> Verdict | None:
    """Whoever doubts an answer wants its sources, unless it needed none ("7 * 8")."""
    if not case.doubted:
        return None
    reason = "The person asks for the sources of the answer before."
    return Verdict(True, Stage.RULE, _ABOUT_CONFIDENCE, "about_answer", reason)  # noqa: FBT003 - first field


def _by_score(case: Case) -> Verdict | None:
    reading, book = case.reading, case.book
    if reading.score >= book.search_at:
        stage_code = next((s.name for s in reading.signals if s.weight > 0), "prior")
        return _rule_verdict(case, stage_code, search=True)
    if case.category is not None:
        reason = f"The message asks about a watched topic ({case.category.name.replace('_', ' ')})."
        return Verdict(True, Stage.MATRIX, 0.9, case.category.name, reason)  # noqa: FBT003 - first field
    if reading.score <= book.answer_at:
        code = next((s.name for s in reading.signals if s.weight < 0), "prior")
        return _rule_verdict(case, code, search=False)
    return None


def _rule_verdict(case: Case, code: str, *, search: bool) -> Verdict:
    spec = case.book.signals.get(code)
    probability = 1 / (1 + math.exp(-_RULE_SLOPE * (case.reading.score - _RULE_CENTRE)))
    confidence = max(0.5, probability if search else 1 - probability)
    reason = spec.reason if spec else "Nothing in the message speaks for the web."
    return Verdict(search, Stage.RULE, confidence, code, reason)
