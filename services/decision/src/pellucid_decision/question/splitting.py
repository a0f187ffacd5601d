"""Several questions in one sentence, told apart: at the words that ask, and at what is asked of."""

import re
from collections.abc import Iterator
from functools import lru_cache

from pellucid_decision.question.asking import (
    content_words,
    is_question,
    openers_of,
    without_opening,
)
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_decision.text.lexicon import DENSE_LANGUAGES
from pellucid_language.scripts import HAN

# Characters of a question behind another one's comma at least, where no blanks divide words.
MIN_PART = 4


def parts_in(sentence: str, rules: LanguageRules) -> Iterator[str]:
    """Yield the questions that are joined in one sentence."""
    for piece in _split_at_questions(sentence, rules):
        for one in _split_at_attributes(piece, rules):
            yield without_opening(one, rules)


def _split_at_questions(text: str, rules: LanguageRules) -> list[str]:
    pieces, joint = [text], ""
    breaks = _question_break(openers_of(rules), rules.code)
    for match in reversed(list(breaks.finditer(text))):
        left, right = pieces[0][: match.start()], pieces[0][match.end() :]
        if content_words(left, rules) and (content_words(right, rules) or _priced(right, rules)):
            pieces[:1], joint = [left, right], match.group()
    joined = any(map(str.isalpha, joint)) and content_words(pieces[0], rules) > 1
    asks = pieces[-1].casefold().startswith(tuple(rules.words("question_words")))
    return pieces if joined and asks else _with_fragment(pieces, rules)


def _priced(text: str, rules: LanguageRules) -> bool:
    """Whether a text asks what something costs in small words alone ("how much are they")."""
    price = rules.phrase("price_asked")
    return bool(price and price.search(text))


def _with_fragment(pieces: list[str], rules: LanguageRules) -> list[str]:
    """Join a thing that is only named ("Jaguar the animal, how ...") to what is asked of it."""
    first, *others = pieces
    asks = is_question(without_opening(first, rules), rules) or _asks_attribute(first, rules)
    if asks or not others:
        return pieces
    return [f"{first.rstrip(' ,;，、；')} {other}" for other in others]


def _asks_attribute(text: str, rules: LanguageRules) -> bool:
    if rules.code in DENSE_LANGUAGES:
        return any(word in text for word in rules.words("attributes"))
    words = set(re.findall(r"[\w'-]+", text.casefold()))
    return bool(words & (rules.words("attributes") | rules.words("roles")))


def _split_at_attributes(text: str, rules: LanguageRules) -> list[str]:
    """Tell apart two attributes of one thing ("the price and the opening hours of ...")."""
    pair = _attribute_pair(rules.words("attributes"), rules.code)
    match = pair.search(text) if pair else None
    two = rules.phrase("pair")
    match = match or (two.search(text) if two else None)
    if match is None:
        return _split_list(text, rules)
    names = [name for name in match.groupdict().values() if name]
    head, tail = text[: match.start()], text[match.end() :]
    return [f"{head}{name}{tail}" for name in names]


def _split_list(text: str, rules: LanguageRules) -> list[str]:
    """Tell apart "the population of Lagos, the capital of Kazakhstan"."""
    opener = _attribute_opener(rules.words("attributes"), rules.code)
    if opener is None:
        return [text]
    cuts = [match.start() for match in opener.finditer(text) if match.start() > 0]
    if not cuts or not opener.search(f", {text[: cuts[0]]}"):
        return [text]
    ends = [*cuts, len(text)]
    return [text[: cuts[0]], *(text[a:b] for a, b in zip(cuts, ends[1:], strict=False))]


@lru_cache(maxsize=32)
def _question_break(openers: tuple[str, ...], code: str) -> re.Pattern[str]:
    """Where one question ends and the next begins: a joiner, and behind it a word that asks."""
    ahead = "|".join(re.escape(word) for word in openers) or "(?!)"
    if code in DENSE_LANGUAGES:
        behind = "|".join(f"(?<={re.escape(word)})" for word in openers)
        joiner = (
            r"[,，、;；]\s*(?:그리고 |또 |还有|以及|另外|それと|あと)?"
            r"|(?<=[?？。])\s*|\s(?:그리고|또) "
            r"|(?:(?<=어디고)|(?<=누구고)|(?<=언제고)|(?<=얼마고)|(?<=이고)|(?<=되고)|(?<=하고)|(?<=있고)|(?<=는지)|(?<=인지))\s"
        )
        further = (
            "あと|それと|それから|还有|另外|以及|顺便(?:再)?(?:问|查)?(?:一下|下)?|对了|再问(?:一下|下)"
            "|그리고|그리구|또|글[고구]"
        )
        after_one = (
            rf"(?:(?:{behind})[,，、]\s*|[,，、]\s*(?:{further})\s*|(?<=[야요지까나니])\s(?:{further})\s"
            rf"|(?<=[{HAN}])\s(?:{further})\s?)"
            rf"(?=[^,，、?？。]{{{MIN_PART}}})"
        )
        return re.compile(rf"(?:{joiner})(?=[^,，、;；?？。]*?(?:{ahead}))|{after_one}")
    joiner = (
        r"\s*[,;]\s*(?:and|y|e|und|et|plus|also|or|o|ou|oder)?\s*"
        r"(?:also|auch|aussi|además|how about)?\s*[¿]?"
        r"|\s+(?:and|y|e|und|et|plus|also|&|\+|n|u\.)\s+"
        r"(?:also |then |auch |aussi |además )?[¿]?|(?<=[?!])\s*"
    )
    return re.compile(rf"(?:{joiner})(?=(?:{ahead})\b)", re.IGNORECASE)


@lru_cache(maxsize=16)
def _attribute_pair(attributes: frozenset[str], code: str) -> re.Pattern[str] | None:
    if not attributes:
        return None
    one = "|".join(re.escape(word) for word in sorted(attributes, key=len, reverse=True))
    if code in DENSE_LANGUAGES:
        joiner = r"\s*(?:이랑|랑|하고|와|과|및|と|や|および|和|与|及|以及|跟|[,、，·])\s*"
        return re.compile(rf"(?P<a>{one})(?:{joiner}(?P<b>{one}))(?:{joiner}(?P<c>{one}))?")
    lead = r"(?:the |its |los |las |el |la |le |les |l'|der |die |das |den )?"
    joiner = rf"\s*(?:,\s*(?:and|y|und|et)?|\band|\by|\bund|\bet|&)\s*{lead}"
    body = rf"\b(?P<a>{one}){joiner}(?P<b>{one})(?:{joiner}(?P<c>{one}))?\b"
    return re.compile(body, re.IGNORECASE)


@lru_cache(maxsize=16)
def _attribute_opener(attributes: frozenset[str], code: str) -> re.Pattern[str] | None:
    """Where the next item of a list of attributes of several things begins."""
    if not attributes or code in DENSE_LANGUAGES:
        return None
    one = "|".join(re.escape(word) for word in sorted(attributes, key=len, reverse=True))
    lead = r"(?:what(?:'s| is) )?(?:the |el |la |los |las |le |les |l'|der |die |das |den )?"
    of = r"(?:of|in|for|de|del|du|des|d'|von|in|der|des)"
    joiner = r",\s*(?:and |y |und |et )?|\s(?:and|y|und|et)\s"
    return re.compile(rf"(?:{joiner}){lead}(?:{one}) {of}\b", re.IGNORECASE)
