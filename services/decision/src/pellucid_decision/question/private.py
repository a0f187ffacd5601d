"""What of a message nobody else is to read: personal data, and the names of somebody's family."""

import re

from pellucid_decision.question.morphology import Sort, morphemes_of
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_language.redaction.gate import GATE
from pellucid_language.scripts import HAN

# Stands where a value was; no text has it.
_CUT = "\0"
# An aside that says what the value is: "(customer no 1234 567)", ", dni 12345678Z,".
_CAPITALISED = re.compile(r"(?<!\w)[A-ZÀ-Þ][\w'’-]{2,}")
_LABELLED = re.compile(rf"[,;(]\s*(?:[^\W\d_]+[.:]?\s){{0,3}}{_CUT}\s*(?:\)|(?=[,;.]|\Z))")


def without_private(text: str, rules: LanguageRules) -> str:
    """Return a text without personal data, and without the relatives that it names.

    >>> from pellucid_decision.adapters.rules_folder import RulesFolder
    >>> without_private("my son Ned Example needs a visa", RulesFolder().book.of("en")).strip()
    'needs a visa'
    """
    for value in GATE.private([text]):
        text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])", _CUT, text)
    redacted = GATE.redact(_LABELLED.sub(" ", text).replace(_CUT, " ")).text
    relative = rules.phrase("relative")
    if not relative:
        return redacted
    redacted = _without_kin(redacted, rules)
    named = {name for match in relative.finditer(redacted) for name in _names_in(match, rules)}
    rest = relative.sub(" ", redacted)
    somebody = rules.mappings.get("asked_as", {}).get("somebody", " ")
    for name in named:  # who is named once is spoken of by the name alone, in small letters too
        rest = re.sub(rf"(?i)(?<!\w){re.escape(name)}(?:'s)?(?!\w)", somebody, rest)
    return rest


def _without_kin(text: str, rules: LanguageRules) -> str:
    """Drop the names that a dictionary knows behind a relative ("妻の祐子", "我爸刘建国")."""
    kin = "|".join(sorted(map(re.escape, rules.words("people")), key=len, reverse=True))
    joint = _OF.get(rules.code)
    if joint is None or not kin:
        return text
    for match in reversed(list(re.finditer(rf"(?:{kin}){joint}(?=[{HAN}])", text))):
        first = next(iter(morphemes_of(text[match.end() :], rules.code)), None)
        if first is not None and first.sort is Sort.PERSON:
            text = f"{text[: match.end()].removesuffix(joint)}{text[match.end() + first.end :]}"
    return text


# What stands between a relative and the name.
_OF = {"ja": "の", "zh": ""}


def _names_in(match: re.Match[str], rules: LanguageRules) -> list[str]:
    """Return the names in what tells of a relative, without the word for the relative."""
    words = _CAPITALISED.findall(match.group())
    kin = rules.words("people") | rules.words("stopwords")
    return [word for word in words if word.casefold() not in kin]
