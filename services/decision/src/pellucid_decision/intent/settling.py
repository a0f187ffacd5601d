"""What switches, orders and addresses settle, before any model is asked.

The interplay of web mode, addresses, orders and forced search is settled here and nowhere else.
"""

from pellucid_decision.decision import Stage, Verdict
from pellucid_decision.intent.case import Case
from pellucid_decision.text.conversation import WebMode

_NEVER_SEARCH = ("task_prompt", "tool_result", "dont_search")
_ALSO_SEARCH = ("explicit_lookup", "ask_sources")
# The person said so.
_ORDER_CONFIDENCE = 1.0
_URL_CONFIDENCE = 0.97
_RULE_CONFIDENCE = 0.97


def settle(case: Case) -> Verdict | None:
    """Return the verdict of the form, None when it leaves the message open."""
    return _by_mode(case) or _by_order_not_to(case) or _by_address(case) or _by_order_to(case)


def _by_mode(case: Case) -> Verdict | None:
    ask = case.ask
    if ask.web_mode is WebMode.OFF:
        return _mode("web_off", "Web access is switched off for this message.", search=False)
    if ask.web_mode is WebMode.ON:
        return _mode("web_on", "Web search is switched on for this message.", search=True)
    if ask.force_search:
        return _mode("forced", "Search results were requested.", search=True)
    return None


def topicless() -> Verdict:
    """Return the verdict on a forced search for a message without a topic."""
    reason = "There is no topic to search for, so this is answered as chat."
    return _mode("topicless", reason, search=False)


def _mode(code: str, reason: str, *, search: bool) -> Verdict:
    return Verdict(search, Stage.MODE, _ORDER_CONFIDENCE, code, reason)


def _by_order_not_to(case: Case) -> Verdict | None:
    """Tasks of frontends and "don't search"; a page that the person names is opened still."""
    code = next((name for name in _NEVER_SEARCH if case.reading.has(name)), "")
    if not code or (code == "dont_search" and case.names_page):
        return None
    return _rule(case, code, search=False)


def _by_address(case: Case) -> Verdict | None:
    if not case.names_page:
        return None
    also = case.reading.has(*_ALSO_SEARCH) and not case.reading.has("dont_search")
    if also:
        reason = "The message names a page and also asks to search or compare."
        return Verdict(True, Stage.URL, _URL_CONFIDENCE, "url_and_search", reason)  # noqa: FBT003 - first field
    return page_verdict()


def page_verdict() -> Verdict:
    """Return the verdict on a message whose page is read instead of searching."""
    reason = "The message names a page, which is read instead of searching."
    return Verdict(False, Stage.URL, _URL_CONFIDENCE, "url", reason)  # noqa: FBT003 - first field


def _by_order_to(case: Case) -> Verdict | None:
    if case.reading.ordered:
        reason = "The message is a search query."
        return Verdict(True, Stage.RULE, _RULE_CONFIDENCE, "literal_query", reason)  # noqa: FBT003 - first field
    code = next((name for name in _ALSO_SEARCH if case.reading.has(name)), "")
    return _rule(case, code, search=True) if code and not case.about_answer else None


def _rule(case: Case, code: str, *, search: bool) -> Verdict:
    reason = case.book.signals[code].reason
    return Verdict(search, Stage.RULE, _RULE_CONFIDENCE, code, reason)
