"""Chunks brought to the length of a query, what had no room, and broader forms."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from pellucid_decision.queries.limits import (
    MAX_BLANKS,
    MAX_QUERY_CHARACTERS,
    MAX_WORDS,
    MIN_WORDS,
    PHRASE,
    UNSAFE,
    word_count,
)
from pellucid_decision.question.asking import content_words, opens_question, without_opening
from pellucid_decision.question.chunk import Chunk, Role
from pellucid_decision.question.terms import FIRM, Kind, Term, unique
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_decision.rules.signals import Reading
from pellucid_decision.text.lexicon import DENSE_LANGUAGES
from pellucid_decision.text.normal import one_line
from pellucid_language.redaction.gate import GATE

MAX_FALLBACKS = 3
_NAMES = FIRM - {Kind.NUMBER}
# A lone plain word that had no room ("late") is not worth a call.
MIN_LEFT = 2
# Plain words that say what a further query is about, where no name does.
ANCHOR_WORDS = 3
# What is ruled out may stand beside a query's words: without it every result is wrong.
EXCLUDED_WORDS, MAX_EXCLUDED = 2, 2
# Beyond the end of any question.
NOWHERE = 1 << 30
# A run of so many characters without blanks says as much as two words.
SEVERAL_CHARACTERS = 4


_YEAR = re.compile(r"(?:19|20)\d\d")


_ANGLES = (
    ("news", ("news", "event_result")),
    ("role", ("role_holder",)),
    ("price", ("price_of",)),
    ("review", ("reviews",)),
    ("law", ("changing_fact",)),
    ("docs", ("niche_docs",)),
    ("schedule", ("event_schedule",)),
)


def beyond(chunks: Sequence[Chunk], known: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return the chunks that name nothing of what is known."""
    keys = {word for chunk in known for word in (chunk.key, *chunk.key.split())}
    return tuple(chunk for chunk in chunks if chunk.key not in keys)


def room_for(lead: Sequence[Chunk], own: Sequence[Chunk]) -> list[Chunk]:
    """Return as much of what was left out as fits beside the message's own words."""
    room = max(1, MAX_WORDS - sum(chunk.words for chunk in own if chunk.role is Role.CONTENT))
    kept: list[Chunk] = []
    for chunk in sorted(lead, key=lambda chunk: chunk.kind not in _NAMES):
        if sum(one.words for one in kept) + chunk.words <= room:
            kept.append(chunk)
    return [replace(chunk, link="") for chunk in lead if chunk in kept] or list(lead[:1])


def leftovers(
    lines: Sequence[Sequence[Chunk]], left: Sequence[Chunk], rules: LanguageRules
) -> list[tuple[Chunk, ...]]:
    """Further queries for what the first ones had no room for."""
    if left and all(map(_is_number, left)) and len(left) < MAX_WORDS:
        about = [chunk for chunk in lines[0] if not _is_number(chunk)]
        return [(*about[-(MAX_WORDS - len(left)) :], *left)]
    ordered = sorted(left, key=lambda chunk: chunk.kind not in FIRM)
    lead = _anchor(lines[0], rules)
    room = MAX_WORDS - sum(chunk.words for chunk in lead)
    telling = [chunk for chunk in ordered if chunk.kind in FIRM or chunk.role is Role.CONTENT]
    if len(telling) < MIN_LEFT and not any(chunk.kind in FIRM for chunk in telling):
        return []
    if room < 1:
        return []
    return [
        (*lead, *telling[start : start + room])
        for start in range(0, min(len(telling), 2 * room), room)
    ]


def _anchor(line: Sequence[Chunk], rules: LanguageRules) -> tuple[Chunk, ...]:
    """Return what a further query is about: the first name, else the first words that tell."""
    name = next((chunk for chunk in line if chunk.kind in _NAMES), None)
    if name:
        return (name,)
    plain = [
        chunk
        for chunk in line
        if chunk.role is Role.CONTENT
        and not _is_number(chunk)
        and chunk.key not in rules.words("superlatives")
    ]
    return tuple(plain[:ANCHOR_WORDS]) or tuple(line[:1])


def fitted(
    chunks: Sequence[Chunk], rules: LanguageRules, aside: int = NOWHERE
) -> tuple[tuple[Chunk, ...], tuple[Chunk, ...]]:
    """Bring chunks to at most six words, more where they rule out; return what has no room.

    Small words go first, then what was said in passing, question words, weak words, and the last
    plain ones.

    Args:
        chunks: In the person's order.
        rules: Rules of the language.
        aside: Where in the question the person begins to tell of themselves.
    """
    line = list({chunk.key: chunk for chunk in chunks if chunk.text}.values())
    room = _room(line, rules)
    line[:1] = _without_lead(line[:1], rules)
    unasked = [chunk for chunk in line if chunk.role is not Role.ASKS]
    titled = any(" " in chunk.link for chunk in line)
    if titled and _length(line, links=True) > room >= _length(unasked, links=True):
        return tuple(unasked), ()
    for number, chunk in enumerate(line):
        if _length(line, links=True) > room:
            line[number] = replace(chunk, link=_needed(chunk.link, rules))
    line, over = _without_many_numbers(line)
    for loses in _losing(rules, aside):
        while _length(line, links=True) > room:
            place = next((n for n in range(len(line) - 1, -1, -1) if loses(line[n])), None)
            if place is None:
                break
            if loses is _is_versus:
                line[place] = replace(line[place], link="")
                continue
            gone = line.pop(place)
            over = over if loses in _WORTH_NOTHING or _compares(gone, rules) else [gone, *over]
    return tuple(line), tuple(over)


def _losing(rules: LanguageRules, aside: int) -> tuple[Callable[[Chunk], bool], ...]:
    """Return what goes first where there is no room, as tests of a chunk."""
    return (
        _is_versus,
        lambda chunk: _compares(chunk, rules),
        lambda chunk: chunk.start > aside,
        lambda chunk: chunk.key in rules.words("telling_verbs") and _is_plain(chunk),
        _asks,
        _is_weak,
        lambda chunk: _is_plain(chunk) and not _rules_out(chunk, rules),
        _is_plain,
        _is_any,
    )


def _compares(chunk: Chunk, rules: LanguageRules) -> bool:
    return chunk.key in rules.words("comparing")


def _room(line: Sequence[Chunk], rules: LanguageRules) -> int:
    excluded = sum(_rules_out(chunk, rules) for chunk in line)
    return MAX_WORDS + EXCLUDED_WORDS * min(MAX_EXCLUDED, excluded)


def _rules_out(chunk: Chunk, rules: LanguageRules) -> bool:
    """Whether a chunk is what the person does not want ("without shrimp")."""
    return bool(rules.words("kept_links").intersection(chunk.link.split()))


def _without_lead(first: Sequence[Chunk], rules: LanguageRules) -> list[Chunk]:
    """Drop the small word before the first chunk, unless it carries the question."""
    kept = rules.words("kept_links")
    return [chunk if chunk.link in kept else replace(chunk, link="") for chunk in first]


def _without_many_numbers(line: list[Chunk]) -> tuple[list[Chunk], list[Chunk]]:
    """Leave the numbers of a long list to the next query: what they are about goes with both."""
    over: list[Chunk] = []
    kept = list(line)
    while _length(kept, links=True) > MAX_WORDS and sum(map(_is_number, kept)) > 1:
        place = max(n for n, chunk in enumerate(kept) if _is_number(chunk))
        over.insert(0, kept.pop(place))
    return kept, over


def _is_number(chunk: Chunk) -> bool:
    return chunk.kind is Kind.NUMBER and " " not in chunk.text


def _length(line: Sequence[Chunk], *, links: bool) -> int:
    named = sum(chunk.words + (len(chunk.link.split()) if links else 0) for chunk in line)
    text = " ".join(f"{chunk.link} {chunk.text}" if links else chunk.text for chunk in line)
    return max(named, word_count(text))


def _needed(link: str, rules: LanguageRules) -> str:
    return " ".join(word for word in link.split() if word in rules.words("kept_links") | {"vs"})


def _is_versus(chunk: Chunk) -> bool:
    return chunk.link == "vs"


def _asks(chunk: Chunk) -> bool:
    return chunk.role is Role.ASKS


def _is_weak(chunk: Chunk) -> bool:
    return chunk.role is Role.WEAK


def _is_plain(chunk: Chunk) -> bool:
    return chunk.kind is Kind.WORD and chunk.role is Role.CONTENT


def _is_any(chunk: Chunk) -> bool:
    return bool(chunk.text)


# What goes without a further query for it.
_WORTH_NOTHING = frozenset({_asks, _is_weak})


def as_chunks(terms: Sequence[Term]) -> tuple[Chunk, ...]:
    """Return terms as chunks, at most a query's."""
    return tuple(Chunk(term.text, term.kind) for term in unique(terms)[:MAX_WORDS])


def finished(chunks: Sequence[Chunk], rules: LanguageRules, question: str = "") -> str:
    """Join chunks into a valid query; a single word gains a second.

    Args:
        chunks: In the person's order.
        rules: Rules of the language.
        question: What they are the chunks of. Where it is short it stands for a single word of it:
            "what is a mango" tells more than `mango`.
    """
    line = [*_without_lead(chunks[:1], rules), *chunks[1:]]
    text = _written(line)
    room = _room(line, rules)
    if word_count(text) > room:
        text = _written([replace(chunk, link=_needed(chunk.link, rules)) for chunk in line])
    words = PHRASE.findall(text)
    while len(words) > room and word_count(" ".join(words)) > room:
        words.pop()
    words = words[:MAX_BLANKS]
    if len(words) == 1 and not _is_several(words[0], rules):
        return _typed(question, words[0], rules) or f"{words[0]} {_second_word(words[0], rules)}"
    return " ".join(words)


def _typed(question: str, word: str, rules: LanguageRules) -> str:
    """The question as it was typed if the word is all that it names, and it is short."""
    if rules.code in DENSE_LANGUAGES or word.casefold() not in question.casefold():
        return ""
    for text in (question, without_opening(question, rules)):
        typed = _written([Chunk(text.strip(" ¿?!."))])
        words = PHRASE.findall(typed)
        timeless = " ".join(w for w in words if w.casefold() not in rules.words("recency"))
        short = word_count(" ".join(words)) <= MAX_WORDS
        if short and content_words(timeless, rules) == 1 and opens_question(typed, rules):
            return " ".join(words)
    return ""


def _written(line: Sequence[Chunk]) -> str:
    text = " ".join(f"{chunk.link} {chunk.text}".strip() for chunk in line)
    return one_line(UNSAFE.sub(" ", GATE.redact(text).text), MAX_QUERY_CHARACTERS)


def _is_several(word: str, rules: LanguageRules) -> bool:
    """Whether a run without blanks is a query of its own ("人民币兑日元汇率")."""
    dense = rules.code in {"ja", "zh"} and not word.isascii()
    return dense and len(word) >= SEVERAL_CHARACTERS


def _second_word(word: str, rules: LanguageRules) -> str:
    """Return what a searcher types behind a single word ("weather forecast")."""
    second = rules.mappings.get("seconds", {}).get(word.casefold())
    general = rules.mappings.get("angles", {}).get("general", "overview").split()[0]
    return second or (general if word.casefold() != general.casefold() else "news")


def padding(rules: LanguageRules) -> str:
    """Return what is searched for when a message has no word to search for."""
    return rules.mappings.get("angles", {}).get("news", "latest news")


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts without those that add no word to one before."""
    seen: list[frozenset[str]] = []
    result = []
    for text in texts:
        words = frozenset(text.casefold().replace('"', "").split())
        if text and not any(words <= known for known in seen):
            seen.append(words)
            result.append(text)
    return tuple(result)


# What a broader query leaves out first.
_PASSING = frozenset({Role.TIME, Role.ASKS})


def _head(plain: Sequence[Chunk], rules: LanguageRules) -> Sequence[Chunk]:
    """Return the noun that the other words describe: the last, in Romance languages the first."""
    return plain[:1] if rules.code in {"es", "fr", "pt"} else plain[-1:]


def fallbacks(
    first: str, lines: Sequence[Sequence[Chunk]], reading: Reading, rules: LanguageRules
) -> tuple[str, ...]:
    """Other forms of the first query: without time, of fewer words, of others."""
    line = lines[0] if lines else ()
    undated = [c for c in line if c.role not in _PASSING and not _YEAR.fullmatch(c.text)]
    firm = [chunk for chunk in undated if chunk.kind in FIRM]
    plain = [chunk for chunk in undated if chunk.kind not in FIRM and chunk.role is Role.CONTENT]
    angles = rules.mappings.get("angles", {})
    name = next((name for name, signals in _ANGLES if reading.has(*signals)), "general")
    other = Chunk(angles.get(name, ""))
    candidates = (
        undated,
        [chunk for chunk in undated if chunk in firm or chunk in _head(plain, rules)],
        (firm or plain)[:2],
        [*(firm or plain)[:1], other],
    )
    texts = (finished(chunks, rules).replace('"', "") for chunks in candidates if chunks)
    lawful = (text for text in texts if len(text.split()) >= MIN_WORDS)
    return tuple(
        text for text in dict.fromkeys(lawful) if text != first and word_count(text) <= MAX_WORDS
    )[:MAX_FALLBACKS]
