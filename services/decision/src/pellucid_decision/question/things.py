"""The thing that an answer names, where the question asked which: "it" is that one from then on.

"What is the fastest zip line in the UK?" asks for a thing, "what is the population of Iceland?" for
something about one; behind the first, "it" is what the answer names.
"""

import re

from pellucid_decision.question.chunk import Chunk
from pellucid_decision.question.chunks import chunks_of
from pellucid_decision.question.terms import Kind
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_decision.text.lexicon import DENSE_LANGUAGES
from pellucid_language.calendar import month_numbers

_SENTENCE_END = re.compile(r"[.!?](?=\s|\Z)|[。！？]")
# Behind it stands who says so, not what is named.
_SOURCE = re.compile(r"\b(?:according to|laut|selon|d'après|según)\b", re.IGNORECASE)
# "La buganvilla es una de las": a thing without capitals, named at the beginning of the answer.
_OPENS = re.compile(
    r"(?:the|an?|la|el|los|las|le|les|l'|der|die|das)[ ]?(?P<noun>(?-i:[a-zà-ÿ])[\w-]{3,})"
    r" (?:es|is|est|ist|are|son|sont|sind) (?:(?:one|una?|l'un|une|eine[rs]?) (?:of|de|des|der)\b)",
    re.IGNORECASE,
)
_QUOTED_NAME = re.compile(r"[「『《“\"]([^」』》”\"]{2,40})[」』》”\"]")


def thing_named(question: str, answer: str, rules: LanguageRules) -> Chunk | None:
    """Return the name that answers a question which asked for a thing, None where none does.

    Args:
        question: What the person asked.
        answer: The beginning of the reply to it.
        rules: Rules of their language.
    """
    seeks = rules.phrase("thing_asked")
    if not question or seeks is None or not seeks.search(question):
        return None
    asked = question.casefold()
    end = _SENTENCE_END.search(answer)
    said = answer[: end.start()] if end else answer
    if rules.code in DENSE_LANGUAGES:
        quoted = _QUOTED_NAME.search(said)
        return Chunk(quoted.group(1), Kind.ENTITY) if quoted else None
    if opens := _OPENS.match(said):
        noun = opens.group("noun")
        if noun.casefold() not in asked:
            return Chunk(noun, Kind.ENTITY)
    sources = {match.end() for match in _SOURCE.finditer(said)}
    for chunk in chunks_of(_SOURCE.sub(lambda match: " " * len(match.group()), said), rules):
        if chunk.key in month_numbers() or any(0 <= chunk.start - end <= 1 for end in sources):
            continue
        whole = " " in chunk.text and chunk.text[:1].isupper()
        named = chunk.kind is Kind.ENTITY if rules.code != "de" else whole
        if named and any(word not in asked for word in chunk.key.split()):
            return chunk
    return None
