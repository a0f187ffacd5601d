"""How a text asks: by its mark, by its opening, by the words in it that carry meaning."""

import re

from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_decision.text.lexicon import DENSE_LANGUAGES
from pellucid_language.scripts import HAN, HIRAGANA, JAMO

EDGE = re.compile(r"\A[\s,;:.!?¿¡。、，！？…-]+|[\s,;:.!¡。、，！…-]+\Z")
NEVER = re.compile(r"(?!)")
_OPENINGS = 6
# What stands for laughter or tears.
_LAUGHTER = re.compile(
    r"(?<!\w)(?:(?:ha){2,}h?|(?:he){2,}|(?:hi){2,}|(?:ja){2,}j?|(?:je){2,}|lo+l|lmao|rofl"
    r"|mdr+|ptdr+|xd+)(?!\w)"
    rf"|(?<=[{HIRAGANA}])(?:笑+|[wｗ]+)(?=[、。！!\s]|\Z)|[{JAMO}]{{2,}}|哈{{2,}}|呵{{2,}}|嘿{{2,}}|[啊哎唉呜嗯哦]{{2,}}|[(（][笑汗泣爆]+[)）]",
    re.IGNORECASE,
)
# "开不开", "有没有".
_YES_OR_NO = re.compile(rf"([{HAN}])[不没]\1")
_ASKS = re.compile(r"[?？]\s*\Z")


def without_laughter(text: str) -> str:
    """Put blanks where somebody laughs or cries.

    >>> without_laughter("haha ok, is it open")
    ' ok, is it open'
    """
    shorter = _LAUGHTER.sub("", text)
    return shorter if is_worded(shorter) else text


def without_opening(text: str, rules: LanguageRules) -> str:
    """Drop greetings, thanks and what introduces a question, as often as they follow each other.

    >>> from pellucid_decision.adapters.rules_folder import RulesFolder
    >>> without_opening("ok thanks. btw, when is it", RulesFolder().book.of("en"))
    'when is it'
    """
    opening = rules.phrase("opening") or NEVER
    rest = text.strip()
    for _ in range(_OPENINGS):
        match = opening.match(rest)
        shorter = EDGE.sub("", rest[match.end() :]) if match else rest
        if shorter == rest or not is_worded(shorter):
            break
        rest = shorter
    return rest


def is_question(text: str, rules: LanguageRules) -> bool:
    """Whether a text asks: by its mark, or by the word that it begins with."""
    ends = rules.phrase("asks_end")
    marker = rules.phrase("ask_marker")
    if _ASKS.search(text) or (ends and ends.search(text)) or (marker and marker.match(text)):
        return True
    return opens_question(without_opening(text, rules), rules)


def openers_of(rules: LanguageRules) -> tuple[str, ...]:
    """Return the words that open a question, longest first."""
    words = rules.words("question_words") | rules.words("auxiliaries")
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


def opens_question(text: str, rules: LanguageRules) -> bool:
    """Whether a text begins with a word that asks; without blanks, has one anywhere."""
    lower = EDGE.sub("", text).casefold()
    if rules.code in DENSE_LANGUAGES:
        asks = rules.code == "zh" and _YES_OR_NO.search(lower)
        return bool(asks) or any(word in lower for word in rules.words("question_words"))
    words = openers_of(rules)
    return any(
        lower.startswith(word) and not lower[len(word) : len(word) + 1].isalpha() for word in words
    )


def content_words(text: str, rules: LanguageRules) -> int:
    """Count the words that carry meaning, roughly."""
    if rules.code in {"ja", "zh"}:
        return len(EDGE.sub("", text)) // 2
    stop = rules.words("stopwords") | rules.words("polite")
    words = re.findall(r"[\w'+-]+", text.casefold())
    return sum(word not in stop for word in words)


def is_worded(text: str) -> bool:
    """Whether a text has a letter or a digit."""
    return any(letter.isalnum() for letter in text)
