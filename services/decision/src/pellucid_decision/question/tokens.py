"""Words of a text whose words blanks divide, with what their form says of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pellucid_decision.question.terms import MIN_NAME, Kind
from pellucid_decision.rules.rulebook import LanguageRules

TOKEN = re.compile(r"[$€£#@]?\w+(?:(?:\+\+|['.\-+/&:])\w+)*(?:\+\+|\+|#)?%?")


_NUMBER = re.compile(r"[$€£]?\d+(?:[.,:/-]\d+)*%?")


_IDENTIFIER = re.compile(
    r"(?=.*\d)(?=.*[^\W\d_])[\w.+#/-]+|[A-ZÀ-Þ]{2,}[\w+#.&-]*|\w+(?:\+\+|\+|#)|[a-z]+[A-Z]\w*|\w+[._]\w+|\$[A-Z]{1,6}"
)


POSSESSIVE = re.compile(r"(?:'s|s'|')\Z", re.IGNORECASE)


_ELISION = re.compile(r"\A(?:l|d|qu|j|c|n|s|m|t)'(?=\w)", re.IGNORECASE)


_CAPITAL = re.compile(r"(?<!\w)[A-ZÀ-Þ]")


_SENTENCE_START = re.compile(r"(?:\A|[.!?:¿¡]\s?|\n)[\s\"'(¿¡]*\Z")


# Small words that are written in capitals to stress them, and are no abbreviation.
_SHOUTED = frozenset(
    [
        *("ok", "i", "and", "not", "but", "or", "the", "all", "any", "only", "never", "no", "so"),
        *("too", "if", "my", "und", "nicht", "oder", "aber", "nur", "et", "pas", "mais", "ou"),
        *("y", "pero", "solo"),
    ]
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word, and what its form says of it."""

    text: str
    start: int
    end: int
    kind: Kind
    stop: bool
    opens: bool


def tokens_of(text: str, rules: LanguageRules, *, shouted: bool = False) -> Iterator[Token]:
    """Yield the words of a text in order.

    Args:
        text: Folded text.
        rules: Rules of its language.
        shouted: All of the message is in capitals, which say nothing then.
    """
    kept, particles = rules.words("kept"), rules.words("particles")
    stop = (rules.words("stopwords") | rules.words("polite")) - kept - particles
    acronyms = not shouted
    headline = 2 * len(_CAPITAL.findall(text)) > len(TOKEN.findall(text))
    stopped, place = True, 0
    for match in TOKEN.finditer(text):
        token = match.group()
        if "'" in token:
            joined = token[:2].lower() == "d'" and not stopped and place == match.start() - 1
            token = token if joined or rules.code != "fr" else _ELISION.sub("", token)
            token = POSSESSIVE.sub("", token) if rules.code != "de" else token
        opens = _SENTENCE_START.search(text[: match.start()]) is not None
        bare = _ELISION.sub("", token) if rules.code == "fr" and "'" in token else token
        kind = _kind(bare, opens=opens, german=rules.code == "de")
        word = token.casefold() in stop
        name = kind is Kind.ENTITY and len(token) >= MIN_NAME and not headline
        word = word and not name  # "The Who"
        stopped, place = word, match.end()
        if acronyms and kind is Kind.IDENTIFIER and token.isupper() and len(token) > 1:
            word = word and token.casefold() in _SHOUTED
        yield Token(token, match.start(), match.end(), kind, word, opens)


def _kind(token: str, *, opens: bool, german: bool) -> Kind:
    if token.isalpha() and token == token.lower():
        return Kind.WORD
    if _NUMBER.fullmatch(token):
        return Kind.NUMBER
    if _IDENTIFIER.fullmatch(token):
        return Kind.IDENTIFIER
    capital = token[:1].isupper() and not opens
    return Kind.ENTITY if capital and not german else Kind.WORD
