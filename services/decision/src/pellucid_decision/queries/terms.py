"""The meaningful words of a question, for coverage by what was gathered."""

import re
from dataclasses import dataclass

from pellucid_language.scripts import HAN, HANGUL, HIRAGANA, KATAKANA
from pellucid_language.stop_words import query_stop_words

_TERM = re.compile(
    rf'"[^"\n]{{2,60}}"|[{HAN}{KATAKANA}]{{2,}}|[{HANGUL}]{{2,}}'
    rf"|(?:(?![{HAN}{KATAKANA}{HIRAGANA}{HANGUL}])[\w$€£#])"
    rf"(?:(?![{HAN}{KATAKANA}{HIRAGANA}{HANGUL}])[\w.+#'’&-])*"
)
_NAME = re.compile(r"[A-ZÀ-ÖØ-Þ]|\d")
_POSSESSIVE = re.compile(r"['’]s?\Z")


@dataclass(frozen=True, slots=True)
class Term:
    """One meaningful word or quoted phrase.

    Attributes:
        text: As the person wrote it, without quotation marks and possessives.
        firm: A name, a number or a quotation, which no other word stands in for.
    """

    text: str
    firm: bool = False

    @property
    def key(self) -> str:
        """Its form for comparisons."""
        return self.text.casefold()


def terms_of(question: str, language: str) -> tuple[Term, ...]:
    """Return the terms of a question, each once.

    >>> [term.text for term in terms_of("Who is the CFO of Siemens?", "en")]
    ['CFO', 'Siemens']
    """
    stop_words = query_stop_words(language)
    found: dict[str, Term] = {}
    for match in _TERM.finditer(question):
        text = _POSSESSIVE.sub("", match.group().strip('".-'))
        if not text or text.casefold() in stop_words:
            continue
        opens = not question[: match.start()].strip(" ¿¡\"'")
        firm = match.group().startswith('"') or any(map(str.isdigit, text))
        firm = firm or (
            _NAME.match(text) is not None and (not opens or text[1:] != text[1:].lower())
        )
        found.setdefault(text.casefold(), Term(text, firm))
    return tuple(found.values())
