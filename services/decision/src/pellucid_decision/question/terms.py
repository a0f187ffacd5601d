"""The words of a message that carry its meaning, in order: what a query is made of.

Spaced languages are cut at blanks and thinned by a stop list; Korean loses its particles; Chinese
and Japanese are cut at function words. Quoted phrases stay whole.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import chain

from pellucid_decision.question.private import without_private
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_language.folding import straight
from pellucid_language.scripts import HAN, HANGUL, HIRAGANA, KANA, KATAKANA

MAX_TERMS = 40
# A capital in the middle of a sentence makes even an everyday word of this length a name ("The Who").  # noqa: E501 - one pattern or table row
MIN_NAME = 4
MAX_TERM_CHARACTERS = 60
# Of the rules in force, and of those before a reload.
_LISTS_KEPT = 64


class Kind(StrEnum):
    """How firmly a term must be kept."""

    QUOTED = "quoted"
    IDENTIFIER = "identifier"
    NUMBER = "number"
    ENTITY = "entity"
    WORD = "word"


FIRM = frozenset({Kind.QUOTED, Kind.IDENTIFIER, Kind.NUMBER, Kind.ENTITY})


@dataclass(frozen=True, slots=True)
class Term:
    """One meaningful word or quoted phrase.

    Attributes:
        text: As the person wrote it, without particles and possessives.
        kind: How firmly it must be kept.
    """

    text: str
    kind: Kind = Kind.WORD

    @property
    def key(self) -> str:
        """Form in which terms are compared."""
        return self.text.strip('"').casefold()


_QUOTED = re.compile(
    r'"([^"\n]{2,80})"|「([^」\n]{1,60})」|『([^』\n]{1,60})』|《([^》\n]{1,60})》|«\s?([^»\n]{2,80}?)\s?»|„([^“"\n]{2,80})[“"]'
)
_TOKEN = re.compile(r"[$€£#@]?\w+(?:[''.\-+/&:]\w+)*(?:\+\+|#)?%?")
_NUMBER = re.compile(r"[$€£]?\d+(?:[.,:/-]\d+)*%?")
_IDENTIFIER = re.compile(
    r"(?=.*\d)(?=.*[A-Za-z])[\w.+#/-]+|[A-Z]{2,}[\w+#.-]*|\w+(?:\+\+|#)|[a-z]+[A-Z]\w*|\w+[._]\w+|\$[A-Z]{1,6}"
)
_POSSESSIVE = re.compile(r"(?:'s|s'|')\Z", re.IGNORECASE)
_ELISION = re.compile(r"\A(?:l|d|qu|j|c|n|s|m|t)'(?=\w)", re.IGNORECASE)
_SENTENCE_START = re.compile(r"(?:\A|[.!?]\s|\n)\W*\Z")
# Two capitalised words at the start are a name rather than a sentence's opening.
_FULL_NAME = re.compile(r"[^\W\d_][\w'-]* [^\W\d_a-z]\w")
_HANGUL = re.compile(f"[{HANGUL}]")
_HAN = re.compile(f"[{HAN}]")
_HIRAGANA = re.compile(f"[{HIRAGANA}]")
_HAN_KANA = re.compile(f"[{HAN}{KANA}]")
_JA_RUN = re.compile(
    rf"[A-Za-z0-9][A-Za-z0-9.+#%&-]*|[{KATAKANA}]{{2,}}|[{HAN}ヶ0-9０-９]+(?:[のがケヶ](?=[{HAN}])(?!.))?"
)
_LATIN_RUN = re.compile(r"[A-Za-z0-9$][A-Za-z0-9.+#%&/-]*")
_ASCII_TOKEN = re.compile(r"[\x21-\x7e]+")


def terms_of(text: str, rules: LanguageRules) -> tuple[Term, ...]:
    """Return the meaningful terms of `text` in order, without repeats, at most 40."""
    plain = straight(without_private(text, rules))
    quoted = [
        Term(f'"{phrase}"' if " " in phrase else phrase, Kind.QUOTED) for phrase in quotes_in(plain)
    ]
    rest = _QUOTED.sub(" ", plain)
    cut = {"ko": _korean, "zh": _chinese, "ja": _japanese}.get(rules.code, _spaced)
    return unique(chain(quoted, cut(rest, rules)))


def quotes_in(text: str) -> tuple[str, ...]:
    """Return the phrases that a text puts in quotation marks."""
    found = (next(group for group in match.groups() if group) for match in _QUOTED.finditer(text))
    return tuple(phrase.strip() for phrase in found if phrase.strip())


def unique(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Return the terms without repeats, bounded in number and length."""
    seen: dict[str, Term] = {}
    for term in terms:
        key = term.key
        if key and key not in seen and len(term.text) <= MAX_TERM_CHARACTERS:
            seen[key] = term
            if len(seen) == MAX_TERMS:
                break
    return tuple(seen.values())


def _spaced(text: str, rules: LanguageRules) -> Iterator[Term]:
    stop = _either(rules.words("stopwords"), rules.words("fillers"))
    openings = _either(stop, rules.words("generic"))
    german = rules.code == "de"
    names = not text.istitle()
    firm = _compounds(text, rules)
    for match in _TOKEN.finditer(text):
        token = match.group()
        if _is_lower_word(token):  # as most are: no name, and nothing is opened by it
            if len(token) > 1 and (token.casefold() not in stop or match.start() in firm):
                yield Term(token)
            continue
        if "'" in token and not german:
            token = _POSSESSIVE.sub("", _ELISION.sub("", token))
        opening = token[:1].isupper() and _opens_sentence(text, match.start())
        if opening and _FULL_NAME.match(text, match.start()):
            opening = token.casefold() in openings
        kind = _kind(token, opening=opening, german=german)
        name = kind is Kind.ENTITY and names and len(token) >= MIN_NAME
        if token.casefold() in stop and not name and match.start() not in firm:
            continue
        if len(token) > 1 or kind is not Kind.WORD:
            yield Term(token, kind)


def _opens_sentence(text: str, place: int) -> bool:
    return _SENTENCE_START.search(text[max(0, place - 4) : place]) is not None


def _compounds(text: str, rules: LanguageRules) -> frozenset[int]:
    """Return where words stand that carry meaning only as part of a fixed pair ("share price")."""
    pairs = rules.phrase("compounds")
    spans = (match.span() for match in pairs.finditer(text)) if pairs else ()
    return frozenset(place for span in spans for place in range(*span))


def _is_lower_word(token: str) -> bool:
    return token.isalpha() and token == token.lower()


def _kind(token: str, *, opening: bool, german: bool) -> Kind:
    if _is_lower_word(token):
        return Kind.WORD
    if _NUMBER.fullmatch(token):
        return Kind.NUMBER
    if _IDENTIFIER.fullmatch(token):
        return Kind.IDENTIFIER
    capital = token[:1].isupper() and (not opening or token[1:].lower() != token[1:])
    return Kind.ENTITY if capital and not german else Kind.WORD


def _korean(text: str, rules: LanguageRules) -> Iterator[Term]:
    stop = _either(rules.words("stopwords"), rules.words("fillers"))
    particles = _longest_first(rules.words("particles"))
    for match in _TOKEN.finditer(text):
        token = match.group()
        stem = _without_particle(token, particles)
        if token.casefold() in stop or stem.casefold() in stop:
            continue
        kind = _kind(stem, opening=False, german=False)
        if len(stem) > 1 or kind is not Kind.WORD or _HANGUL.fullmatch(stem):
            yield Term(stem, kind)


@lru_cache(maxsize=_LISTS_KEPT)
def _either(first: frozenset[str], second: frozenset[str]) -> frozenset[str]:
    """Return two word lists of the rules as one; there are few of them."""
    return first | second


@lru_cache(maxsize=_LISTS_KEPT)
def _longest_first(words: frozenset[str]) -> tuple[str, ...]:
    """Return a word list of the rules in the order in which endings are tried."""
    return tuple(sorted(words, key=len, reverse=True))


def _without_particle(token: str, particles: Sequence[str]) -> str:
    """Strip one particle from the end of a Korean word when at least two syllables stay."""
    if token.endswith("유로"):
        return token  # the currency, not what it ends in
    for particle in particles:
        stem = token.removesuffix(particle)
        if stem != token and not _fits(particle, stem[-1:]):
            continue
        if stem != token and (len(stem) >= 2 or (stem and not _HANGUL.match(stem[-1]))):  # noqa: PLR2004 - the number says itself
            return stem
    return token


# Particles by the sound that they stand behind; all others stand behind any.
_BEHIND_CONSONANT = frozenset(
    ["이", "은", "을", "과", "으로", "이랑", "이나", "이야", "이란", "이고", "이며"]
)
_BEHIND_VOWEL = frozenset(["가", "는", "를", "와", "랑", "나", "야", "란"])
# Unicode has 28 Hangul syllables to a beginning, the first of them without a consonant at its end.
_FIRST_SYLLABLE, _TO_A_BEGINNING = 0xAC00, 28


def _fits(particle: str, last: str) -> bool:
    """Whether a particle may stand behind a syllable: "이" of "린나이" is none."""
    if not _HANGUL.match(last):
        return True
    closed = (ord(last) - _FIRST_SYLLABLE) % _TO_A_BEGINNING > 0
    return particle not in (_BEHIND_VOWEL if closed else _BEHIND_CONSONANT)


def _chinese(text: str, rules: LanguageRules) -> Iterator[Term]:
    functions = rules.phrase("functions")
    rest = functions.sub(" ", text) if functions else text
    stop = rules.words("stopwords")
    for piece in _ASCII_TOKEN.sub(lambda match: f" {match.group()} ", rest).split():
        for run in re.findall(rf"[{HAN}]+|[A-Za-z0-9$][A-Za-z0-9.+#%&/-]*", piece):
            term = run.strip(".")
            if term.casefold() not in stop:
                yield Term(term, _kind(term, opening=False, german=False))


def _japanese(text: str, rules: LanguageRules) -> Iterator[Term]:
    """Yield the terms; the first character of all where every one looks like a verb's stem."""
    found = list(_japanese_runs(text, rules))
    first = None if found else _HAN_KANA.search(text)
    yield from [Term(first.group())] if first and _HAN.match(first.group()) else found


def _japanese_runs(text: str, rules: LanguageRules) -> Iterator[Term]:
    functions = rules.phrase("functions")
    rest = functions.sub(" ", text) if functions else text
    stop = rules.words("stopwords")
    for match in _JA_RUN.finditer(rest):
        term = match.group().strip(".の")
        following = rest[match.end() : match.end() + 1]
        verb_stem = len(term) == 1 and _HAN_KANA.match(term) and _HIRAGANA.match(following)
        if term and not verb_stem and term.casefold() not in stop:
            yield Term(term, _kind(term, opening=False, german=False))
