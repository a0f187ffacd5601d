"""Which language a text is in: by script first; in Latin letters by everyday words and by spelling.

Decides one ISO 639-1 code per text or "und"; does not tell dialects or mixtures apart.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

import yaml

from pellucid_language import spelling
from pellucid_language.scripts import HAN, HANGUL, KANA, THAI

UNDETERMINED = "und"
_SCRIPTS = (
    ("ko", re.compile(f"[{HANGUL}]")),
    ("ja", re.compile(f"[{KANA}]")),
    ("zh", re.compile(f"[{HAN}]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("th", re.compile(f"[{THAI}]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
)
_LATIN_WORD = re.compile(r"[a-zà-öø-ÿœß']+")
# Each holds a letter that is not ASCII, or an apostrophe.
_MARKS = (
    (
        "es",
        re.compile(
            r"[¿¡ñ]|\b(?:qué|más|están?|cómo|cuál(?:es)?|dónde|cuándo|cuánt[oa]s?|quién(?:es)?|aquí)\b"
        ),
    ),
    ("de", re.compile(r"[ßäöü]")),
    (
        "fr",
        re.compile(
            r"[œêèùûîôà]|ç(?!o\b)|\b(?!qué\b)\w+é(?:s|e|es)?\b|\b(?:l|d|qu|j|c|n|s)'[a-zéèêh]"
        ),
    ),
    ("pt", re.compile(r"[ãõ]|nç[ao]s?\b|ços?\b|\b(?:vocês?|é|às|onde fica|quanto custa)\b")),
)
MIN_SCRIPT_SHARE = 0.15
# By this many everyday words a language is clear, and the spelling is not looked at.
CLEAR_WORDS = 2.0
# What an everyday word counts beside the log odds of the spelling, and the language of the turns
# before; by how much the best must lead without an everyday word. Swept 0 to 1, 0 to 1.5.
WORD_ODDS = 0.5
FALLBACK_ODDS = 1.5
CLEAR_ODDS = 0.7
FEW_WORDS = 2
# Letters of none of the languages whose spelling is known.
_FOREIGN = re.compile(r"[^\W\d_a-zßàáâäçèéêëìíîïñòóôöùúûüœæ]")
_LETTER = re.compile(r"[^\W\d_]")
_HANGUL = re.compile(f"[{HANGUL}]")
LEAST_KOREAN = 0.4
"""Share of the letters; Korean texts have foreign names among them."""


@lru_cache(maxsize=1)
def _everyday() -> tuple[tuple[str, ...], Mapping[str, tuple[str, ...]]]:
    """Return all languages, and those of each everyday word."""
    text = resources.files("pellucid_language").joinpath("everyday.yaml").read_text("utf-8")
    lists = {code: frozenset(words.split()) for code, words in yaml.safe_load(text).items()}
    spoken: dict[str, tuple[str, ...]] = {}
    for code, words in lists.items():
        for word in words:
            spoken[word] = (*spoken.get(word, ()), code)
    return tuple(lists), spoken


def detect_language(text: str, fallback: str = UNDETERMINED) -> str:
    """Return the ISO 639-1 code of a text.

    Args:
        text: Any text.
        fallback: Answer for a text without any evidence, such as a single name.

    >>> detect_language("The word 정 is hard to translate"), detect_language("서울 날씨")
    ('en', 'ko')
    """
    sample = text[:2000].lower()  # folding would lose the German "ß"
    by_script = _by_script(sample)
    return by_script or _by_words(sample, fallback)


def is_mostly_korean(text: str) -> bool:
    """Tell whether a text reads as Korean; a name in brackets does not make it so.

    Args:
        text: A sentence or a passage, not a whole page: every character is looked at.

    >>> is_mostly_korean("The mayor (김민수) spoke"), is_mostly_korean("통행료 (Ondry) 인상")
    (False, True)
    """
    letters = len(_LETTER.findall(text))
    return len(_HANGUL.findall(text)) >= LEAST_KOREAN * max(1, letters)


def _by_script(sample: str) -> str:
    if sample.isascii():
        return ""
    letters = len(_LETTER.findall(sample))
    counts = {code: len(pattern.findall(sample)) for code, pattern in _SCRIPTS}
    kana = counts["ja"] and counts["ja"] + counts["zh"] >= letters * MIN_SCRIPT_SHARE
    if kana and counts["ko"] <= counts["ja"]:
        return "ja"
    best = max(counts, key=lambda code: counts[code])
    return best if counts[best] and counts[best] >= letters * MIN_SCRIPT_SHARE else ""


def _by_words(sample: str, fallback: str) -> str:
    scores = _word_scores(sample)
    best = max(scores, key=lambda code: (scores[code], code == "en"))
    clear = sum(score > scores[best] - CLEAR_WORDS for score in scores.values()) == 1
    if fallback in spelling.CODES and best not in spelling.CODES and scores[best] <= 1:
        best = fallback  # one everyday word is too little to leave the language of the turns before
    if not clear and best in spelling.CODES and not _FOREIGN.search(sample):
        likely = _by_spelling(sample, scores, fallback)
        if likely:
            return likely
    if scores[best] == 0:
        return fallback if fallback != UNDETERMINED or not sample.isascii() else "en"
    tied = [code for code, score in scores.items() if score == scores[best]]
    return fallback if fallback in tied else ("en" if "en" in tied else best)


def _by_spelling(sample: str, scores: Mapping[str, float], fallback: str) -> str:
    """Return the language by spelling and everyday words together; empty when they leave it open.

    A name may be spelt in any way: after turns in one language, a word or two that are not
    everyday ones do not change it.
    """
    worded = any(scores[code] for code in spelling.CODES)
    if fallback in scores and not worded and sample.count(" ") < FEW_WORDS:
        return ""
    odds = {
        code: lean + WORD_ODDS * scores[code] + FALLBACK_ODDS * (code == fallback)
        for code, lean in spelling.leanings(sample).items()
    }
    first, second = sorted(odds.values(), reverse=True)[:2] if odds else (0.0, 0.0)
    clear = first - second >= (0.0 if worded else CLEAR_ODDS)
    return max(odds, key=lambda code: odds[code]) if odds and clear else ""


def _word_scores(sample: str) -> dict[str, float]:
    words = _LATIN_WORD.findall(sample.replace("\u2019", "'"))
    codes, spoken = _everyday()
    scores = dict.fromkeys(codes, 0.0)
    for word in words:
        for code in spoken.get(word, ()):
            scores[code] += 1
    if sample.isascii() and "'" not in sample:
        return scores
    for code, pattern in _MARKS:
        scores[code] += 1.5 * bool(pattern.search(sample))
    return scores
