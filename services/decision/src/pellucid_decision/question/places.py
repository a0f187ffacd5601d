"""Where the person says they are, live, or are about to go."""

import re

from pellucid_decision.question.asking import is_question
from pellucid_decision.question.rarity import NAME_COUNT, commonness
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_decision.text.lexicon import DENSE_LANGUAGES, meanings_of
from pellucid_language.calendar import month_numbers

_WORD = re.compile(r"[A-ZÀ-Þ]?[\w'-]+(?:[ -][A-ZÀ-Þ][\w'-]+){0,2}")
_END = re.compile(
    r"[,.;!?]|\s(?:for|until|till?|and|with|to|last|this|right|at|on|für|bis|und|zu|mit|por|para|hasta|y|con|pour|et|avec|jusqu)\b"
)
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")


def place_in(text: str, rules: LanguageRules) -> str:
    """Return where the person says they are, empty when they do not say."""
    pattern = rules.phrase("place_said")
    if pattern is None:
        return ""
    nearby = rules.phrase("nearby")
    found = (_named(text, match, rules) for match in pattern.finditer(text))
    named = [place for place in found if place and not (nearby and nearby.fullmatch(place))]
    if rules.code in DENSE_LANGUAGES:
        named = [place for place in named if _is_place(place, rules)]
    return named[-1] if named else ""


def place_told(text: str, rules: LanguageRules) -> str:
    """Return where an earlier turn of the person plays, by what they tell and do not ask.

    It is the last name behind a word such as "in"; in a language without capitals, one that is no
    everyday word.
    """
    said, pattern = place_in(text, rules), rules.phrase("place_told")
    if said or pattern is None:
        return said
    told = [one for one in _SENTENCE.findall(text) if not is_question(one.strip(), rules)]
    found = (_named(one, match, rules) for one in told for match in pattern.finditer(one))
    places = [place for place in found if place and _is_place(place, rules)]
    return places[-1] if places else ""


def _is_place(name: str, rules: LanguageRules) -> bool:
    capital = name[:1].isupper() and rules.code != "de"
    dated = name.casefold() in month_numbers()
    known = "place" in meanings_of(name.casefold(), rules.code)
    rare = known or commonness(name, rules.code) <= NAME_COUNT
    return not dated and (capital or rare)


def _named(text: str, match: re.Match[str], rules: LanguageRules) -> str:
    if match.lastindex:
        return match.group(match.lastindex)
    rest = text[match.end() :].strip()
    end = _END.search(rest)
    named = rest[: end.start()] if end else rest
    found = _WORD.match(named)
    words = found.group().split() if found else []
    if words and words[0].islower() and text != text.lower():
        return ""  # "have to transfer", where names have capitals
    small = rules.words("stopwords") | rules.words("articles")
    return " ".join(words) if words and words[0].casefold() not in small else ""
