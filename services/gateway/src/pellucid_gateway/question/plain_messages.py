"""Messages that plainly need no search, told without asking anybody: small talk, some orders.

Small talk is a message that is nothing but greetings, thanks and praise; an order begins with words
such as "translate", or wants something made up ("give me a short poem"), and asks for nothing
recent. Good for what costs next to nothing where it is wrong; the decision service decides. What is
meant may hang on the turn before ("yes, please"), so such words are not among the phrases.
"""

import re
from functools import cache

from pellucid_gateway.question.fallback_decision import asks_to_search, find_urls, load_phrases
from pellucid_language.terms import has_unspaced_script

_MOST_CHARS = 80
# Where an order says what is wanted; the text that it brings along says nothing of that.
_ORDER_CHARS = 400
# Signs that may stand before, between and after phrases.
_SIGNS = r"[\W_]*+"
_WORD = r"[\w'\u2019+#-]+"
_THANKS = re.compile(
    r"\b(?:thanks?|thank you|thx|cheers|appreciate|danke\w*|dank|merci|gracias)\b"
    r"|고마워|고맙|감사|谢谢|多谢|感谢|謝謝|ありがとう|助かり",
    re.IGNORECASE,
)
# "a short", "a Python", "me a funny little".
_MOST_BETWEEN = 3


def is_plain(message: str) -> bool:
    """Whether nothing is said that a search could help.

    >>> is_plain("Thanks, that was great!"), is_plain("Thanks. Who built it?")
    (True, False)
    >>> is_plain("Translate: the bridge is closed"), is_plain("Translate the latest news")
    (True, False)
    >>> is_plain("Give me a Python function that adds"), is_plain("Give me the top story in Brazil")
    (True, False)
    """
    beginning = message[:_ORDER_CHARS]
    low = beginning.lower()
    if is_small_talk(message):
        return True
    is_order = _order().match(low) is not None or _making().match(low) is not None
    return is_order and not find_urls(beginning) and not asks_to_search(beginning)


def is_small_talk(message: str) -> bool:
    """Whether a message is nothing but greetings, thanks and praise.

    >>> is_small_talk("hi there"), is_small_talk("Translate: hi there")
    (True, False)
    """
    return len(message) <= _MOST_CHARS and _talk().fullmatch(message.lower()) is not None


def is_thanks(message: str) -> bool:
    """Whether a message gives thanks.

    >>> is_thanks("Thanks a lot!"), is_thanks("Hello there")
    (True, False)
    """
    return _THANKS.search(message[:_MOST_CHARS]) is not None


@cache
def _talk() -> re.Pattern[str]:
    """Phrases one after the other."""
    return re.compile(rf"{_SIGNS}(?:(?>{_any_of('small_talk')}){_SIGNS})++")


@cache
def _order() -> re.Pattern[str]:
    """How an order begins, politely or not."""
    return re.compile(rf"{_politely()}(?:{_any_of('orders')})")


@cache
def _making() -> re.Pattern[str]:
    """How something to be made is asked for; a few words may stand before its name."""
    thing = "|".join(map(re.escape, load_phrases()["made"]))
    between = rf"(?: {_WORD}){{0,{_MOST_BETWEEN}}}?"
    return re.compile(rf"{_politely()}(?:{_any_of('making')}){between} (?:{thing})s?(?!\w)")


def _politely() -> str:
    """Expression for what may stand before an order."""
    return rf"{_SIGNS}(?:(?:{_any_of('please')}){_SIGNS})?"


def _any_of(kind: str) -> str:
    """Expression for a phrase of a kind, the longest first; whole words where words are spaced."""
    phrases = sorted(load_phrases()[kind], key=len, reverse=True)
    return "|".join(
        re.escape(phrase) + ("" if has_unspaced_script(phrase) else r"(?!\w)") for phrase in phrases
    )
