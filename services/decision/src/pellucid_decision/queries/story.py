"""What a question takes from the story before it, and what a first question is about."""

import re
from collections.abc import Sequence
from itertools import pairwise

from pellucid_decision.queries.limits import MAX_WORDS, SHORT
from pellucid_decision.question.chunk import Chunk, Role
from pellucid_decision.question.chunks import chunks_of
from pellucid_decision.question.morphology import Sort, morphemes_of
from pellucid_decision.question.rarity import NAME_COUNT, commonness
from pellucid_decision.question.terms import FIRM, Kind
from pellucid_decision.question.topic import has_verb_last
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_decision.text.gloss import glossary_of
from pellucid_language.calendar import month_numbers
from pellucid_language.scripts import HIRAGANA

# Words of a story that a question without any of its own takes, and one that says little.
STORY_WORDS = 4
FEW_WORDS = 2
# Occurrences of a word up to which it says what a story is about ("ferry", not "month"): the
# nouns of 60 stories, read one by one, part between "chocolate" (36,000) and "year" (276,000).
TELLING_COUNT = 60_000
# German words from this length on are compounds ("Zusatzbeitrag") rather than somebody's name.
COMPOUND_LETTERS = 9
# Characters of a fragment that only names something ("성수동 오르에르요").
FRAGMENT_CHARACTERS = 12
# Characters of a Chinese name at most; a longer run is a clause.
NAME_CHARACTERS = 4
# Ends of Korean verbs, and the kana of Japanese ones: what no dictionary has for other reasons.
_VERBAL = re.compile(rf"(?:[데요다게서고면지러려는은운한할된될랐었았했]|[{HIRAGANA}])\Z")
_NAMES = FIRM - {Kind.NUMBER}
# A code of an error or a part ("E18", "2811-7503").
_CODE = re.compile(r"(?=.*\d)(?=.*(?:[A-Z]\d|\d-\d))")
_SHOWN = re.compile(
    r"\b(?:error|fault|code|shows?|displays?|flash(?:es|ing)|blink(?:s|ing)|fehler\w*|zeigt|meldet|blinkt"
    r"|erreur|panne|affiche|indique|muestra|marca|sale)\b|エラー|コード|表示|에러|오류|코드|错误|代码|显示",
    re.IGNORECASE,
)
_SHOWN_CHARACTERS = 24
_AMOUNT = re.compile(r"\d|[一二三四五六七八九十百千万两兩几幾半]{1,4}[块塊元個个年月天次点點]")
_ASIDE = re.compile(r"[(（][^()（）]*[)）]")
_WORD = re.compile(r"[\w'’-]+|[^\w\s]")
_DENSE = frozenset({"ko", "ja", "zh"})


def points_back(question: str, rules: LanguageRules) -> bool:
    """Whether a question has a word that stands for something said before it."""
    words = pointing_words(question, rules)
    pattern = rules.phrase("pronoun_forms")
    return bool(words & rules.words("pronouns_subject")) or bool(
        pattern and pattern.search(question)
    )


def says(chunk: Chunk, rules: LanguageRules) -> bool:
    """Whether a chunk names a thing: not only what is asked of one."""
    asks = chunk.key in rules.words("meaning_verbs") | rules.words("attributes")
    return chunk.role is Role.CONTENT and not asks


def is_name(chunk: Chunk, text: str, rules: LanguageRules) -> bool:
    """Whether a chunk of a text is a name: by its capitals, or as a word that no dictionary has.

    German nouns all have capitals, but those with an article are seldom names ("die Maut").
    """
    if chunk.kind in _NAMES:
        verb = rules.code == "de" and " " in chunk.text and chunk.text[:1].islower()
        return not chunk.text[:1].isdigit() and not verb  # "verdient 1.100 brutto"
    plain = chunk.kind is Kind.WORD and chunk.role is Role.CONTENT and len(chunk.text) > 1
    dense = rules.code in _DENSE
    capital = rules.code == "de" and chunk.text[:1].isupper()
    if not plain or not (dense or capital) or commonness(chunk.text, rules.code) > NAME_COUNT:
        return False
    if dense and _VERBAL.search(chunk.text):
        return False
    if rules.code == "zh" and len(chunk.text) > NAME_CHARACTERS:
        return False
    before = _WORD.findall(text[: chunk.start].casefold())[-1:]
    return dense or " " in chunk.text or not rules.words("articles").intersection(before)


def things_told(before: str, rules: LanguageRules) -> tuple[Chunk, ...]:
    """Return the names of a story and the words that say most of it, else its last words."""
    telling = (names_told(before, rules), rare_told(before, rules), codes_told(before, rules))
    wanted = frozenset().union(*telling)
    found = things_in(before, rules)
    if rules.code in _DENSE and len(found) < MAX_WORDS:
        return tuple(found)
    kept = [chunk for chunk in found if chunk in wanted or chunk.text.endswith("%")]
    return tuple(kept[-STORY_WORDS:]) or tuple(found[-SHORT:])


def codes_told(before: str, rules: LanguageRules) -> tuple[Chunk, ...]:
    """Return the codes that a machine shows in a story: what it is about, whatever else it says."""
    coded = (chunk for chunk in things_in(before, rules) if _CODE.search(chunk.text))
    return tuple(one for one in coded if _is_shown(one, before))


def _is_shown(chunk: Chunk, before: str) -> bool:
    """Whether a machine shows a code; one of a booking or a message is the person's own."""
    place = before.find(chunk.text)
    shown = _SHOWN.search(before[max(0, place - _SHOWN_CHARACTERS) : place + len(chunk.text)])
    return place >= 0 and shown is not None


def things_in(before: str, rules: LanguageRules) -> list[Chunk]:
    """Return what a story names, without what its teller does."""
    told = rules.words("telling_verbs") | rules.words("people")
    found = [c for c in chunks_of(before, rules) if c.role is Role.CONTENT and c.key not in told]
    if rules.code == "de":  # whose nouns alone have capitals
        return [chunk for chunk in found if not chunk.text[:1].islower()] or found
    return found


def names_told(before: str, rules: LanguageRules) -> tuple[Chunk, ...]:
    """Return the places, makers and things that a story names, each with the noun behind it.

    Whoever the teller talks about is none of them ("my sister Emma", "Mark says"): a name counts
    behind a word that leads to it ("to Oslo", "my Golf 7"), or when nobody is called so ("HMRC").
    """
    found = things_in(before, rules)
    result: list[Chunk] = []
    for place, chunk in enumerate(found):
        if not is_name(chunk, before, rules) or _dates(chunk) or not _leads(before, chunk, rules):
            continue
        if _is_nickname(chunk, rules):
            continue
        result.append(chunk)
        behind = found[place + 1] if place + 1 < len(found) else None
        if behind and _belongs(behind, chunk) and not is_name(behind, before, rules):
            result.append(behind)
    return tuple(result)


def _is_nickname(chunk: Chunk, rules: LanguageRules) -> bool:
    """Whether a Japanese name is in hiragana alone, as friends are called and few places."""
    kana = rules.code == "ja" and _KANA_ONLY.fullmatch(chunk.text) is not None
    return kana and all(one.sort is not Sort.PLACE for one in morphemes_of(chunk.text, "ja"))


_KANA_ONLY = re.compile(rf"[{HIRAGANA}]+")


def names_visited(before: str, rules: LanguageRules) -> tuple[Chunk, ...]:
    """Return the names of a story in what its teller does, but for where they live.

    What a friend does in Oslo, and where the teller lives, is seldom what a question that says
    enough by itself is about.
    """
    ends = sorted({0, len(before), *(match.start() for match in _CLAUSE_END.finditer(before))})
    clauses = [(start, end, before[start:end]) for start, end in pairwise(ends)]
    own = [(start, end) for start, end, text in clauses if _TELLER.search(text)]
    return tuple(
        chunk
        for chunk in names_told(before, rules)
        if any(start <= chunk.start < end for start, end in own)
    )


_CLAUSE_END = re.compile(r"[.!?;,]\s|\s(?=(?:and|but|und|aber|et|mais|y|pero)\s)")
# Somebody who speaks of what they do, and not of where they live.
_TELLER = re.compile(
    r"\A(?!.*\b(?:live|wohn\w*|leb[et]\w*|habit\w*|viv[oi]\w*)\b)"
    r".*\b(?:i|i'm|im|we|we're|ich|wir|je|j'\w+|on|nous|yo|nosotr[oa]s|voy|vamos|estoy|estamos|fui|fuimos|viajo|viajamos"
    r"|tengo|tenemos|quiero|queremos)\b",
    re.IGNORECASE | re.DOTALL,
)


def rare_told(before: str, rules: LanguageRules) -> tuple[Chunk, ...]:
    """Return the words that say most of what a story is about: its rarest, in its order."""
    plain = (chunk for chunk in things_in(before, rules) if chunk.kind is Kind.WORD)
    found = [chunk for chunk in plain if chunk.link or not _dates(chunk)]
    counts = {chunk.key: commonness(chunk.text, rules.code) for chunk in found}
    named = {chunk.key for chunk in found if is_name(chunk, before, rules)}
    telling = [
        chunk
        for chunk in found
        if (chunk.key not in named or rules.code in _DENSE)
        and counts[chunk.key] <= TELLING_COUNT
        and _is_word(chunk, before, rules)
    ]
    if not telling and rules.code in _DENSE:
        telling = [chunk for chunk in found if not _AMOUNT.match(chunk.text)]
    rarest = sorted(telling, key=lambda chunk: counts[chunk.key])[:FEW_WORDS]
    return tuple(chunk for chunk in found if chunk in rarest)


def _is_word(chunk: Chunk, text: str, rules: LanguageRules) -> bool:
    """Whether a chunk may say what a story is about, also where no dictionary knows it."""
    if _is_somebody(text, chunk, rules):
        return False
    if rules.code in _DENSE:
        known = rules.code == "ko" and commonness(chunk.text, "ko")
        short = 1 < len(chunk.text) <= NAME_CHARACTERS and not _AMOUNT.match(chunk.text)
        return bool(known) or (short and not _VERBAL.search(chunk.text))
    if "'" in chunk.text or (rules.code == "en" and chunk.text.endswith("ly")):
        return False
    if commonness(chunk.text, rules.code):
        return True
    if rules.code == "de":
        before = _WORD.findall(text[: chunk.start].casefold())[-SHORT:]
        article = any(word.startswith("ein") for word in before)  # "eine alte Mühle"
        compound = len(chunk.text) >= COMPOUND_LETTERS
        return chunk.text[:1].isupper() and (article or compound)  # not "die Berta"
    return rules.code != "pt" and chunk.text.islower()


def _dates(chunk: Chunk) -> bool:
    return any(word in month_numbers() for word in chunk.key.split())


def _leads(before: str, chunk: Chunk, rules: LanguageRules) -> bool:
    """Whether the words before a name lead to it, and not to somebody of that name."""
    if rules.code in _DENSE:
        short = len(before) <= FRAGMENT_CHARACTERS
        around = rules.phrase("leading_forms")
        led = around and around.search(before, max(0, chunk.start - 2), _end(chunk) + 3)
        known = rules.code == "ko" and chunk.text in glossary_of("ko").whole
        return short or known or chunk.kind in _NAMES or bool(led)
    words = _WORD.findall(before[: chunk.start].casefold())[-SHORT:]
    bare = [word for word in words if word not in rules.words("articles")]
    if not bare:
        return False
    if _is_somebody(before, chunk, rules):
        return False
    told = bare[-1] in rules.words("leading") or bare != words
    compound = rules.code == "de" and len(chunk.text) >= COMPOUND_LETTERS
    nobody = chunk.text.isupper() or " " in chunk.text or any(map(str.isdigit, chunk.text))
    return told or compound or nobody


def _is_somebody(before: str, chunk: Chunk, rules: LanguageRules) -> bool:
    """Whether a chunk names someone of the story ("my sister Emma", "Nachbar Uwe")."""
    words = _WORD.findall(before[: chunk.start].casefold())[-1:]
    return bool(rules.words("people").intersection((*words, chunk.key.split()[0])))


def _end(chunk: Chunk) -> int:
    return chunk.start + len(chunk.text)


def pointing_words(question: str, rules: LanguageRules) -> set[str]:
    """Return the words of a question without "there is" and "il y a", which point to nothing."""
    lower, empty = question.casefold(), rules.phrase("existential")
    return set(re.findall(r"[\w'-]+", empty.sub(" ", lower) if empty else lower))


def last_things(before: str, rules: LanguageRules) -> tuple[Chunk, ...]:
    """Return what was named last before a question: what its "it" most likely is."""
    told = rules.words("telling_verbs") | rules.words("people")
    clause = re.split(r"[,;!?，。]|\.(?!\d)", _ASIDE.sub("", before).strip(" ,.;!?，。"))
    for text in reversed(clause[-3:]):
        found = [
            chunk
            for chunk in chunks_of(text, rules)
            if chunk.role is Role.CONTENT and chunk.key not in told
        ]
        found = [chunk for chunk in found if not _is_common(chunk, rules)] or found
        if found:
            names = [n for n, chunk in enumerate(found) if chunk.kind in _NAMES]
            return tuple(found[names[-1] if names else -2 :][:2])
    return ()


def _is_common(chunk: Chunk, rules: LanguageRules) -> bool:
    plain = chunk.kind is Kind.WORD and rules.code not in _DENSE
    return plain and commonness(chunk.text, rules.code) > TELLING_COUNT


def subject_of(chunks: Sequence[Chunk], question: str, rules: LanguageRules) -> tuple[Chunk, ...]:
    """Return what a question is about: its names with what each names, else its first words."""
    names = [chunk for chunk in chunks if chunk.kind in _NAMES][:2]
    if names and rules.code != "de":
        of = () if has_verb_last(question, rules) else chunks
        named = {chunk.key for chunk in of if any(_belongs(chunk, name) for name in names)}
        return tuple(chunk for chunk in chunks if chunk in names or chunk.key in named)
    content = [
        chunk
        for chunk in chunks
        if chunk.role is Role.CONTENT
        and chunk.key not in rules.words("telling_verbs")
        and says(chunk, rules)
    ]
    return tuple(content[:SHORT])


def _belongs(chunk: Chunk, name: Chunk) -> bool:
    """Whether a word stands right behind a name that says which one ("US passport")."""
    near = chunk.start == name.start + len(name.text) + 1
    return near and name.kind in _NAMES and chunk.role is Role.CONTENT and not chunk.link
