"""Reuses the sources of the previous turn if they answer a follow-up."""

from datetime import datetime, timedelta

from pellucid_gateway.domain.decision import Action, Decision, WebMode
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.domain.request import TurnRequest
from pellucid_gateway.question.asked_for import asked_for, carries
from pellucid_gateway.question.key_facts import subject_terms
from pellucid_language.terms import has_unspaced_script, terms

# Later than this the web may have newer information.
_FRESH = timedelta(minutes=30)
# Share of the question's content words that one source must have.
_COVERED = 0.8
# The same of the words that the follow-up adds: "and for motorcycles?" is not answered by a source
# that has only the rest. In unspaced writing some of the pairs of characters are endings.
_ADDED_COVERED = 0.75
_ADDED_COVERED_UNSPACED = 0.5


def reused_sources(request: TurnRequest, decision: Decision, now: datetime) -> tuple[Source, ...]:
    """The sources of the previous turn if they answer this message; else none.

    Only for a message that needs its conversation to be understood, and never where the person
    asked for a search or for what changes by the hour.
    """
    earlier = request.earlier
    asked_to_search = request.web_mode is not WebMode.AUTO or request.force_search
    if earlier is None or asked_to_search or decision.real_time or decision.urls:
        return ()
    if decision.about_answer:
        return earlier.sources
    if decision.topicless or now - earlier.at > _FRESH:
        return ()
    if not (decision.requires_context or decision.action is Action.ANSWER):
        return ()
    question = decision.standalone_question
    answered = any(_answers(source, question, request.message) for source in earlier.sources)
    return earlier.sources if answered else ()


def _answers(source: Source, question: str, message: str) -> bool:
    """Whether a source has most of what is asked for, and of what the message itself names."""
    wanted, added = subject_terms(question), subject_terms(message)
    text = source.text or source.facts
    have = terms(f"{source.title} {text}")
    share = _ADDED_COVERED_UNSPACED if has_unspaced_script(message) else _ADDED_COVERED
    covered = bool(wanted) and len(wanted & have) >= _COVERED * len(wanted)
    covered = covered and len(added & have) >= share * len(added)
    kinds = asked_for(question)
    return covered and (not kinds or carries(text, kinds, question) > 0)
