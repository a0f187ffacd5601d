"""The whole name of what was asked about: what a question and its answer both write.

A person asks about "바람의 언덕" or "halle aux grains", the answer repeats it: whatever small words
are in it, both have the same run of them. Particles and what was asked are in one of them only.
"""

import re

from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_decision.text.gloss import glossary_of
from pellucid_decision.text.lexicon import DENSE_LANGUAGES
from pellucid_language.scripts import HIRAGANA

# Characters of question and answer that are compared.
QUESTION_CHARACTERS, ANSWER_CHARACTERS = 120, 200
# Characters of a name at least where no blanks divide words, and words of one where they do.
MIN_DENSE, MIN_WORDS = 3, 2
MAX_WORDS = 7
_WORD = re.compile(r"[^\W_][\w'’.&+-]*")
# Small words at the end of what both write in Chinese and Japanese.
_TAIL = re.compile(rf"(?:[的是在有和了吗到会能要]|[{HIRAGANA}]{{1,3}})\Z")
_HEAD = re.compile(rf"\A(?:[的是在有和了]|[{HIRAGANA}]{{1,2}}(?![{HIRAGANA}]))")


def shared_name(question: str, answer: str, rules: LanguageRules) -> str:
    """Return the longest name that question and answer have in common, as the answer writes it.

    Args:
        question: What the person wrote.
        answer: The reply to it.
        rules: Rules of their language.

    Returns:
        Empty for nothing, a single word, or words that are in any dictionary.
    """
    asked, told = question[:QUESTION_CHARACTERS], answer[:ANSWER_CHARACTERS]
    if rules.code in DENSE_LANGUAGES:
        return _dense(asked, told, rules)
    return _spaced(asked, told, rules)


def _spaced(asked: str, told: str, rules: LanguageRules) -> str:
    """Return the longest run of words that both have, from one with a capital to another."""
    low, best = f" {' '.join(_WORD.findall(asked.casefold()))} ", ""
    words = list(_WORD.finditer(told))
    firm = [_is_firm(match.group(), rules) for match in words]
    for start in range(len(words)):
        if not firm[start]:
            continue
        for end in range(min(len(words), start + MAX_WORDS), start + MIN_WORDS - 1, -1):
            run = " ".join(match.group().casefold() for match in words[start:end])
            written = told[words[start].start() : words[end - 1].end()]
            if firm[end - 1] and len(written) > len(best) and f" {run} " in low:
                best = written
                break
    return best if not re.search(r"[.,;:!?]\s", best) else ""


def _is_firm(word: str, rules: LanguageRules) -> bool:
    small = rules.words("stopwords") | rules.words("articles") | rules.words("polite")
    capital = word[:1].isupper() or any(map(str.isdigit, word))
    return capital and word.casefold() not in small


def _dense(asked: str, told: str, rules: LanguageRules) -> str:
    low, said = asked.casefold(), told.casefold()
    start, best, begun = 0, "", 0
    for end in range(1, len(low) + 1):
        while start < end and low[start:end] not in said:
            start += 1
        if end - start > len(best) and _opens_word(low, start, rules):
            best, begun = low[start:end], said.find(low[start:end])
    if len(best) < MIN_DENSE:
        return ""
    name = _bare(told[begun : begun + len(best)].strip(" ,.!?、。，！？「」『』《》"), rules)
    known = rules.code == "ko" and name in glossary_of("ko").whole
    return name if len(name) >= MIN_DENSE and not known else ""


def _opens_word(text: str, place: int, rules: LanguageRules) -> bool:
    around = text[max(0, place - 1) : place + 1]
    return rules.code != "ko" or place == 0 or not around.isalnum()


def _bare(name: str, rules: LanguageRules) -> str:
    """Drop the small words around a name, and a particle behind a word that is known without it."""
    if rules.code != "ko":
        return _HEAD.sub("", _TAIL.sub("", name))
    for particle in rules.words("particles"):
        stem = name.removesuffix(particle)
        if stem != name and stem.rsplit(" ", 1)[-1] in glossary_of("ko").whole:
            return stem
    return name
