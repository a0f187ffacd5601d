"""The questions in a message: what is asked, without what stands around it, one text each.

Greetings, asides and reasons go; a contrast that the person rules out goes ("not the car"); several
questions in one message are told apart. A comparison is one question. What a question means within
the conversation is not decided here.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_language.scripts import EAST_ASIAN

MAX_QUESTIONS = 3
# A message up to this long is a question as it stands; a longer one tells a story around it.
SHORT_WORDS = 16
SHORT_DENSE_CHARACTERS = 36
_OPENINGS = 6
_DENSE = frozenset({"ko", "ja", "zh"})
_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:\.(?=\S)[^.!?。！？\n]*)*[.!?。！？\n]*")
_ASKS = re.compile(r"[?？]\s*\Z")
_EDGE = re.compile(r"\A[\s,;:.!?¿¡。、，！？…-]+|[\s,;:.!¡。、，！…-]+\Z")
_CLAUSE = re.compile(rf"[,;:，、；：](?=\s|[{EAST_ASIAN}])|\s[-–—]\s|[(（)）]")
_QUOTATION = re.compile(r'"[^"\n]*"|「[^」\n]*」|«[^»\n]*»|„[^“"\n]*[“"]')
_SIDES = re.compile(
    r"\b(?:or|and|o|ou|oder|y|e|et|und|vs\.?|versus|than|que|als|with|con|avec|mit)\b|,",
    re.IGNORECASE,
)
# What a machine said is no story of the person's.
_FAULT = re.compile(
    r"\b(?:[A-Z]\w*(?:Error|Exception)|(?i:fatal|error|panic|fehler|erreur))(?: \w+)?\s*:\s*\S"
)
_NEVER = re.compile(r"(?!)")
_BLOCK = re.compile(r"```+\w*|`")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a message asks.

    Attributes:
        questions: One text each, in the person's order, at most three; the first is the main one.
        before: What the person told around them; what "it" may stand for.
        compares: They are one comparison.
    """

    questions: tuple[str, ...]
    before: str = ""
    compares: bool = False


def questions_of(text: str, rules: LanguageRules) -> Asked:
    """Return the questions of a folded message, at least one.

    Args:
        text: Folded message, without the addresses in it.
        rules: Rules of its language.
    """
    told = _BLOCK.sub(" ", text)
    faulty = bool(_FAULT.search(told))
    bare = told if faulty else _without_contrast(told, rules)
    plain = without_opening(bare, rules) or bare.strip() or text
    if faulty:
        return Asked((plain,))
    before, found = _asking(plain, rules)
    sentences = [_without_trailing(one, rules) for one in found]
    compares = _is_comparison(_joined(sentences), rules)
    if compares:
        return Asked((_joined(sentences),), before, compares=True)
    parts = [part for sentence in sentences for part in _parts(sentence, rules)]
    kept = tuple(dict.fromkeys(filter(None, map(_trimmed, parts))))[:MAX_QUESTIONS]
    return Asked(kept or (plain,), before)


def without_opening(text: str, rules: LanguageRules) -> str:
    """Drop greetings, thanks and what introduces a question, as often as they follow each other.

    >>> from pellucid_decision.adapters.rules_folder import RulesFolder
    >>> without_opening("ok thanks. btw, when is it", RulesFolder().book.of("en"))
    'when is it'
    """
    opening = rules.phrase("opening") or _NEVER
    rest = text.strip()
    for _ in range(_OPENINGS):
        match = opening.match(rest)
        shorter = _EDGE.sub("", rest[match.end() :]) if match else rest
        if shorter == rest or not _worded(shorter):
            break
        rest = shorter
    return rest


def is_question(text: str, rules: LanguageRules) -> bool:
    """Whether a text asks: by its mark, or by the word that it begins with."""
    return bool(_ASKS.search(text)) or _opens_question(without_opening(text, rules), rules)


def _without_contrast(text: str, rules: LanguageRules) -> str:
    """Drop what the person says that they do not mean ("not the car")."""
    contrast = rules.phrase("contrast") or _NEVER
    shorter = contrast.sub(" ", text)
    return shorter if _worded(shorter) else text


def _asking(text: str, rules: LanguageRules) -> tuple[str, list[str]]:
    """Return what was told before, and the sentences that ask."""
    if not _is_long(text, rules) and "\n" not in text.strip():
        sentences = _sentences(text)
        asking = [one for one in sentences if is_question(one, rules)]
        told = [one for one in sentences if one not in asking]
        if not asking or not _plainly_told(told, rules):
            return "", [text] if len(asking) < 2 else sentences  # noqa: PLR2004 - several ask
        return _joined(told), asking
    return _from_story(text, rules)


def _plainly_told(told: Sequence[str], rules: LanguageRules) -> bool:
    """Whether sentences around a question are about the person, not part of what is asked."""
    return bool(told) and all(len(one.split()) > 2 or rules.code in _DENSE for one in told)  # noqa: PLR2004 - "The Shining:" belongs to the question


def _from_story(text: str, rules: LanguageRules) -> tuple[str, list[str]]:
    marker = rules.phrase("ask_marker") or _NEVER
    begins = {match.end(): match.start() for match in marker.finditer(text)}
    for place in reversed(begins):
        rest = _EDGE.sub("", text[place:])
        if _content_words(rest, rules) >= 2:  # noqa: PLR2004 - less is no question
            return text[: begins[place]], _leading_questions(rest, rules)
    sentences = _sentences(text)
    asking = [one for one in sentences if is_question(one, rules)]
    if not asking:
        return "", [text]
    clauses = [_last_clauses(one, rules) for one in asking[-MAX_QUESTIONS:]]
    begin = text.find(clauses[0])
    behind = _sentences(text[begin:])
    return _joined([text[:begin], *(one for one in behind if not is_question(one, rules))]), clauses


def _leading_questions(text: str, rules: LanguageRules) -> list[str]:
    """Return the first sentence, and those behind it that ask."""
    first, *others = _sentences(text) or [text]
    return [first, *(one for one in others if is_question(one, rules))]


def _last_clauses(sentence: str, rules: LanguageRules) -> str:
    """Return the clauses of a long sentence from the first that opens a question."""
    if not _is_long(sentence, rules):
        return sentence
    starts = [0, *(match.end() for match in _CLAUSE.finditer(sentence))]
    ends = [*starts[1:], len(sentence)]
    asking = [
        place
        for place, end in zip(starts, ends, strict=True)
        if _opens_question(without_opening(sentence[place:end], rules), rules)
    ]
    if asking:
        return sentence[asking[0] :]
    if rules.code in _DENSE and len(starts) > 1:
        return sentence[starts[-1] :]
    return sentence


def _without_trailing(text: str, rules: LanguageRules) -> str:
    """Drop the reasons behind a question ("because my boiler gave up")."""
    trailing = rules.phrase("trailing") or _NEVER
    for match in trailing.finditer(text):
        if match.end() >= len(text.rstrip(" .!?")) and _content_words(text[: match.start()], rules):
            return text[: match.start()]
    return text


def _parts(sentence: str, rules: LanguageRules) -> Iterator[str]:
    """Yield the questions that are joined in one sentence."""
    for piece in _split_at_questions(sentence, rules):
        for one in _split_at_attributes(piece, rules):
            yield without_opening(one, rules)


def _split_at_questions(text: str, rules: LanguageRules) -> list[str]:
    pieces = [text]
    breaks = _question_break(_openers(rules), rules.code)
    for match in reversed(list(breaks.finditer(text))):
        left, right = pieces[0][: match.start()], pieces[0][match.end() :]
        if _content_words(left, rules) and (_content_words(right, rules) or _priced(right, rules)):
            pieces[:1] = [left, right]
    return _with_fragment(pieces, rules)


def _priced(text: str, rules: LanguageRules) -> bool:
    """Whether a text asks what something costs in small words alone ("how much are they")."""
    price = rules.phrase("price_asked")
    return bool(price and price.search(text))


def _with_fragment(pieces: list[str], rules: LanguageRules) -> list[str]:
    """Join a thing that is only named ("Jaguar the animal, how ...") to what is asked of it."""
    first, *others = pieces
    asks = is_question(without_opening(first, rules), rules) or _asks_attribute(first, rules)
    if asks or not others:
        return pieces
    return [f"{first.rstrip(' ,;，、；')} {other}" for other in others]


def _asks_attribute(text: str, rules: LanguageRules) -> bool:
    if rules.code in _DENSE:
        return any(word in text for word in rules.words("attributes"))
    words = set(re.findall(r"[\w'-]+", text.casefold()))
    return bool(words & (rules.words("attributes") | rules.words("roles")))


def _split_at_attributes(text: str, rules: LanguageRules) -> list[str]:
    """Tell apart two attributes of one thing ("the price and the opening hours of ...")."""
    pair = _attribute_pair(rules.words("attributes"), rules.code)
    match = pair.search(text) if pair else None
    two = rules.phrase("pair")
    match = match or (two.search(text) if two else None)
    if match is None:
        return _split_list(text, rules)
    names = [name for name in match.groupdict().values() if name]
    head, tail = text[: match.start()], text[match.end() :]
    return [f"{head}{name}{tail}" for name in names]


def _split_list(text: str, rules: LanguageRules) -> list[str]:
    """Tell apart "the population of Lagos, the capital of Kazakhstan"."""
    opener = _attribute_opener(rules.words("attributes"), rules.code)
    if opener is None:
        return [text]
    cuts = [match.start() for match in opener.finditer(text) if match.start() > 0]
    if not cuts or not opener.search(f", {text[: cuts[0]]}"):
        return [text]
    ends = [*cuts, len(text)]
    return [text[: cuts[0]], *(text[a:b] for a, b in zip(cuts, ends[1:], strict=False))]


@lru_cache(maxsize=32)
def _question_break(openers: tuple[str, ...], code: str) -> re.Pattern[str]:
    """Where one question ends and the next begins: a joiner, and behind it a word that asks."""
    ahead = "|".join(re.escape(word) for word in openers) or "(?!)"
    if code in _DENSE:
        joiner = (
            r"[,，、;；]\s*(?:그리고 |또 |还有|以及|另外|それと|あと)?"
            r"|(?<=[?？。])\s*|\s(?:그리고|또) "
            r"|(?:(?<=어디고)|(?<=누구고)|(?<=언제고)|(?<=얼마고)|(?<=이고))\s"
        )
        return re.compile(rf"(?:{joiner})(?=[^,，、;；?？。]*?(?:{ahead}))")
    joiner = (
        r"\s*[,;]\s*(?:and|y|e|und|et|plus|also|or|o|ou|oder)?\s*"
        r"(?:also|auch|aussi|además|how about)?\s*[¿]?"
        r"|\s+(?:and|y|e|und|et|plus|also)\s+(?:also |then |auch |aussi |además )?[¿]?|(?<=[?!])\s*"
    )
    return re.compile(rf"(?:{joiner})(?=(?:{ahead})\b)", re.IGNORECASE)


@lru_cache(maxsize=16)
def _attribute_pair(attributes: frozenset[str], code: str) -> re.Pattern[str] | None:
    if not attributes:
        return None
    one = "|".join(re.escape(word) for word in sorted(attributes, key=len, reverse=True))
    if code in _DENSE:
        joiner = r"\s*(?:이랑|랑|하고|와|과|및|と|や|および|和|与|及|以及|跟|[,、，·])\s*"
        return re.compile(rf"(?P<a>{one})(?:{joiner}(?P<b>{one}))(?:{joiner}(?P<c>{one}))?")
    lead = r"(?:the |its |los |las |el |la |le |les |l'|der |die |das |den )?"
    joiner = rf"\s*(?:,\s*(?:and|y|und|et)?|\band|\by|\bund|\bet|&)\s*{lead}"
    body = rf"\b(?P<a>{one}){joiner}(?P<b>{one})(?:{joiner}(?P<c>{one}))?\b"
    return re.compile(body, re.IGNORECASE)


@lru_cache(maxsize=16)
def _attribute_opener(attributes: frozenset[str], code: str) -> re.Pattern[str] | None:
    """Where the next item of a list of attributes of several things begins."""
    if not attributes or code in _DENSE:
        return None
    one = "|".join(re.escape(word) for word in sorted(attributes, key=len, reverse=True))
    lead = r"(?:what(?:'s| is) )?(?:the |el |la |los |las |le |les |l'|der |die |das |den )?"
    of = r"(?:of|in|for|de|del|du|des|d'|von|in|der|des)"
    joiner = r",\s*(?:and |y |und |et )?|\s(?:and|y|und|et)\s"
    return re.compile(rf"(?:{joiner}){lead}(?:{one}) {of}\b", re.IGNORECASE)


def _openers(rules: LanguageRules) -> tuple[str, ...]:
    words = rules.words("question_words") | rules.words("auxiliaries")
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


def _opens_question(text: str, rules: LanguageRules) -> bool:
    lower = _EDGE.sub("", text).casefold()
    if rules.code in _DENSE:
        return any(word in lower for word in rules.words("question_words"))
    words = _openers(rules)
    return any(
        lower.startswith(word) and not lower[len(word) : len(word) + 1].isalpha() for word in words
    )


def _is_comparison(text: str, rules: LanguageRules) -> bool:
    pattern, bare = rules.phrase("comparison"), _QUOTATION.sub(" ", text)
    sides = rules.code in _DENSE or _SIDES.search(bare)
    return bool(pattern and pattern.search(bare) and sides)


def _is_long(text: str, rules: LanguageRules) -> bool:
    if rules.code in _DENSE:
        return len(text) > SHORT_DENSE_CHARACTERS
    return len(text.split()) > SHORT_WORDS


def _content_words(text: str, rules: LanguageRules) -> int:
    """Count the words that carry meaning, roughly."""
    if rules.code in {"ja", "zh"}:
        return len(_EDGE.sub("", text)) // 2
    stop = rules.words("stopwords") | rules.words("polite")
    words = re.findall(r"[\w'+-]+", text.casefold())
    return sum(word not in stop for word in words)


def _sentences(text: str) -> list[str]:
    found = (match.group().strip() for match in _SENTENCE.finditer(text))
    return [one for one in found if _worded(one)]


def _joined(texts: Iterable[str]) -> str:
    return " ".join(texts)


def _trimmed(text: str) -> str:
    bare = _EDGE.sub("", text)
    return bare if _worded(bare) else ""


def _worded(text: str) -> bool:
    return any(letter.isalnum() for letter in text)
