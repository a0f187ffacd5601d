"""From chosen words to lawful queries: year, site, other names, subject, lengths, broader forms."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pellucid_decision.text.conversation import Role
from pellucid_decision.text.normal import one_line
from pellucid_decision.understanding.broadening import broadened
from pellucid_decision.understanding.context import Context, chosen_from_history
from pellucid_decision.understanding.limits import (
    MAX_QUERY_CHARACTERS,
    MAX_WORDS,
    MIN_WORDS,
    PHRASE,
    UNSAFE,
    word_count,
)
from pellucid_decision.understanding.query_assembly import decode, written
from pellucid_decision.understanding.words import Word
from pellucid_language.pii.gate import GATE, without
from pellucid_language.scripts import is_spaceless
from pellucid_language.stop_words import query_stop_words

MAX_QUERIES = 3
MAX_FALLBACKS = 3
# What is searched where a message has no word at all.
_NO_WORDS = "latest news"
# Longest run without blanks that the baseline takes for a query.
_SPACELESS_CHARACTERS = 24
_SUBJECT_WORDS = 3
# Words that a broader query has at least, where there are as many.
_LEAST_WORDS = 3
# Means in every language that there is something to know.
_ANY_WORD = "info"
_YEAR = re.compile(r"(?<![\d.,/$€£#-])(?:19|20)\d\d(?![\d%]|[.,]\d)")
_EDGES = ".,;:!?¿¡()[]{}<>*_`~、。，！？；：「」『』（）"
_OPERATORS = re.compile(r"(?<!\S)(?:-\S+|\w+:)|\"")
_NAME = re.compile(r"[A-ZÀ-ÖØ-Þ]|\d|\"")
# Words that may be of a name: capitalised, or of a script that knows no capitals.
_NAMES = re.compile(r"(?![a-zß-öø-ÿ])(?:\w{4,}|[^\W\d_A-Za-z]{2,})")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What queries are made to besides their words.

    Attributes:
        year: Added where the person named none; empty for none.
        site: Host that they are restricted to, and that is no word of theirs.
        aliases: Other names by folded name.
        language: ISO 639-1 code of the person.
        literal: The query that the message is already; empty when it is none.
        own_topic: The message speaks of something else than the subject of the chat.
        gained: The words have some of the subject, or of what is known of the person.
    """

    year: str = ""
    site: str = ""
    aliases: Mapping[str, str] = field(default_factory=dict)
    language: str = ""
    literal: str = ""
    own_topic: bool = False
    gained: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """Queries of a message.

    Attributes:
        queries: 1 to 3, best first.
        fallbacks: Broader ones for when nothing is found.
        asked: The words of each thing asked.
        lent: Words of the first query that history and subject lend.
        gained: The first query has words of the subject, or of what is known of the person.
    """

    queries: tuple[str, ...]
    fallbacks: tuple[str, ...]
    asked: tuple[str, ...]
    lent: str = ""
    gained: bool = False


def plan_queries(context: Context, words: Sequence[Word], wishes: Wishes) -> Plan:
    """Return the queries of a message.

    Args:
        context: The message and what came before.
        words: Of message and history, tagged; none without the model, then the message's own.
        wishes: What they are made to besides.
    """
    baseline = _baseline(context, wishes)
    if wishes.literal:
        text = _redacted(wishes.literal, context)
        plain = _redacted(_OPERATORS.sub(" ", wishes.literal), context)
        first = text or _NO_WORDS
        return Plan((first,), _fallbacks(first, (plain, *_fewer(plain))), (first,))
    lines = decode(words)
    asked = tuple(filter(None, (_redacted(written(line), context) for line in lines))) or baseline
    texts = [_dressed(text, context, wishes) for text in asked]
    texts = list(filter(None, texts))
    name = "" if wishes.own_topic else _lacking_name(texts, context)
    if not (name or lines):
        name = _asked_before(context, wishes.language)
    queries = _distinct((_named(texts, name) if name else texts) or [_NO_WORDS])
    queries = queries[: _most(context, len(queries))]
    chosen_words = lines[0] if lines else []
    chosen = _broader(chosen_words, words, context, wishes)
    # A broader query is about no less than the first: it keeps the name that this was lent.
    lent = [query for text in chosen for query in _named([text], name)] if name else chosen
    fewer = lent if lines else _fewer(queries[0])
    broader = [*fewer, f"{queries[0]} {_ANY_WORD}", *baseline]
    return Plan(
        queries=queries,
        fallbacks=_fallbacks(queries[0], broader),
        asked=asked,
        lent=" ".join(filter(None, (name, chosen_from_history(chosen_words)))),
        gained=bool(name) or wishes.gained,
    )


def named_years(text: str) -> tuple[str, ...]:
    """Return the years that a text names."""
    return tuple(_YEAR.findall(text))


def _most(context: Context, several: int) -> int:
    """Return how many queries may go: one for each thing asked, within what the caller allows."""
    ask = context.ask
    return min(MAX_QUERIES, max(ask.max_queries, min(several, ask.max_parts)))


def _redacted(text: str, context: Context) -> str:
    """Return a query without personal data, markup and characters that it may not have."""
    safe = UNSAFE.sub(" ", without(text, context.private))
    return one_line(GATE.redact(safe).text, MAX_QUERY_CHARACTERS)


def _dressed(text: str, context: Context, wishes: Wishes) -> str:
    """Return a query with other names and the year, as far as there is room."""
    words = [word for word in PHRASE.findall(text) if word.casefold() != wishes.site]
    for word in list(words):
        alias = wishes.aliases.get(word.casefold(), "")
        if alias and alias.casefold() not in text.casefold() and _has_room([*words, alias]):
            words.insert(words.index(word) + 1, alias)
    if wishes.year and not named_years(text) and _has_room([*words, wishes.year]):
        words.append(wishes.year)
    return _of_two_words(words, context, wishes.language)


def _has_room(words: Sequence[str]) -> bool:
    text = " ".join(words)
    return word_count(text) <= MAX_WORDS and len(text) <= MAX_QUERY_CHARACTERS


def _of_two_words(words: Sequence[str], context: Context, language: str) -> str:
    """Return a query; a single word gains a telling one of the message, where it has another."""
    text = " ".join(words)
    if len(words) != 1 or is_spaceless(text):
        return text
    known = {*query_stop_words(language), *text.casefold().split()}
    more = (word for word in _own_words(context.message) if word.casefold() not in known)
    return _redacted(f"{text} {next(more, _ANY_WORD)}", context)


def _lacking_name(texts: Sequence[str], context: Context) -> str:
    """Return a name of what the chat is about, empty where a query has a word of one."""
    subject = context.ask.subject
    elements = subject.elements() if subject else ()
    have = {word for text in texts for word in _NAMES.findall(text)}
    if not elements or any(have & set(_NAMES.findall(element)) for element in elements):
        return ""
    return " ".join(_redacted(elements[0], context).split()[:_SUBJECT_WORDS])


def _asked_before(context: Context, language: str) -> str:
    """Return what the question before was about, empty where the message has a name of its own.

    Without the model nothing tells whether a message leans on that question; a short one may.
    """
    asked = [turn.content for turn in context.turns if turn.role is Role.USER]
    if not asked or _inner_names(context.message):
        return ""
    before = _redacted(asked[-1], context)
    names = _inner_names(before) or _telling(before, context, language)
    return " ".join(names[:_SUBJECT_WORDS])


def _inner_names(text: str) -> list[str]:
    """Return the words that are of names by their form; the first is capitalised anyway."""
    return [word for word in _own_words(text)[1:] if _NAME.match(word)]


def _named(texts: list[str], name: str) -> list[str]:
    """Put a name before the first query that has room for it."""
    for place, text in enumerate(texts):
        if _has_room([name, text]):
            told = f"{name} {text.removesuffix(f' {_ANY_WORD}')}"
            return [*texts[:place], told, *texts[place + 1 :]]
    lead = " ".join(texts[0].split()[: MAX_WORDS - _SUBJECT_WORDS]) if texts else ""
    return [*texts[: MAX_QUERIES - 1], f"{name} {lead}".strip()]


def _broader(
    line: Sequence[Word], words: Sequence[Word], context: Context, wishes: Wishes
) -> list[str]:
    """Return the first query without its years, then with fewer and with other words."""
    undated = [word for word in line if not named_years(word.surface)]
    stop_words = query_stop_words(wishes.language)
    lines = (undated, *broadened(undated, words, stop_words))
    texts = (_redacted(written(one), context) for one in lines)
    return [text for text in texts if text.casefold() != wishes.site]


def _fewer(text: str) -> list[str]:
    """Return a query without its years, then fewer words with all names, then one word more."""
    words = [word for word in text.replace('"', "").split() if not named_years(word)]
    firm = [word for word in words if _NAME.match(word)]
    plain = [word for word in words if word not in firm]
    kept = {*firm, *plain[: max(0, max(_LEAST_WORDS, len(words) // 2) - len(firm))]}
    fewer = [word for word in words if word in kept]
    return [" ".join(words), " ".join(fewer), " ".join([*fewer, _ANY_WORD])]


def _fallbacks(first: str, broader: Iterable[str]) -> tuple[str, ...]:
    lawful = (
        text
        for text in broader
        if text != first and (len(text.split()) >= MIN_WORDS or is_spaceless(text))
    )
    kept = [text for text in dict.fromkeys(lawful) if word_count(text) <= MAX_WORDS]
    return tuple(kept)[:MAX_FALLBACKS]


def _baseline(context: Context, wishes: Wishes) -> tuple[str, ...]:
    """Return the message's own words as queries, without those that say nothing.

    What serves without the model: names, numbers and quotations first where they are too many.
    """
    telling = _telling(context.message, context, wishes.language)
    if not _has_room(telling):
        telling.sort(key=lambda word: not _NAME.match(word))
    lines: list[list[str]] = []
    for word in telling:
        if lines and _has_room([*lines[-1], word]):
            lines[-1].append(word)
        elif len(lines) < MAX_QUERIES:
            lines.append([word])
    return tuple(" ".join(line) for line in lines)


def _telling(text: str, context: Context, language: str) -> list[str]:
    """Return the words of a text that may stand in a query, without those that say nothing."""
    words = _own_words(_redacted(text, context))
    stop_words = query_stop_words(language)
    return [word for word in words if word.casefold() not in stop_words] or words


def _own_words(text: str) -> list[str]:
    """Return the words of a text in order, each once; quotations whole, long runs cut."""
    found = (
        word if word.startswith('"') else word.strip(_EDGES + "'\"")[: _SPACELESS_CHARACTERS * 2]
        for word in PHRASE.findall(text)
    )
    cut = (word[:_SPACELESS_CHARACTERS] if is_spaceless(word) else word for word in found)
    return list(dict.fromkeys(word for word in cut if any(map(str.isalnum, word))))


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts without those that add no word to one before."""
    seen: set[str] = set()
    result = []
    for text in texts:
        words = set(text.casefold().split())
        if text and not words <= seen:
            seen |= words
            result.append(text)
    return tuple(result)
