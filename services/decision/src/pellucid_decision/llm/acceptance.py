"""Which queries of a language model are searched: judged by form, never by likeness to our own.

Length and redaction as for every query; operators and addresses only as the person wrote them; no
word that only a page has which the person named.
"""

import re

from pellucid_decision.text.normal import one_line
from pellucid_decision.understanding.context import Context
from pellucid_decision.understanding.limits import steers_as_told, valid_query
from pellucid_decision.understanding.queries import named_years
from pellucid_language.pii.gate import GATE, without

MAX_QUERIES = 3
QUESTION_CHARACTERS = 400
# What is a piece of a reply, not of a query.
_MARKUP = re.compile(r"[{}\[\]]")


def accepted_queries(listed: object, context: Context) -> tuple[str, ...]:
    """Return the lawful queries of a list, each once, at most three."""
    texts = [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []
    queries = (accepted_query(text, context) for text in texts)
    return tuple(dict.fromkeys(filter(None, queries)))[:MAX_QUERIES]


def accepted_query(text: str, context: Context) -> str:
    """Return a model's query as it may be searched, empty when it may not."""
    told = _without_foreign_years(context.without_page_words(text), context)
    query = valid_query(told, context.private)
    if _MARKUP.search(query) or not steers_as_told(query, context.own_text):
        return ""
    return query


def accepted_question(value: object, context: Context) -> str:
    """Return a model's standalone question without secrets, empty when it gave none."""
    if not isinstance(value, str):
        return ""
    text = one_line(without(value, context.private), QUESTION_CHARACTERS)
    return GATE.redact_always(text)


def _without_foreign_years(query: str, context: Context) -> str:
    """Return a query without years that neither the conversation nor the clock names."""
    said = " ".join((*context.texts, str(context.ask.now.year)))
    known = set(named_years(said))
    return " ".join(word for word in query.split() if set(named_years(word)) <= known)
