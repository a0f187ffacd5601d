"""Korean questions cut into chunks: the nouns of each word, its particles and endings gone."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from pellucid_decision.question.chunk import Chunk, Role
from pellucid_decision.question.morphology import NOMINAL, Morpheme, Sort, morphemes_of, names
from pellucid_decision.question.spelling import corrected
from pellucid_decision.question.terms import Kind, terms_of
from pellucid_decision.question.tokens import TOKEN
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_decision.text.gloss import glossary_of
from pellucid_language.scripts import HANGUL

# Letters of the particle behind an attribute at most.
_MOST_PARTICLE = 2
# Letters of a word of no meaning with its particle at most ("쪽에").
_SHORT = 3
_PLEASE = "좀"


def korean(text: str, rules: LanguageRules) -> Iterator[Chunk]:
    """Yield the chunks of a Korean question, names with the numbers behind them as one."""
    found = morphemes_of(text, "ko")
    run: list[Chunk] = []
    for match in TOKEN.finditer(text):
        raw = match.group()
        parts = tuple(one for one in found if match.start() <= one.start < match.end())
        alone = morphemes_of(raw, "ko") if len(parts) > 1 else ()
        if _is_nominal(alone):
            parts = alone  # "여의도" and "자동이체", which look like particles and verbs in part
        written, role = _word(raw, parts, rules)
        before_can = _ADNOMINAL.match(written) and _CAN.match(text, match.end())
        if before_can or _is_small(raw, written, rules):
            yield from _flushed(run)
            continue
        written = corrected(written, "ko")
        kind = _kind(raw, written, parts, rules)
        tight = not run or text[run[-1].start + len(run[-1].text) : match.start()] == " "
        numbered = kind is Kind.NUMBER or (kind is Kind.IDENTIFIER and written.isascii())
        joins = bool(run) and tight and numbered
        if not joins:
            yield from _flushed(run)
        run.append(Chunk(written, kind, role, start=match.start()))
        if joins and written != raw:
            yield from _flushed(run)
    yield from _flushed(run)


def _is_nominal(parts: Sequence[Morpheme]) -> bool:
    """Whether a word is one noun, or several of two letters and more."""
    nouns = bool(parts) and all(one.sort in NOMINAL - {Sort.NUMBER} for one in parts)
    return nouns and (len(parts) == 1 or all(len(one.text) > 1 for one in parts))


def _is_small(raw: str, written: str, rules: LanguageRules) -> bool:
    polite = rules.words("polite")
    stops = written in rules.words("stopwords") and written not in rules.words("attributes")
    return not written or stops or written in polite or raw.casefold() in polite


def _kind(raw: str, written: str, parts: Sequence[Morpheme], rules: LanguageRules) -> Kind:
    term = terms_of(raw, rules)
    kind = term[0].kind if term else Kind.WORD
    named = any(map(names, parts)) or _NUMBERED.search(written)
    return Kind.ENTITY if kind is Kind.WORD and named else kind


def _word(raw: str, parts: Sequence[Morpheme], rules: LanguageRules) -> tuple[str, Role]:
    """Return what of a word stands in a query, empty for nothing, and what it does there."""
    if attribute := _attribute_of(raw, rules):
        return attribute, Role.CONTENT
    raw = raw.removesuffix(_PLEASE) or raw
    bare = _without_particle(raw, rules)
    if not parts or not raw[0].isalnum() or raw.isascii():
        return bare, Role.CONTENT
    if _is_light(parts, rules) or _points(raw, parts):
        return "", Role.WEAK
    head = _nominal_head(parts)
    if len(head) > 1:
        return head, Role.CONTENT
    cased = any(one.sort is Sort.PARTICLE for one in parts)
    if parts[0].sort in {Sort.VERB, Sort.ADJECTIVE} and not cased:
        return _said(raw, rules), Role.WEAK
    adverb = parts[0].sort is Sort.ADVERB and not any(one.sort in NOMINAL for one in parts)
    return bare, Role.WEAK if adverb else Role.CONTENT


def _is_light(parts: Sequence[Morpheme], rules: LanguageRules) -> bool:
    """Whether a word is a verb that says little ("알려줘", "급해요")."""
    made = len(parts) > 1 and parts[1].sort is Sort.VERBAL
    stem = f"{parts[0].text}하" if made else parts[0].lemma
    verb = made or parts[0].sort in {Sort.VERB, Sort.ADJECTIVE}
    return verb and f"{stem}다" in rules.words("light_verbs")


def _points(raw: str, parts: Sequence[Morpheme]) -> bool:
    bound = parts[0].sort is Sort.BOUND and len(raw) <= _SHORT
    return bound or parts[0].sort is Sort.PRONOUN


def _said(raw: str, rules: LanguageRules) -> str:
    """Return a verb without its ending; empty in the past, which tells and does not ask."""
    ended = rules.phrase("endings")
    said = ended.sub("", raw) if ended else raw
    if said and _is_past(said):
        return ""
    return said if len(said) > 1 else raw


def _is_past(word: str) -> bool:
    """Whether a word ends in the past tense ("생겼"): its last syllable in a double s."""
    return (ord(word[-1]) - _FIRST_SYLLABLE) % _SYLLABLES_OF_VOWEL == _DOUBLE_S


# How Unicode lays out Hangul: 28 syllables to a vowel, the twenty-first of them in double s.
_FIRST_SYLLABLE, _SYLLABLES_OF_VOWEL, _DOUBLE_S = 0xAC00, 28, 20


def _without_particle(raw: str, rules: LanguageRules) -> str:
    term = terms_of(raw, rules)
    word = term[0].text if term else ""
    known = glossary_of("ko").whole
    if _AMBIGUOUS.search(raw) and raw in known and word not in known:
        return raw
    return word


def _nominal_head(parts: Sequence[Morpheme]) -> str:
    """Return the nouns that a Korean word begins with ("재발급" of "재발급한다는데")."""
    head = list(takewhile(lambda one: one.sort in _HEAD, parts))
    later = [n for n, one in enumerate(parts) if one.sort in NOMINAL and len(one.text) > 1]
    if head and later and later[-1] > len(head):  # a particle within it is none
        head = list(parts[: later[-1] + 1])
    behind = parts[len(head)] if len(head) < len(parts) else None
    ends = behind is None or behind.sort in _TAIL or behind.lemma in _DOES
    named = head and head[0].sort is not Sort.BOUND and ends
    return "".join(one.text for one in head) if named else ""


_HEAD = NOMINAL | {Sort.PREFIX, Sort.BOUND}
_TAIL = frozenset({Sort.PARTICLE, Sort.ENDING, Sort.VERBAL})
# Verbs that a noun makes ("예약하다", "취소되다").
_DOES = frozenset({"하", "되", "당하", "시키", "받"})


# A name with its number ("버즈3").
_NUMBERED = re.compile(rf"[{HANGUL}]\d+\Z")
# Particles that end many a noun as well ("제주도", "고양이").
_AMBIGUOUS = re.compile("[도가이나로]\\Z")
# A verb's lone syllable before "can" ("탈 수 있나요").
_ADNOMINAL = re.compile(rf"[{HANGUL}]\Z")
_CAN = re.compile(r"\s수(?:가|는|도)?\s")


def _attribute_of(word: str, rules: LanguageRules) -> str:
    """Return the attribute that a word with a particle is ("수도가"), empty when it is none."""
    known = rules.words("attributes")
    particles = rules.words("particles")
    ends = range(len(word), max(1, len(word) - _MOST_PARTICLE - 1), -1)
    found = (word[:end] for end in ends if word[:end] in known)
    return next((one for one in found if one == word or word[len(one) :] in particles), "")


def _flushed(run: list[Chunk]) -> Iterator[Chunk]:
    if run:
        kind = Kind.ENTITY if len(run) > 1 else run[0].kind
        yield Chunk(" ".join(one.text for one in run), kind, run[0].role, start=run[0].start)
    run.clear()
