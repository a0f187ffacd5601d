"""Japanese questions cut into chunks: runs of nouns, and verbs in their dictionary form."""

import re
from collections.abc import Iterator, Sequence

from pellucid_decision.question.chunk import Chunk, Role
from pellucid_decision.question.morphology import (
    NOMINAL,
    Morpheme,
    Sort,
    blanked,
    names,
    with_latin,
)
from pellucid_decision.question.terms import Kind
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_language.scripts import HAN, HIRAGANA, KATAKANA

_SAYS = frozenset({Sort.VERB, Sort.ADJECTIVE, Sort.VERBAL})
_DENIES = frozenset({"ない", "ぬ"})
_CAN = frozenset({"れる", "られる"})
_WHAT = "何"
# Letters of a verb in kana that says little at most ("いう", "よる").
_SHORT = 2


def japanese(text: str, rules: LanguageRules) -> Iterator[Chunk]:
    """Yield the chunks of a Japanese question."""
    rest = text
    for start, name in _kana_names(text, rules):
        rest = blanked(rest, start, start + len(name))
        yield Chunk(name, Kind.ENTITY, start=start)
    run: list[Morpheme] = []
    found = with_latin(rest, "ja")
    for place, one in enumerate(found):
        behind = found[place + 1] if place + 1 < len(found) else None
        close = behind if behind is not None and behind.start == one.end else None
        small = _is_small(one, close, rules)
        if run and run[-1].end != one.start:
            yield from _joined(run, rules)
        joins = one.sort in NOMINAL or one.sort is Sort.PREFIX
        if not small and (joins or _makes_noun(one, close, run, rules)):
            run.append(one)
            continue
        yield from _joined(run, rules)
        denies = close if close is not None and close.lemma in _DENIES else None
        if denies or not small:
            yield from _predicate(one, denies, rules)
    yield from _joined(run, rules)


def _is_small(one: Morpheme, close: Morpheme | None, rules: LanguageRules) -> bool:
    functions = rules.phrase("functions")
    counts = one.text == _WHAT and close is not None and len(close.text) == 1  # "何時"
    small = functions is not None and functions.fullmatch(one.text) is not None and not counts
    return small or one.lemma in rules.words("light_verbs")


def _makes_noun(
    one: Morpheme, close: Morpheme | None, run: Sequence[Morpheme], rules: LanguageRules
) -> bool:
    """Whether a verb or adjective is part of a noun ("乗り換え方法", "期限切れ", "高さ")."""
    noun = close is not None and close.sort in {Sort.NOUN, Sort.SUFFIX, Sort.LATIN}
    if one.sort is Sort.ADJECTIVE:
        return noun and not one.text.endswith("い")
    verb = one.sort is Sort.VERB or (one.sort is Sort.VERBAL and one.lemma != one.text)
    if verb and run and run[-1].sort is Sort.PREFIX:
        return True  # "おすすめ"
    if not verb or not _HAN_CHARACTER.search(one.text) or one.text == one.lemma:
        return False
    inflected = close is not None and close.lemma in _CAN  # "収集日変えられる"
    held = bool(run) and run[-1].text not in rules.words("polite") and not inflected
    return noun or (held and _STEM.search(one.text) is not None)


_HAN_CHARACTER = re.compile(f"[{HAN}]")
# A verb's stem that ends a noun.
_STEM = re.compile("[いきしちにひみりぎじびけせてねへめれげぜべえ]\\Z")


def _kana_names(text: str, rules: LanguageRules) -> Iterator[tuple[int, str]]:
    """Yield names that begin in hiragana, and where: what no everyday word begins like."""
    everyday = tuple(rules.words("kana_words"))
    for match in _KANA_NAME.finditer(text):
        if not match.group().startswith(everyday):
            yield match.start(), match.group()


# A name in hiragana at the beginning of a phrase, with the Han characters behind it ("みずほ銀行"),
# or a word of its own between blanks.
_KANA_NAME = re.compile(
    rf"(?<![^\s、。，！？!?「『（(・])(?:[{HIRAGANA}]{{3,7}}?"
    rf"(?:(?<![とにがをもへ])[{HAN}{KATAKANA}]+(?=[\s、はがをにでとものっ])|(?=[のはが][{HAN}{KATAKANA}A-Z]|って))"
    rf"|(?<=\s)[{HIRAGANA}]{{3,7}}(?=\s|\Z))"
)


def _joined(run: list[Morpheme], rules: LanguageRules) -> Iterator[Chunk]:
    text, start = "".join(one.text for one in run), run[0].start if run else 0
    named = any(map(names, run))
    run.clear()
    if not text or text.casefold() in rules.words("stopwords") | rules.words("polite"):
        return
    yield Chunk(text, Kind.ENTITY if named else Kind.WORD, start=start)


def _predicate(one: Morpheme, denies: Morpheme | None, rules: LanguageRules) -> Iterator[Chunk]:
    """Yield a verb or adjective in its dictionary form, a denied one as it stands."""
    said = f"{one.text}{denies.text}" if denies else one.lemma
    han = _HAN_CHARACTER.search(said) is not None
    plain = one.sort in _SAYS and (han or (one.sort is not Sort.VERBAL and len(said) > _SHORT))
    taste = one.sort is Sort.ADJECTIVE and said.endswith("しい")  # what it describes follows
    if (denies or (plain and not taste)) and said not in rules.words("stopwords"):
        yield Chunk(said, role=Role.CONTENT if denies else Role.WEAK, start=one.start)
