"""Korean, Japanese and Chinese questions cut into chunks, by the sort of their morphemes."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from pellucid_decision.question.chunk import Chunk, Role
from pellucid_decision.question.morphology import NAMES, NOMINAL, Morpheme, Sort, morphemes_of
from pellucid_decision.question.spelling import corrected
from pellucid_decision.question.terms import Kind, terms_of
from pellucid_decision.question.tokens import TOKEN
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_decision.text.gloss import glossary_of
from pellucid_language.scripts import HAN, HANGUL, HIRAGANA, KATAKANA

# Letters of the particle behind an attribute at most.
_MOST_PARTICLE = 2
# What says how or that something is, and goes first where there is no room.
_PREDICATES = frozenset({Sort.VERB, Sort.ADJECTIVE, Sort.ADVERB})


def _korean(text: str, rules: LanguageRules) -> Iterator[Chunk]:
    stop, polite = rules.words("stopwords"), rules.words("polite")
    found = morphemes_of(text, "ko")
    run: list[Chunk] = []
    for match in TOKEN.finditer(text):
        raw = match.group()
        parts = tuple(one for one in found if match.start() <= one.start < match.end())
        alone = morphemes_of(raw, "ko") if len(parts) > 1 else ()
        if len(alone) == 1 and alone[0].sort in NOMINAL:
            parts = alone  # "여의도", which ends like a particle
        written, role = _korean_word(raw, parts, rules)
        named = written in rules.words("attributes")
        small = written in polite or (written in stop and not named)
        before_can = _KO_ADNOMINAL.match(written) and _KO_CAN.match(text, match.end())
        if not written or raw.casefold() in polite or small or before_can:
            yield from _flushed(run)
            continue
        written = corrected(written, "ko")
        term = terms_of(raw, rules)
        kind = term[0].kind if term else Kind.WORD
        named = any(map(_names, parts)) or _KO_NUMBERED.search(written)
        kind = Kind.ENTITY if kind is Kind.WORD and named else kind
        tight = not run or text[run[-1].start + len(run[-1].text) : match.start()] == " "
        chunk = Chunk(written, kind, role, start=match.start())
        numbered = kind is Kind.NUMBER or (kind is Kind.IDENTIFIER and written.isascii())
        if run and tight and numbered:
            run.append(chunk)
            if written != raw:
                yield from _flushed(run)
            continue
        yield from _flushed(run)
        run.append(chunk)
    yield from _flushed(run)


def _korean_word(
    raw: str, parts: Sequence[Morpheme], rules: LanguageRules
) -> tuple[str, Role]:
    """Return what of a Korean word stands in a query, and what it does there."""
    if named := _attribute_of(raw, rules):
        return named, Role.CONTENT
    raw = raw.removesuffix("좀") if len(raw) > 2 else raw
    bare = _without_particle(raw, rules)
    if not parts or not raw[0].isalnum() or raw.isascii():
        return bare, Role.CONTENT
    head = _nominal_head(parts)
    does = f"{head}하다" if len(parts) > 1 and parts[1].sort is Sort.VERBAL else ""
    if does in rules.words("light_verbs"):
        return "", Role.WEAK
    if len(head) > 1:
        return head, Role.CONTENT
    if parts[0].sort is Sort.PRONOUN or (parts[0].sort is Sort.BOUND and len(raw) <= 3):
        return "", Role.WEAK
    cased = any(one.sort is Sort.PARTICLE for one in parts)
    if parts[0].sort in {Sort.VERB, Sort.ADJECTIVE} and not cased:
        if f"{parts[0].lemma}다" in rules.words("light_verbs"):
            return "", Role.WEAK
        ended = rules.phrase("endings")
        said = ended.sub("", raw) if ended else raw
        if said and _is_past(said):
            return "", Role.WEAK
        return (said if len(said) > 1 else raw), Role.WEAK
    adverb = parts[0].sort is Sort.ADVERB and not any(one.sort in NOMINAL for one in parts)
    return bare, Role.WEAK if adverb else Role.CONTENT


def _is_past(word: str) -> bool:
    """Whether a word ends in the past tense ("생겼"): its last syllable in a double s."""
    return (ord(word[-1]) - _FIRST_SYLLABLE) % _SYLLABLES_OF_VOWEL == _DOUBLE_S


# How Unicode lays out Hangul: 28 syllables to a vowel, the twenty-first of them in double s.
_FIRST_SYLLABLE, _SYLLABLES_OF_VOWEL, _DOUBLE_S = 0xAC00, 28, 20


def _without_particle(raw: str, rules: LanguageRules) -> str:
    term = terms_of(raw, rules)
    word = term[0].text if term else ""
    known = glossary_of("ko").whole
    if _KO_AMBIGUOUS.search(raw) and raw in known and word not in known:
        return raw
    return word


def _nominal_head(parts: Sequence[Morpheme]) -> str:
    """Return the nouns that a Korean word begins with ("재발급" of "재발급한다는데")."""
    head = list(takewhile(lambda one: one.sort in _KO_HEAD, parts))
    later = [n for n, one in enumerate(parts) if one.sort in NOMINAL and len(one.text) > 1]
    if head and later and later[-1] > len(head):  # a particle within it is none
        head = list(parts[: later[-1] + 1])
    behind = parts[len(head)] if len(head) < len(parts) else None
    ends = behind is None or behind.sort in _KO_TAIL or behind.lemma in _KO_DOES
    named = head and head[0].sort is not Sort.BOUND and ends
    return "".join(one.text for one in head) if named else ""


_KO_HEAD = NOMINAL | {Sort.PREFIX, Sort.BOUND}
_KO_TAIL = frozenset({Sort.PARTICLE, Sort.ENDING, Sort.VERBAL})
# Verbs that a noun makes ("예약하다", "취소되다").
_KO_DOES = frozenset({"하", "되", "당하", "시키", "받"})


# A name with its number ("버즈3").
_KO_NUMBERED = re.compile(rf"[{HANGUL}]\d+\Z")
# Particles that end many a noun as well ("제주도", "고양이").
_KO_AMBIGUOUS = re.compile("[도가이나로]\\Z")
# A verb's lone syllable before "can" ("탈 수 있나요").
_KO_ADNOMINAL = re.compile(rf"[{HANGUL}]\Z")
_KO_CAN = re.compile(r"\s수(?:가|는|도)?\s")


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


_LATIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+#%&/-]*(?: ?[0-9A-Z][A-Za-z0-9.:-]*)*")


# Names of several parts ("高齢・障害・求職者雇用支援機構").
_JA_DOTTED = re.compile(rf"[{HAN}{KATAKANA}]+(?:[・＝][{HAN}{KATAKANA}]+)+")


def _with_latin(text: str, language: str) -> list[Morpheme]:
    """Return morphemes, names and numbers in Latin letters whole ("NA-LX129D", "iPhone 17")."""
    whole = [
        Morpheme(match.group(), match.start(), Sort.LATIN, match.group())
        for pattern in (_LATIN, _JA_DOTTED)
        for match in pattern.finditer(text)
    ]
    within = {place for one in whole for place in range(one.start, one.end)}
    others = (one for one in morphemes_of(text, language) if one.start not in within)
    return sorted([*whole, *others], key=lambda one: one.start)


def _japanese(text: str, rules: LanguageRules) -> Iterator[Chunk]:
    functions = rules.phrase("functions")
    run: list[Morpheme] = []
    rest = text
    for start, name in _kana_names(text, rules):
        rest = _blanked(rest, start, start + len(name))
        yield Chunk(name, Kind.ENTITY, start=start)
    found = _with_latin(rest, "ja")
    for place, one in enumerate(found):
        behind = found[place + 1] if place + 1 < len(found) else None
        counts = one.text == "何" and behind is not None and behind.end - one.start == 2
        small = functions is not None and functions.fullmatch(one.text) and not counts
        small = small or one.lemma in rules.words("light_verbs")
        if run and run[-1].end != one.start:
            yield from _joined(run, rules)
        joins = one.sort in NOMINAL or one.sort is Sort.PREFIX
        joins = joins or _makes_noun(one, behind, run, rules)
        if joins and not small:
            run.append(one)
            continue
        yield from _joined(run, rules)
        denied = behind is not None and behind.lemma in _JA_DENIES and behind.start == one.end
        says = one.sort in {Sort.VERB, Sort.ADJECTIVE} or _HAN_CHARACTER.search(one.lemma)
        if denied or (says and one.sort in _PREDICATES | {Sort.VERBAL} and not small):
            yield from _predicate(one, behind if denied else None, rules)
    yield from _joined(run, rules)


def _names(one: Morpheme) -> bool:
    """Whether a morpheme names somebody or something."""
    if one.sort is Sort.LATIN:
        return not one.text.islower()
    return one.sort in NAMES and len(one.text) > 1


def _makes_noun(
    one: Morpheme, behind: Morpheme | None, run: Sequence[Morpheme], rules: LanguageRules
) -> bool:
    """Whether a verb or adjective is part of a noun ("乗り換え方法", "期限切れ", "高さ")."""
    close = behind is not None and behind.start == one.end
    noun = close and behind is not None and behind.sort in {Sort.NOUN, Sort.SUFFIX, Sort.LATIN}
    if one.sort is Sort.ADJECTIVE:
        return noun and not one.text.endswith("い")
    verb = one.sort is Sort.VERB or (one.sort is Sort.VERBAL and one.lemma != one.text)
    if not verb or not _HAN_CHARACTER.search(one.text) or one.text == one.lemma:
        return False
    held = bool(run) and run[-1].text not in rules.words("polite")
    return noun or (held and _JA_STEM.search(one.text) is not None)


_HAN_CHARACTER = re.compile(f"[{HAN}]")
# A verb's stem that ends a noun.
_JA_STEM = re.compile("[いきしちにひみりぎじびけせてねへめれげぜべえ]\\Z")


def _kana_names(text: str, rules: LanguageRules) -> Iterator[tuple[int, str]]:
    """Yield names that begin in hiragana, and where: what no everyday word begins like."""
    everyday = tuple(rules.words("kana_words"))
    for match in _JA_KANA_NAME.finditer(text):
        if not match.group().startswith(everyday):
            yield match.start(), match.group()


# A name in hiragana at the beginning of a phrase, with the Han characters behind it ("みずほ銀行"),
# or a word of its own between blanks.
_JA_KANA_NAME = re.compile(
    rf"(?<![^\s、。，！？!?「『（(・])(?:[{HIRAGANA}]{{3,7}}?"
    rf"(?:[{HAN}{KATAKANA}]+(?=[\s、はがをにでとものっ])|(?=[のはが][{HAN}{KATAKANA}A-Z]|って))"
    rf"|(?<=\s)[{HIRAGANA}]{{3,7}}(?=\s|\Z))"
)


def _joined(run: list[Morpheme], rules: LanguageRules) -> Iterator[Chunk]:
    text, start = "".join(one.text for one in run), run[0].start if run else 0
    named = any(map(_names, run))
    run.clear()
    if not text or text.casefold() in rules.words("stopwords") | rules.words("polite"):
        return
    yield Chunk(text, Kind.ENTITY if named else Kind.WORD, start=start)


def _predicate(one: Morpheme, denies: Morpheme | None, rules: LanguageRules) -> Iterator[Chunk]:
    """Yield a Japanese verb or adjective in its dictionary form, a denied one as it stands."""
    said = f"{one.text}{denies.text}" if denies else one.lemma
    kana = not _HAN_CHARACTER.search(said) and len(said) <= 2  # noqa: PLR2004 - "いう", "よる"
    taste = one.sort is Sort.ADJECTIVE and said.endswith("しい")  # what it describes follows
    if said not in rules.words("stopwords") and not kana and not taste:
        yield Chunk(said, role=Role.CONTENT if denies else Role.WEAK, start=one.start)


_JA_DENIES = frozenset({"ない", "ぬ"})


def _chinese(text: str, rules: LanguageRules) -> Iterator[Chunk]:
    tails = rules.phrase("question_tails")
    words, rest = _with_latin(text, "zh"), text
    found: list[Chunk] = []
    for match in tails.finditer(text) if tails else ():
        end = min((one.start for one in words if one.start < match.end() < one.end), default=None)
        said = text[match.start() : end or match.end()]
        found.append(Chunk(said, start=match.start()))
        rest = _blanked(rest, match.start(), match.start() + len(said))
    functions = rules.phrase("functions")
    rest = without_words(rest, functions, "zh")
    for one in words:
        if one.sort in _ZH_SMALL or one.text in rules.words("light_verbs"):
            rest = _blanked(rest, one.start, one.end)
    stop = rules.words("stopwords") | rules.words("polite")
    for match in _ZH_RUN.finditer(rest):
        word = match.group().strip(".")
        within = [one for one in words if match.start() <= one.start < match.end()]
        if word.casefold() not in stop:
            named = re.search(r"[A-Za-z0-9]", word) is not None
            weak = all(one.sort in _PREDICATES for one in within)
            kind, role = Kind.ENTITY if named else Kind.WORD, Role.WEAK if weak else Role.CONTENT
            found.append(Chunk(word, kind, role, start=match.start()))
    yield from sorted(found, key=lambda chunk: chunk.start)


_ZH_SMALL = frozenset({Sort.PRONOUN, Sort.PARTICLE})


def without_words(text: str, pattern: re.Pattern[str] | None, language: str) -> str:
    """Put blanks where a pattern finds small words that are no part of a longer one.

    >>> import re
    >>> without_words("空调功能", re.compile("能"), "zh")
    '空调功能'
    """
    if pattern is None:
        return text
    words = [one for one in morphemes_of(text, language) if len(one.text) > 1]
    for match in pattern.finditer(text):
        start, end = match.span()
        within = (one for one in words if one.start <= start and end <= one.end)
        if all(one.start == start and one.end == end for one in within):
            text = _blanked(text, start, end)
    return text


def _blanked(text: str, start: int, end: int) -> str:
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}"


_ZH_RUN = re.compile(
    rf"[{HAN}]*[0-9][0-9,.]*(?:号线|号楼|号|路|届|季|期|代|款|岁|个月|天|元|块|人|度|级|寸|米|公里|分|次|平)"
    rf"|[0-9][0-9,.]*[{HAN}]+"
    rf"|[{HAN}]*[A-Za-z0-9$][A-Za-z0-9.+#%&/-]*(?: [A-Z0-9][A-Za-z0-9.:-]*)*|[{HAN}]+"
)


DENSE_CUTS = {"ko": _korean, "ja": _japanese, "zh": _chinese}
