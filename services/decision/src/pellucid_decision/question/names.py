"""Which words of a question stand together: names, names with numbers, verbs with particles."""

import re
from collections.abc import Iterator, Sequence

from pellucid_decision.question.chunk import Chunk, Role
from pellucid_decision.question.spelling import corrected
from pellucid_decision.question.terms import Kind
from pellucid_decision.question.tokens import POSSESSIVE, Token
from pellucid_decision.rules.rulebook import LanguageRules

MAX_NAME_TOKENS = 8


# What makers put behind the number of a model ("iphone 17 pro max").
MODEL_WORDS = frozenset(
    ["air", "fold", "flip", "lite", "max", "mini", "plus", "pro", "ultra", "xl", "fe", "turbo"]
)


_YEAR = re.compile(r"(?:19|20)\d\d")


# Words that join two things as often as they stand within a name.
_JOINERS = frozenset({"y", "&", "el", "la"})


_CONNECTORS = frozenset(
    {
        "of",
        "de",
        "del",
        "la",
        "the",
        "der",
        "von",
        "van",
        "da",
        "di",
        "du",
        "des",
        "y",
        "&",
        "el",
    }
)


def named_chunks(
    text: str, tokens: Sequence[Token], rules: LanguageRules, *, compares: bool
) -> Iterator[Chunk]:
    """Yield names, names with their numbers, and single words.

    Args:
        text: Folded text.
        tokens: Its words.
        rules: Rules of its language.
        compares: It compares, so that "and" between two names parts them.
    """
    connectors = _CONNECTORS - _JOINERS if compares else _CONNECTORS
    titled = text.istitle()
    told = any(token.stop for token in tokens)
    place = 0
    while place < len(tokens):
        end = _run_end(text, tokens, place, rules, connectors) if not titled else place + 1
        if end > place + 1:
            run = tokens[place:end]
            written = text[run[0].start : run[-1].end]
            written = POSSESSIVE.sub("", written) if rules.code != "de" else written
            whole = rules.code != "de" or any(letter.isdigit() for letter in written)
            yield Chunk(written, Kind.ENTITY if whole else Kind.WORD, start=run[0].start)
        else:
            yield from _single(text, tokens, place, rules, told=told)
        place = end


def _run_end(
    text: str,
    tokens: Sequence[Token],
    place: int,
    rules: LanguageRules,
    connectors: frozenset[str],
) -> int:
    """Return where the name that begins at a token ends; the token's own end when it is none."""
    first = tokens[place]
    if not (first.text[:1].isupper() or first.kind is Kind.IDENTIFIER):
        return _numbered_end(text, tokens, place, rules)
    if not _begins_name(tokens, place, rules):
        return place + 1
    end = place + 1
    last = min(len(tokens), place + MAX_NAME_TOKENS)
    while end < last and _goes_on(text, tokens, end, first, connectors):
        end += 1
    while end > place + 1 and tokens[end - 1].text in connectors:
        end -= 1
    return end


def _begins_name(tokens: Sequence[Token], place: int, rules: LanguageRules) -> bool:
    first, word = tokens[place], tokens[place].text.casefold()
    titled = rules.code == "en" and first.text == "The" and _is_capital(tokens, place + 1)
    if first.stop and not titled and (first.opens or not _is_capital(tokens, place + 1)):
        return False
    if first.opens and word in rules.words("question_words") | rules.words("auxiliaries"):
        return False
    return word not in rules.words("roles") | rules.words("attributes")


def _goes_on(
    text: str,
    tokens: Sequence[Token],
    place: int,
    first: Token,
    connectors: frozenset[str],
) -> bool:
    """Whether a token belongs to the name before it."""
    token, gap = tokens[place], text[tokens[place - 1].end : tokens[place].start]
    if gap == ": ":  # "Dune: Part Two", not "GDPR: does it apply"
        return first.kind is not Kind.IDENTIFIER and _is_capital(tokens, place + 1)
    joins = token.text[:1].isupper() or token.kind in {Kind.NUMBER, Kind.IDENTIFIER}
    return gap in {" ", " & ", "-"} and (joins or _connects(text, tokens, place, connectors))


def _connects(text: str, tokens: Sequence[Token], place: int, connectors: frozenset[str]) -> bool:
    """Whether a small word stands within a name ("Bank of England", "Lord of the Rings")."""
    for ahead in (1, 2):
        if place + ahead >= len(tokens) or tokens[place + ahead - 1].text not in connectors:
            return False
        gap = text[tokens[place + ahead - 1].end : tokens[place + ahead].start]
        if gap != " ":
            return False
        if tokens[place + ahead].text[:1].isupper():
            return True
    return False


def _is_capital(tokens: Sequence[Token], place: int) -> bool:
    return place < len(tokens) and tokens[place].text[:1].isupper()


def _numbered_end(text: str, tokens: Sequence[Token], place: int, rules: LanguageRules) -> int:
    """A word in small letters with its number ("section 230", "windows 11 24H2")."""
    first, end = tokens[place], place + 1
    small = first.stop or first.text.casefold() in (
        rules.words("links") | rules.words("particles") | rules.words("telling_verbs")
    )
    if small or first.kind is not Kind.WORD or not first.text[-1:].isalpha():
        return end
    while end < len(tokens) and text[tokens[end - 1].end : tokens[end].start] == " ":
        token = tokens[end]
        # "model y", "livret A"
        capital = token.text.isupper() and rules.code != "en"
        letter = len(token.text) == 1 and token.text.isalpha() and (capital or not token.stop)
        number = letter or (token.kind is Kind.NUMBER and not _YEAR.fullmatch(token.text))
        model = token.kind is Kind.IDENTIFIER and any(letter.isdigit() for letter in token.text)
        qualifies = end > place + 1 and token.text.casefold() in MODEL_WORDS
        if not (number or model or qualifies):
            break
        if number and end + 1 < len(tokens) and tokens[end + 1].text.casefold() in UNITS:
            break
        end += 1
    return end


UNITS = frozenset(
    [
        "year",
        "years",
        "day",
        "days",
        "week",
        "weeks",
        "month",
        "months",
        "hour",
        "hours",
        "minute",
        "minutes",
        "people",
        "euro",
        "euros",
        "dollars",
        "percent",
        "km",
        "miles",
        "kg",
        "jahre",
        "tage",
        "wochen",
        "monate",
        "stunden",
        "uhr",
        "años",
        "días",
        "meses",
        "horas",
        "personas",
        "ans",
        "jours",
        "mois",
        "heures",
        "personnes",
    ]
)


def _single(
    text: str, tokens: Sequence[Token], place: int, rules: LanguageRules, *, told: bool
) -> Iterator[Chunk]:
    token = tokens[place]
    lower = token.text.casefold()
    if lower in rules.words("particles"):
        if _is_particle(text, tokens, place, rules):
            yield Chunk(token.text, start=token.start)
        return
    if _is_organisation(tokens, place, rules):
        yield Chunk(token.text.upper(), Kind.IDENTIFIER, start=token.start)
        return
    if token.stop:
        if _asks(tokens, place, rules):
            yield Chunk(lower, Kind.WORD, Role.ASKS, start=token.start)
        return
    if len(token.text) < 2 and token.kind is Kind.WORD:  # noqa: PLR2004 - a lone letter
        return
    written, kind = token.text, token.kind
    if kind is Kind.WORD:
        names = not token.opens and rules.code != "de"
        written = corrected(written, rules.code, told=told, names=names)
        if written.casefold() in rules.words("stopwords") | rules.words("polite"):
            return
    role = Role.WEAK if lower in rules.words("weak") else Role.CONTENT
    yield Chunk(written, kind, role, start=token.start)


def _asks(tokens: Sequence[Token], place: int, rules: LanguageRules) -> bool:
    """Whether a question word carries the question: "who painted", "why do"; not "who is"."""
    word = tokens[place].text.casefold()
    if all(token.stop for token in tokens) and word in rules.words("places_asked"):
        return True
    if place or word not in rules.words("asking_words"):
        return False
    contracted = tokens[0].end - tokens[0].start > len(tokens[0].text)  # "who's"
    after = "is" if contracted else tokens[1].text.casefold() if len(tokens) > 1 else ""
    if after in rules.words("copulas") and word not in rules.words("always_asking"):
        verb = tokens[1 if contracted else 2 : 3]
        return any(one.text.casefold() in rules.mappings.get("verb_roles", {}) for one in verb)
    return True


def _is_organisation(tokens: Sequence[Token], place: int, rules: LanguageRules) -> bool:
    """Whether a small word is a name by its neighbours ("the us", "Who guidelines")."""
    word = tokens[place].text.casefold()
    after = tokens[place + 1].text.casefold() if place + 1 < len(tokens) else ""
    before = tokens[place - 1].text.casefold() if place else ""
    if word == "who":
        return after in rules.words("who_nouns")
    return word == "us" and rules.code == "en" and before in {"a", "the", "in", "an"}


def _is_particle(text: str, tokens: Sequence[Token], place: int, rules: LanguageRules) -> bool:
    """Whether a small word belongs to its verb ("sold out"), or is what is asked ("is it down")."""
    token = tokens[place]
    last = place == len(tokens) - 1
    strong = token.text.casefold() not in {"on", "in", "an", "auf", "um", "zu"}
    if place == 0:
        return False
    before = tokens[place - 1]
    verb = before.kind is Kind.WORD and not before.stop and text[before.end : token.start] == " "
    if last:
        return strong or verb
    ahead = tokens[place + 1].text.casefold()
    place_word = ahead in rules.words("articles") and token.text.casefold() in {
        "over",
        "on",
        "in",
        "up",
        "down",
    }
    return verb and strong and not place_word
