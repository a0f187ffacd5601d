"""The question before, with another thing in the place of one of its own.

"And in Cardiff?" and "no, I meant the 2019 one" ask it again. What goes is what the new thing is
like: behind the same small word, a place for a place, a name for a name.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from pellucid_decision.question.asking import opens_question
from pellucid_decision.question.chunk import Chunk
from pellucid_decision.question.chunk import Role as Part
from pellucid_decision.question.morphology import Morpheme, Sort, morphemes_of
from pellucid_decision.question.rarity import NAME_COUNT, commonness
from pellucid_decision.question.terms import Kind
from pellucid_decision.question.topic import Topic, told_in
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_decision.text.lexicon import DENSE_LANGUAGES, meanings_of
from pellucid_language.calendar import month_numbers

# Words of what a person says they meant at most.
MEANT_WORDS = 6
_WORD = re.compile(r"\w+(?:'\w+)?")
_NAMES = frozenset({Kind.ENTITY, Kind.IDENTIFIER, Kind.QUOTED})
_COMMAS, _ASKS = (",", ";", "、", "，"), ("?", "？")
_ONE = frozenset({"one", "ones", "that", "this"})


def meant_in(text: str, topic: Topic, rules: LanguageRules) -> str:
    """Return what a message says was meant by the question before, empty when it corrects none."""
    pattern = rules.phrase("correction")
    match = pattern.search(text.strip()) if pattern and topic.last else None
    if match is None:
        return ""
    raw = next((group for group in match.groups() if group), "")
    said = raw.strip(" ,.!?")
    # "I mean, is it worth it?" and "no, I mean it" name nothing.
    goes_on = (
        any(comma in said for comma in _COMMAS)
        or raw[:1] in _COMMAS
        or raw.rstrip()[-1:] in _ASKS
        or opens_question(said, rules)
    )
    small = rules.words("stopwords") | rules.words("pronouns") | rules.words("polite")
    bare = all(word in small for word in said.casefold().split())
    return "" if goes_on or bare or len(said.split()) > MEANT_WORDS else said


def corrected(
    meant: str, topic: Topic, rules: LanguageRules
) -> tuple[tuple[Chunk, ...], tuple[Chunk, ...]]:
    """Return what was meant, and what stays of the question before, as chunks."""
    own = told_in(meant, rules).chunks or (Chunk(meant),)
    words = set(meant.casefold().split())
    if _is_whole(meant, own, rules):
        own = (Chunk(meant, Kind.ENTITY),)
    heads = (Chunk(head, Kind.ENTITY) for chunk in topic.last if (head := _head(chunk, words)))
    shared = [chunk for chunk in topic.last if words & set(chunk.key.split())]
    stays = topic.last if shared else swapped(own, meant, topic, rules)
    return own, (*heads, *(chunk for chunk in stays if chunk not in shared))


def swapped(
    own: Sequence[Chunk], text: str, topic: Topic, rules: LanguageRules
) -> tuple[Chunk, ...]:
    """Return what stays of the question before.

    Args:
        own: What the message names.
        text: The message.
        topic: Of the turns before.
        rules: Rules of the language.
    """
    if rules.code in DENSE_LANGUAGES and (rest := _elsewhere(own, text, topic, rules)):
        return _priced(rest, topic, rules)
    likes = [chunk for chunk in topic.last if _is_alike(chunk, own[0], text, topic, rules)]
    named = [chunk for chunk in likes if _is_named(chunk, rules)]
    # "In Austria winter tyres" and "in Tyrol": what stands behind a place is not part of it.
    most = len(topic.last) if _word_before(own[0], text) in _ARTICLES else len(own)
    alike = {one for chunk in named or likes for one in _last_phrase(chunk, topic)[:most]}
    placed = rules.code == "de" and _word_before(own[0], text) in rules.words("leading")
    leads = _word_before(own[0], text) in _TO_PLACES
    if not alike and not placed and (leads or any(_is_named(chunk, rules) for chunk in own)):
        # What the answer writes as a name is one, whatever letters the person typed.
        told = {one.key for one in topic.said} if leads else frozenset[str]()
        names = [one for one in topic.last if _is_named(one, rules) or one.key in told]
        alike = set(names[-1:])
    return _priced(tuple(chunk for chunk in topic.last if chunk not in alike), topic, rules)


# What leads to a place, and to little else.
_TO_PLACES = frozenset({"in", "near", "en", "à", "au", "aux", "nach", "em"})


def _is_named(chunk: Chunk, rules: LanguageRules) -> bool:
    """Whether a chunk is a name; in German, where every noun has a capital, a rare one."""
    rare = " " in chunk.text or commonness(chunk.text, "de") <= NAME_COUNT
    german = rules.code == "de" and chunk.text[:1].isupper() and chunk.kind is Kind.WORD
    return chunk.kind in _NAMES or (german and rare)


def _priced(rest: tuple[Chunk, ...], topic: Topic, rules: LanguageRules) -> tuple[Chunk, ...]:
    """Add the price that the question before asked for with a verb alone ("what is ... in")."""
    asks = rules.phrase("price_asked")
    price = rules.mappings.get("asked_as", {}).get("price", "")
    if asks is None or not asks.search(topic.question) or not rest:
        return rest
    dense = rules.code in DENSE_LANGUAGES  # where the words that ask for it stay in the query
    if any(one.key == price.casefold() or (dense and asks.search(one.text)) for one in rest):
        return rest
    kept = tuple(chunk for chunk in rest if chunk.role is not Part.ASKS)
    return (*kept, Chunk(price)) if len(kept) < MEANT_WORDS else rest


def _elsewhere(
    own: Sequence[Chunk], text: str, topic: Topic, rules: LanguageRules
) -> tuple[Chunk, ...]:
    """Return the question before without the place in it, where another place is named.

    "From Seoul to Gangneung": the last, unless the message says "from" as well.
    """
    if len(own) != 1 or not _may_be_place(own[0], rules):
        return ()
    found = [
        (number, place)
        for number, chunk in enumerate(topic.last)
        for place in _places_in(chunk, topic.question, rules)
    ]
    if not found:
        return ()
    begins = _starts_from(own[0].text, text, rules)
    left = [one for one in found if begins and _starts_from(one[1], topic.question, rules)]
    number, place = (left or found)[-1]
    chunk = topic.last[number]
    before, _, behind = chunk.text.rpartition(place)
    rest = replace(chunk, text=f"{before}{behind}", kind=Kind.WORD)
    kept = (rest,) if rest.text else ()
    return (*topic.last[:number], *kept, *topic.last[number + 1 :])


_FROM_BEHIND, _FROM_BEFORE = re.compile(r"から|에서(?!는)|부터"), ("从", "由")
# What leads to a place in Chinese, and to nobody.
_TO_BEFORE = ("到", "去", "往", "飞", "回", *_FROM_BEFORE)


def _starts_from(place: str, text: str, rules: LanguageRules) -> bool:
    """Whether a text says "from" a place."""
    begin = text.find(place)
    if begin < 0:
        return False
    if rules.code == "zh":
        return text[:begin].endswith(_FROM_BEFORE)
    return _FROM_BEHIND.match(text, begin + len(place)) is not None


def _may_be_place(chunk: Chunk, rules: LanguageRules) -> bool:
    """Whether a chunk is a place, or one name that may be of one ("세종", "羽田")."""
    sorts = [one.sort for one in morphemes_of(chunk.text, rules.code)]
    return Sort.PLACE in sorts or sorts in ([Sort.NAME], [Sort.PERSON])


_KINDS_OF_PLACES = frozenset("市県區区县町村都府道州省시군구도")


def _places_in(chunk: Chunk, question: str, rules: LanguageRules) -> list[str]:
    """Return the places in a chunk, each with what kind of place it is ("名古屋市")."""
    found = morphemes_of(chunk.text, rules.code)
    kinds = [one.text if one.text in _KINDS_OF_PLACES else "" for one in found[1:]]
    return [
        one.text + kind
        for one, kind in zip(found, [*kinds, ""], strict=False)  # none behind the last
        if one.sort is Sort.PLACE or _is_led_to(one, question, rules)
    ]


def _is_led_to(one: Morpheme, question: str, rules: LanguageRules) -> bool:
    """Whether what looks like somebody's name is where the question leads to ("到桂林")."""
    before = question[: question.find(one.text)] if one.text in question else ""
    return rules.code == "zh" and one.sort is Sort.PERSON and before.endswith(_TO_BEFORE)


def _is_alike(chunk: Chunk, own: Chunk, text: str, topic: Topic, rules: LanguageRules) -> bool:
    if chunk.role is Part.TIME or chunk.key in month_numbers():
        return False
    small, before = _word_before(own, text), _word_before(chunk, topic.question)
    if before in _ARTICLES and small not in _ARTICLES:  # "in the UK" and "in Ireland"
        before = _word_before(replace(chunk, text=f"{before} {chunk.text}"), topic.question)
    if small and before == small and before in rules.words("stopwords"):
        return True
    places = [meanings_of(one.key, rules.code) for one in (chunk, own)]
    return all(meanings & _PLACES for meanings in places)


# Meanings of names of places, and of words that may be one.
_PLACES = frozenset({"place", "own_big_cities", "~own_big_cities"})


def _last_phrase(chunk: Chunk, topic: Topic) -> tuple[Chunk, ...]:
    """Return a chunk with those behind it where they end the question ("a honey badger?")."""
    if chunk.kind in _NAMES or any(one.role is Part.TIME for one in topic.last):
        return (chunk,)
    behind = topic.last[topic.last.index(chunk) :]
    phrase = " ".join(one.text for one in behind)
    ends = topic.question.casefold().rstrip(" ?!.").endswith(phrase.casefold())
    return behind if ends else (chunk,)


def _word_before(chunk: Chunk, text: str) -> str:
    """Return the word that stands before a chunk in its text, in small letters."""
    place = text.casefold().find(chunk.key)
    words = _WORD.findall(text[:place].casefold()) if place > 0 else []
    return words[-1] if words else ""


_ARTICLES = frozenset(
    {"the", "a", "an", "der", "den", "dem", "die", "das", "la", "le", "el", "los"}
)


def _head(chunk: Chunk, words: set[str]) -> str:
    """Return what stands before the shared words in a name: the maker in "DJI Mini 4"."""
    own = chunk.text.split()
    shared = next((n for n, word in enumerate(own) if word.casefold() in words), 0)
    return " ".join(own[:shared])


def _is_whole(meant: str, own: Sequence[Chunk], rules: LanguageRules) -> bool:
    """Whether what was meant is one name: two words, or more with small ones between them."""
    words = meant.casefold().split()
    begins = words[0] not in rules.words("stopwords") | rules.words("articles")
    pointing = words[-1] in rules.words("pronouns") | _ONE
    return len(words) > 1 and begins and not pointing and len(own) <= 2  # noqa: PLR2004 - both ends of a name
