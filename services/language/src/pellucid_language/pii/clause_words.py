"""The words of a clause as the search for stated secrets reads them: bare, and the marks around."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml

from pellucid_language.stop_words import stop_words

_TOKEN = re.compile(r"mots? de passe\S*|\S+|\n", re.IGNORECASE)
_OPENING = "\"'“‘«„([{<`"
_CLOSING = "\"'”’»“)]}>`"
_PAUSES = ",:;.?!)"
_ELISION = re.compile(r"(?:l|d|s|c|m|n|t|j|qu)['’](?=\w)", re.IGNORECASE)
_CONTRACTED = re.compile(r"(?<=\w)['’](?:s|re)$", re.IGNORECASE)
_SIGNED = re.compile(r"([^\W\d][\w-]*)([:=：])(?=\S)")
_COMPOUND = re.compile(
    r"(?:zugang|alarm|tresor|tür|tor|schloss|safe|sicherheit|entsperr|geräte|sim|handy|karten|bank|wlan|wifi|netz"
    r"|konto|schließfach|garagen|koffer|haus|eingangs|freischalt|bestätigungs|geheim|zahlen|notfall)[\w-]*?"
    r"(?:code|pin|nummer|schlüssel|kombination|kennwort|passwort)",
)
_PASSWORDS = re.compile(r"[\w-]*(?:passw[oö]rt|kennwort|password|passphrase)|mots? de passe")
_LOCKS = re.compile(r"[\w-]+(?:schloss|tresor|safe)")
_FEW_DIGITS = re.compile(r"\d{1,2}|\d{4}")
_FEWEST_JOINED = 3
_ANDS = frozenset({"and", "or", "und", "oder", "et", "ou", "y", "o", "&", "then"})
# A sentence that goes on so about what was named before it belongs to it.
_GOES_ON = frozenset({"it's", "its", "it", "c'est", "es", "that's", "das", "he", "they"})


@dataclass(frozen=True, slots=True)
class Word:
    """One word, or figures that stand apart and belong together.

    Attributes:
        start: Place of `bare` in the text, in characters.
        end: One past it.
        bare: Without marks around it.
        low: In lower case, without "l'" before and "'s" behind.
        kinds: Lists of the lexicon that it stands in.
        pause: The mark behind it that ends a part of the clause, "" for none.
        is_quoted: Quotation marks begin with it.
        closes: Quotation marks end with it.
        is_apart: A bracket or a quotation mark begins with it.
        is_copula: It holds "is", as in "the code's 4711".
    """

    start: int
    end: int
    bare: str
    low: str
    kinds: frozenset[str]
    pause: str = ""
    is_quoted: bool = False
    closes: bool = False
    is_apart: bool = False
    is_copula: bool = False

    @property
    def is_and(self) -> bool:
        """Whether it joins the values of a list."""
        return self.low in _ANDS


@cache
def lexicon() -> Mapping[str, frozenset[str]]:
    """Return the lists that each word stands in.

    >>> sorted(lexicon()["tresor"])
    ['guard', 'opened']
    """
    source = resources.files("pellucid_language.pii").joinpath("secret_words.yaml")
    lists: dict[str, str] = yaml.safe_load(source.read_text("utf-8"))
    kinds: dict[str, set[str]] = {}
    for name, words in lists.items():
        for word in words.split():
            kinds.setdefault(word, set()).add(name)
    return {word: frozenset(names) for word, names in kinds.items()}


@cache
def said_of_secrets() -> frozenset[str]:
    """Return what people say of secrets in general, grammar included: none of it is one."""
    return stop_words() | {word for word, kinds in lexicon().items() if "said" in kinds}


def clauses_of(text: str) -> Iterator[tuple[Word, ...]]:
    """Yield the words of each sentence, of each line at least.

    >>> [[word.bare for word in words] for words in clauses_of("The code's 12. Why?")]
    [['The', "code's", '12'], ['Why']]
    """
    words: list[Word] = []
    has_ended = False
    for start, raw in _tokens(text):
        if raw == "\n" or (has_ended and raw.lower() not in _GOES_ON):
            if words:
                yield tuple(_joined(words, text))
            words = []
        has_ended = False
        if raw == "\n":
            continue
        word = _word(start, raw)
        words.append(word)
        has_ended = word.pause in {".", "?", ";", "!"}
    if words:
        yield tuple(_joined(words, text))


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    """Words between blanks; a name before a sign and its value apart."""
    for match in _TOKEN.finditer(text):
        raw, start = match.group(), match.start()
        signed = _SIGNED.match(raw)
        if signed and signed[1].lower() in lexicon() and "://" not in raw:
            yield start, signed[0]
            yield start + signed.end(), raw[signed.end() :]
        else:
            yield start, raw


def _word(start: int, raw: str) -> Word:
    head = len(raw) - len(raw.lstrip(_OPENING))
    bare = raw.lstrip(_OPENING)
    kept = bare.rstrip(_CLOSING + ",:;.?")
    kept = kept.rstrip("!") if kept.rstrip("!").isalpha() else kept
    bare = kept or raw
    marks = raw[head + len(kept) :] if kept else ""
    low = bare.lower().replace("’", "'")
    if low not in lexicon():
        low = _CONTRACTED.sub("", _ELISION.sub("", low)) or low
    elided = _ELISION.match(bare)
    offset = elided.end() if elided and head + elided.end() < len(raw) else 0
    value = bare[offset:] if offset else bare
    is_contracted = bool(_CONTRACTED.search(bare)) and low != bare.lower()
    return Word(
        start + (head if kept else 0) + offset,
        start + (head if kept else 0) + len(bare),
        value,
        low,
        kinds_of(low),
        pause=next((mark for mark in marks if mark in _PAUSES), ""),
        is_quoted=any(mark in "\"'“‘«„`" for mark in raw[:head]),
        closes=any(mark in "\"'”’»“`" for mark in marks),
        is_apart=head > 0,
        is_copula=is_contracted,
    )


def kinds_of(low: str) -> frozenset[str]:
    """Return the lists that a word stands in, German compounds by their last part."""
    listed = lexicon().get(low, frozenset())
    if listed:
        return listed
    if _COMPOUND.fullmatch(low) or _PASSWORDS.fullmatch(low):
        return frozenset({"secret"})
    if low.endswith(("karte", "konto")):
        return frozenset({"service"})
    return frozenset({"guard", "opened"}) if _LOCKS.fullmatch(low) else listed


def _joined(words: list[Word], text: str) -> Iterator[Word]:
    """The words with figures such as "74 12 33" as one."""
    at = 0
    while at < len(words):
        end = at
        while end < len(words) and _FEW_DIGITS.fullmatch(words[end].bare):
            end += 1
            if words[end - 1].pause:
                break
        if end - at >= _FEWEST_JOINED:
            first, last = words[at], words[end - 1]
            bare = text[first.start : last.end]
            yield Word(first.start, last.end, bare, bare, frozenset(), last.pause)
            at = end
        else:
            yield words[at]
            at += 1
