"""The questions in a message: what is asked, without what stands around it, one text each.

Greetings, asides and reasons go; a contrast that the person rules out goes ("not the car"); several
questions in one message are told apart. A comparison is one question. What a question means within
the conversation is not decided here.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pellucid_decision.question.asking import (
    EDGE,
    NEVER,
    content_words,
    is_question,
    is_worded,
    opens_question,
    without_laughter,
    without_opening,
)
from pellucid_decision.question.splitting import parts_in
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_decision.text.lexicon import DENSE_LANGUAGES
from pellucid_language import sentences
from pellucid_language.scripts import EAST_ASIAN

MAX_QUESTIONS = 3
# A message up to this long is a question as it stands; a longer one tells a story around it.
SHORT_WORDS = 16
SHORT_DENSE_CHARACTERS = 36
# Characters of a question in a language without blanks at least.
MIN_ASKED = 6
# Words of a sentence that goes on asking at most.
FEW_WORDS = 5
_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:\.(?=\S)[^.!?。！？\n]*)*[.!?。！？\n]*")
_WONDERS = re.compile(r"(?:\?[?!]+|![?!]*\?[?!]*)\Z")
_CLAUSE = re.compile(rf"[,;:，、；：](?=\s|[{EAST_ASIAN}])|\s[-–—]\s|[(（)）]")
_QUOTATION = re.compile(r'"[^"\n]*"|「[^」\n]*」|«[^»\n]*»|„[^“"\n]*[“"]')
_SIDES = re.compile(
    r"\b(?:or|and|o|ou|oder|y|e|et|und|vs\.?|versus|than|que|als|with|con|avec|mit)\b|,",
    re.IGNORECASE,
)
_OR = re.compile(r"\b(?:or|o|u|ou|oder)\b", re.IGNORECASE)
# What a machine said is no story of the person's.
_FAULT = re.compile(
    r"\b(?:[A-Z]\w*(?:Error|Exception)|(?i:fatal|error|panic|fehler|erreur))(?: \w+)?\s*:\s*\S"
)
_CLOSING = tuple("」』》”»")
_ENDS = frozenset(".!?。！？")
_BLANKS = re.compile(" {2,}")
_BLOCK = re.compile(r"```+\w*|`")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a message asks.

    Attributes:
        questions: One text each, in the person's order, at most three; the first is the main one.
        before: What the person told around them; what "it" may stand for.
        behind: What of it stands behind the first one.
        compares: They are one comparison.
        near: What the first one's own sentence told before it, in Korean, Japanese and Chinese.
        previous: The sentence before it, there too.
    """

    questions: tuple[str, ...]
    before: str = ""
    compares: bool = False
    behind: str = ""
    near: str = ""
    previous: str = ""


def questions_of(text: str, rules: LanguageRules) -> Asked:
    """Return the questions of a folded message, at least one.

    Args:
        text: Folded message, without the addresses in it.
        rules: Rules of its language.
    """
    told = without_laughter(_BLOCK.sub(" ", text))
    faulty = bool(_FAULT.search(told))
    bare = told if faulty else _without_contrast(_ruled_out(told, rules), rules)
    plain = without_opening(bare, rules) or bare.strip() or text
    if faulty:
        return Asked((plain,))
    before, found = _asking(plain, rules)
    near = previous = ""
    if found and rules.code in DENSE_LANGUAGES:
        told, found[0] = _cut_story(found[0], rules)
        before = f"{before} {told}".strip()
        near, previous = _around(plain, found[0], rules)
    sentences = [_without_trailing(one, rules) for one in found]
    compares = _is_comparison(_joined(sentences), rules)
    if compares:
        return Asked((_sides_first(_joined(sentences), rules),), before, compares=True)
    parts = [part for sentence in sentences for part in parts_in(sentence, rules)]
    kept = tuple(dict.fromkeys(filter(None, map(_trimmed, parts))))[:MAX_QUESTIONS]
    behind = _behind(plain, kept, before)
    return Asked(kept or (plain,), before, behind=behind, near=near, previous=previous)


def _behind(text: str, questions: Sequence[str], before: str) -> str:
    """Return the sentences of a story that stand behind the first question."""
    place = text.find(questions[0]) if questions else -1
    rest = text[place + len(questions[0]) :] if place >= 0 else ""
    return _joined(one for one in _sentences(rest) if one in before)


def _around(text: str, question: str, rules: LanguageRules) -> tuple[str, str]:
    """Return the clause before a question within its sentence, and the sentence before that."""
    told = text[: max(0, text.find(question))]
    sentences = _sentences(told)
    if not sentences:
        return "", ""
    last = sentences[-1]
    if last[-1:] in _ENDS:
        return "", last
    ends = rules.phrase("story_ends") or NEVER
    places = [0, *(match.end() for pattern in (_CLAUSE, ends) for match in pattern.finditer(last))]
    starts = [place for place in places if is_worded(last[place:])]
    return last[max(starts) :], "".join(sentences[-2:-1])


def _ruled_out(text: str, rules: LanguageRules) -> str:
    """Write "that doesn't use yeast" as "without yeast", as searchers do."""
    clause = rules.phrase("excluding")
    short = rules.mappings.get("asked_as", {}).get("without", "")
    return _BLANKS.sub(" ", clause.sub(f"{short} ", text)) if clause and short else text


def _without_contrast(text: str, rules: LanguageRules) -> str:
    """Drop what the person says that they do not mean ("not the car")."""
    contrast = rules.phrase("contrast") or NEVER
    quoted = [match.span() for match in _QUOTATION.finditer(text)]

    def unquoted(match: re.Match[str]) -> str:
        inside = any(start < match.end() and match.start() < end for start, end in quoted)
        return match.group() if inside else " "

    shorter = contrast.sub(unquoted, text)
    return shorter if is_worded(shorter) else text


def _asking(text: str, rules: LanguageRules) -> tuple[str, list[str]]:
    """Return what was told before, and the sentences that ask."""
    if not _is_long(text, rules) and "\n" not in text.strip():
        sentences = _sentences(text)
        asking = _asking_in(sentences, rules)
        told = [one for one in sentences if one not in asking]
        if not asking or not _plainly_told(told, rules):
            return "", [text] if len(asking) < 2 else sentences  # noqa: PLR2004 - several ask
        return _joined(told), asking
    return _from_story(text, rules)


def _cut_story(sentence: str, rules: LanguageRules) -> tuple[str, str]:
    """Part what a sentence tells from what it asks, where no full stop does ("...안 좋은데")."""
    ends, teller = rules.phrase("story_ends"), rules.phrase("story_teller")
    places = [match.end() for match in ends.finditer(sentence)] if ends else []
    if teller:
        commas = (match.end() for match in _CLAUSE.finditer(sentence))
        places = [place for place in commas if teller.search(sentence[:place])]
    asks = rules.words("question_words")
    told = [
        place
        for place in places
        if not any(word in sentence[:place] for word in asks)
        and len(sentence) - place > MIN_ASKED
        and not _QUOTATION.search(sentence[:place])
    ]
    return (sentence[: told[-1]], sentence[told[-1] :]) if told else ("", sentence)


def _plainly_told(told: Sequence[str], rules: LanguageRules) -> bool:
    """Whether sentences around a question are about the person, not part of what is asked."""
    return bool(told) and all(len(one.split()) > 2 or rules.code in DENSE_LANGUAGES for one in told)  # noqa: PLR2004 - "The Shining:" belongs to the question


def _from_story(text: str, rules: LanguageRules) -> tuple[str, list[str]]:
    marker = rules.phrase("ask_marker") or NEVER
    begins = {match.end(): match.start() for match in marker.finditer(text)}
    for place in reversed(begins):
        rest = EDGE.sub("", text[place:])
        if content_words(rest, rules) >= 2:  # noqa: PLR2004 - less is no question
            return text[: begins[place]], _leading_questions(rest, rules)
    sentences = _sentences(text)
    asking = _plainly_asking(_asking_in(sentences, rules), rules)
    if not asking:
        return "", [text]
    clauses = [_last_clauses(one, rules) for one in asking[-MAX_QUESTIONS:]]
    begin = text.find(clauses[0])
    behind = _sentences(text[begin:])
    told = (one for one in behind if not any(one in other for other in asking))
    return _joined([text[:begin], *told]), clauses


def _asking_in(sentences: Sequence[str], rules: LanguageRules) -> list[str]:
    """Return the sentences that ask, and those that go on asking ("And the refund fee.")."""
    goes_on = rules.phrase("asks_on") or NEVER
    found: list[str] = []
    for one in sentences:
        on = found and goes_on.search(one.strip()) and 0 < content_words(one, rules) <= FEW_WORDS
        if on or is_question(one, rules):
            found.append(one)
    return found


def _plainly_asking(asking: Sequence[str], rules: LanguageRules) -> list[str]:
    """The sentences that ask, without those that only wonder ("it was never paid back??")."""
    plain = [
        one
        for one in asking
        if not _WONDERS.search(one.rstrip())
        or opens_question(without_opening(_last_clauses(one, rules), rules), rules)
    ]
    return plain or list(asking)


def _leading_questions(text: str, rules: LanguageRules) -> list[str]:
    """Return the first sentence, and those behind it that ask."""
    first, *others = _sentences(text) or [text]
    return [first, *(one for one in others if is_question(one, rules))]


def _last_clauses(sentence: str, rules: LanguageRules) -> str:
    """Return the clauses of a long sentence from the first that opens a question."""
    if not _is_long(sentence, rules):
        return sentence
    bare = _QUOTATION.sub(lambda match: "x" * len(match.group()), sentence)
    starts = [0, *(match.end() for match in _CLAUSE.finditer(bare))]
    ends = [*starts[1:], len(sentence)]
    asking = [
        place
        for place, end in zip(starts, ends, strict=True)
        if opens_question(without_opening(sentence[place:end], rules), rules)
    ]
    if asking:
        first = starts.index(asking[0])
        sides = first > 0 and _OR.search(bare[starts[first - 1] : ends[first - 1]])
        return sentence[starts[first - 1] if sides else asking[0] :]  # "X or Y, which ..."
    if rules.code in DENSE_LANGUAGES and len(starts) > 1:
        return sentence[starts[-1] :]
    return sentence


def _without_trailing(text: str, rules: LanguageRules) -> str:
    """Drop the reasons behind a question ("because my boiler gave up")."""
    trailing = rules.phrase("trailing") or NEVER
    for match in trailing.finditer(text):
        asks = text[: match.start()]
        if rules.code in DENSE_LANGUAGES and not opens_question(asks, rules):
            continue
        if match.end() >= len(text.rstrip(" .!?")) and content_words(asks, rules):
            return asks
    return text


def _is_comparison(text: str, rules: LanguageRules) -> bool:
    pattern, bare = rules.phrase("comparison"), _QUOTATION.sub(" ", text)
    sides = rules.code in DENSE_LANGUAGES or _SIDES.search(bare)
    return bool(pattern and pattern.search(bare) and sides)


def _sides_first(text: str, rules: LanguageRules) -> str:
    """Put the sides of "which is cheaper, a heat pump or a gas boiler" before what is asked."""
    head, comma, tail = text.partition(", ")
    asks = comma and opens_question(head, rules) and "," not in tail
    return f"{_trimmed(tail)} {_trimmed(head)}" if asks and _OR.search(tail) else text


def _is_long(text: str, rules: LanguageRules) -> bool:
    if rules.code in DENSE_LANGUAGES:
        return len(text) > SHORT_DENSE_CHARACTERS
    return len(text.split()) > SHORT_WORDS


def _sentences(text: str) -> list[str]:
    found: list[str] = []
    for match in _SENTENCE.finditer(text):
        if found and match.group()[:1] in _CLOSING:  # a full stop within a title
            found[-1] += match.group().strip()
        elif found and _is_one(joined := f"{found[-1]} {match.group().strip()}", found[-1]):
            found[-1] = joined
        else:
            found.append(match.group().strip())
    return [one for one in found if is_worded(one)]


def _is_one(joined: str, first: str) -> bool:
    """Whether a full stop ended no sentence: "am 24. Dezember", "Dr. Quill"."""
    shortened = _SHORTENED.search(first)
    return bool(shortened) and len(sentences.split(joined)[0]) > len(first)


# A number or a short form with a capital; behind other words people go on in small letters.
_SHORTENED = re.compile(r"\b(?:\d{1,3}|[A-ZÄÖÜ]\w{0,3}|\w(?:\.\w)+)\.\Z")


def _joined(texts: Iterable[str]) -> str:
    return " ".join(texts)


def _trimmed(text: str) -> str:
    bare = EDGE.sub("", text)
    return bare if is_worded(bare) else ""
