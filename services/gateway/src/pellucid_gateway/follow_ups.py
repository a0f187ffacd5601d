"""Whether the sources of the turn before answer a follow-up, so that nothing is searched again."""

from datetime import datetime, timedelta

from pellucid_gateway.asked_for import asked_for, carries
from pellucid_gateway.decision import Action, Decision, WebMode
from pellucid_gateway.findings import Source
from pellucid_gateway.key_facts import subject_terms
from pellucid_gateway.request import TurnRequest
from pellucid_gateway.terms import terms

# Later than this the web may know better.
_FRESH = timedelta(minutes=30)
# Share of the question's telling words that one source must have.
_COVERED = 0.8


def reused_sources(request: TurnRequest, decision: Decision, now: datetime) -> tuple[Source, ...]:
    """The sources of the turn before when they answer this message; else none.

    Only for a message that needs its conversation to be understood, and never where the person
    asked for a search or for what changes by the hour.
    """
    earlier = request.earlier
    asked_to_search = request.web_mode is not WebMode.AUTO or request.force_search
    if earlier is None or asked_to_search or decision.real_time or decision.urls:
        return ()
    if decision.topicless or now - earlier.at > _FRESH:
        return ()
    if not (decision.requires_context or decision.action is Action.ANSWER):
        return ()
    question = decision.standalone_question
    return earlier.sources if any(_answers(s, question) for s in earlier.sources) else ()


def _answers(source: Source, question: str) -> bool:
    wanted = subject_terms(question)
    text = source.text or source.facts
    have = terms(f"{source.title} {text}")
    covered = bool(wanted) and len(wanted & have) >= _COVERED * len(wanted)
    kinds = asked_for(question)
    return covered and (not kinds or carries(text, kinds, question) > 0)
