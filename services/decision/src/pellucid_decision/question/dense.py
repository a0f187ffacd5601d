"""Korean, Japanese and Chinese questions cut into words."""

import re
from collections.abc import Iterator

from pellucid_decision.question.spelling import corrected
from pellucid_decision.question.terms import Kind, terms_of
from pellucid_decision.question.tokens import TOKEN
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_decision.text.gloss import glossary_of
from pellucid_language.scripts import HAN, HANGUL, HIRAGANA, KATAKANA

# Letters of the particle behind an attribute at most.
_MOST_PARTICLE = 2


def _korean(text: str, rules: LanguageRules) -> Iterator[tuple[int, str, Kind]]:
    stop, polite = rules.words("stopwords"), rules.words("polite")
    endings = rules.phrase("endings")
    run: list[tuple[int, str, Kind]] = []
    for match in TOKEN.finditer(text):
        raw = match.group()
        found = terms_of(raw, rules)
        named = _attribute_of(raw, rules)
        word = named or (found[0].text if found else "")
        known = glossary_of("ko").whole
        if _KO_AMBIGUOUS.search(raw) and raw in known and word not in known:
            word = raw
        if raw.casefold() in polite or not word or word in polite or (word in stop and not named):
            yield from _flushed(run)
            continue
        if endings and word not in rules.words("attributes"):
            word = _noun_of(word, rules)
            done = word != raw and len(word) > 1 and _is_past(word)
            if done or (_KO_ADNOMINAL.match(word) and _KO_CAN.match(text, match.end())):
                yield from _flushed(run)
                continue
        word = corrected(word, "ko")
        kind = found[0].kind if found else Kind.WORD
        tight = not run or text[run[-1][0] + len(run[-1][1]) : match.start()] == " "
        numbered = kind in {Kind.NUMBER, Kind.IDENTIFIER} and run
        if run and tight and numbered:
            run.append((match.start(), word, kind))
            if word != raw:
                yield from _flushed(run)
            continue
        yield from _flushed(run)
        run.append((match.start(), word, kind))
    yield from _flushed(run)


# Particles that end many a noun as well ("제주도", "고양이").
_KO_AMBIGUOUS = re.compile("[도가이나로]\\Z")


def _noun_of(word: str, rules: LanguageRules) -> str:
    """Return the noun that a Korean verb is made of ("개통했나요"); itself when it is none."""
    endings = rules.phrase("endings")
    bare = endings.sub("", word) if endings else word
    bare = bare if len(bare) > 1 else word
    past = _KO_DONE.sub("", bare)
    if len(past) > 1 and past != bare:
        return past
    does = _KO_DOES.sub("", bare) if bare != word else bare
    return does if len(does) > 1 else bare


def _is_past(word: str) -> bool:
    """Whether a word ends in the past tense ("생겼"): its last syllable in a double s."""
    return (ord(word[-1]) - _FIRST_SYLLABLE) % _SYLLABLES_OF_VOWEL == _DOUBLE_S


# How Unicode lays out Hangul: 28 syllables to a vowel, the twenty-first of them in double s.
_FIRST_SYLLABLE, _SYLLABLES_OF_VOWEL, _DOUBLE_S = 0xAC00, 28, 20
# "has done", "is done": sure signs of a verb; the others are so only before an ending of one.
_KO_DONE = re.compile(r"(?:했|하였|됐|되었|합|됩)(?:었)?\Z")
_KO_DOES = re.compile(r"(?:하|되|한|된|할|될|해|돼|하는|되는|하신|하시)\Z")
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


def _flushed(run: list[tuple[int, str, Kind]]) -> Iterator[tuple[int, str, Kind]]:
    if run:
        kind = Kind.ENTITY if len(run) > 1 else run[0][2]
        yield run[0][0], " ".join(word for _, word, _ in run), kind
    run.clear()


_JA_NOUN = re.compile(
    rf"(?:[A-Z]|[0-9０-９]+)[{KATAKANA}{HAN}]+"
    r"|[A-Za-z0-9][A-Za-z0-9.+#%&-]*(?: ?[0-9A-Z][A-Za-z0-9.:-]*)*"
    rf"|[{KATAKANA}{HAN}0-9０-９]+(?:-[0-9]+)*(?:(?:[りきえけみめれべせびげっ]|[かわまが]り|し(?=[込出上入替換付]))[{HAN}]+"
    rf"|[A-Za-z0-9]+[{KATAKANA}{HAN}]*)*"
)


_JA_OKURIGANA = re.compile(rf"[{HIRAGANA}]{{1,6}}")


_JA_PARTICLE = re.compile(
    r"(?:は|が|を|に|で|と|の|も|へ|か|や|な|だ|から|まで|より|です|って|という|じゃ|ね|よ)"
)


def _japanese(text: str, rules: LanguageRules) -> Iterator[tuple[int, str, Kind]]:
    functions = rules.phrase("functions")
    predicates = rules.phrase("predicates")
    rest = _JA_HOW_MANY.sub(lambda m: " " * len(m.group()), text)
    rest = functions.sub(lambda m: " " * len(m.group()), rest) if functions else rest
    stop = rules.words("stopwords")
    for start, name in _kana_names(text, rules):
        rest = f"{rest[:start]}{' ' * len(name)}{rest[start + len(name) :]}"
        yield start, name, Kind.ENTITY
    for match in _JA_NOUN.finditer(rest):
        word = match.group()
        after = _JA_OKURIGANA.match(rest, match.end())
        tail = after.group() if after else ""
        short = _short_form(word, tail)
        if short is not None:
            if short:
                yield match.start(), short, Kind.WORD
            continue
        if tail and _HAN_CHARACTER.match(word[-1]) and not _JA_PARTICLE.match(tail):
            verb = word + _predicate(tail)
            if _JA_DOES.match(tail):
                yield match.start(), word, Kind.WORD
                continue
            if not (predicates and predicates.match(verb)) and verb not in stop:
                yield match.start(), verb, Kind.WORD
            continue
        if len(word) == 1 and _HAN_CHARACTER.match(word) and tail and not _JA_PARTICLE.match(tail):
            continue
        if word.casefold() not in stop and word not in rules.words("polite"):
            latin = word.isascii()
            yield match.start(), word, Kind.ENTITY if latin and not word.islower() else Kind.WORD


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


def _short_form(word: str, tail: str) -> str | None:
    """Return what stands in a query for a word by its ending; empty for nothing, None for itself.

    Args:
        word: Han characters, kana of a loan word or a name.
        tail: The hiragana behind it.
    """
    if tail.startswith("しい"):
        return ""  # 美味しい: what it describes follows
    if not _HAN_CHARACTER.match(word[-1]):
        return None
    if len(word) == 1 and tail.startswith("か"):
        return f"{word}か"  # 静か
    if len(word) == 1 and (tail.startswith("っ") or _JA_TE.fullmatch(tail)):
        return ""  # 持って, 開いて: what is done with it
    polite = _JA_POLITE_VERB.match(tail) or (len(word) == 1 and _JA_CAN.fullmatch(tail))
    return f"{word}{polite.group(1)}る" if polite else None  # 買えますか


# What is left of it where the polite end was taken for a small word: "乗れ(ますか)".
_JA_CAN = re.compile(r"([えけせてねべめれげぜでへ])")


_JA_TE = re.compile(r"[いきしちりっん][てで]")


_JA_DOES = re.compile(r"(?:する|した|して|され|でき)")


_JA_POLITE_VERB = re.compile(r"([えけせてねべめれげぜで])ま(?:す|せ)")


_JA_HOW_MANY = re.compile(r"何(?:(?=円)|[本個人回枚歳年月日時分杯冊台頭匹件階度点])")


_HAN_CHARACTER = re.compile(f"[{HAN}ヶ]")


_JA_VERB_END = re.compile(
    r"\A(?:[^はがをにのとも]{1,5}?)(?=(?:の|は|が|を|に|で|と|も|か|ん|けど|から)|\Z)"
)


def _predicate(tail: str) -> str:
    match = _JA_VERB_END.match(tail)
    return match.group() if match else tail[:4]


def _blank_unless_within_word(match: re.Match[str]) -> str:
    """Blank a small word, but for a character of a longer one ("能" in "功能")."""
    written, text = match.group(), match.string
    words = glossary_of("zh").whole
    around = (
        text[start : start + length]
        for length in (4, 3, 2)
        for start in range(match.start() - length + 1, match.start() + 1)
        if start >= 0
    )
    known = (word for word in around if len(word) > 1 and word[-1] not in _ZH_FINAL)
    within = len(written) == 1 and any(map(words.get, known))
    within = within or (match.start() == 0 and written in _ZH_OPENS_NAMES)
    return written if within else " " * len(written)


# Small words that no sentence begins with ("都江堰", "和田").
_ZH_OPENS_NAMES = frozenset("都和")
# Ends of sentences: a dictionary of sayings knows words with them ("下雨吗").
_ZH_FINAL = frozenset("吗呢吧")


def _chinese(text: str, rules: LanguageRules) -> Iterator[tuple[int, str, Kind]]:
    tails = rules.phrase("question_tails")
    marked = [(m.start(), m.group(), Kind.WORD) for m in tails.finditer(text)] if tails else []
    rest = tails.sub(lambda m: " " * len(m.group()), text) if tails else text
    functions = rules.phrase("functions")
    rest = functions.sub(_blank_unless_within_word, rest) if functions else rest
    stop = rules.words("stopwords")
    found = list(marked)
    for match in _ZH_RUN.finditer(rest):
        word = match.group().strip(".")
        if word.casefold() not in stop and word not in rules.words("polite"):
            named = re.search(r"[A-Za-z0-9]", word) is not None
            found.append((match.start(), word, Kind.ENTITY if named else Kind.WORD))
    yield from sorted(found)


_ZH_RUN = re.compile(
    rf"[{HAN}]*[0-9][0-9,.]*(?:号线|号楼|号|路|届|季|期|代|款|岁|个月|天|元|块|人)"
    rf"|[0-9][0-9,.]*[{HAN}]+"
    rf"|[{HAN}]*[A-Za-z0-9$][A-Za-z0-9.+#%&/-]*(?: [A-Z0-9][A-Za-z0-9.:-]*)*|[{HAN}]+"
)


DENSE_CUTS = {"ko": _korean, "ja": _japanese, "zh": _chinese}
