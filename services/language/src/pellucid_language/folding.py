"""Forms of a text for comparing: without what two spellings of one word differ in.

The one place that normalises Unicode; a test keeps it so.
"""

import re
import unicodedata

# Marks on Latin, Greek and Cyrillic letters; the vowel signs of other scripts are letters.
_ACCENTS = re.compile(r"[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_STRAIGHT_QUOTES = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"'}
)


def fold(text: str) -> str:
    """Return a text without case, accents, width and compatibility forms; for comparing only.

    >>> fold("Ｃafé STRASSE"), fold("が㎞")
    ('cafe strasse', 'がkm')
    """
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))


def fold_expression(expression: str) -> str:
    r"""Fold the words of a regular expression for folded texts; its signs (\W, \B) stay.

    >>> fold_expression(r"\bété\W|ところで") == rf"\bete\W|{fold('ところで')}"
    True
    """
    return _BEYOND_ASCII.sub(lambda match: fold(match.group()), expression)


def caseless(text: str) -> str:
    """Return a text without case, width and compatibility forms; accents stay.

    >>> caseless("Ｃafé STRASSE") == "café strasse"
    True
    """
    return compatible(text).casefold()


def straight(text: str) -> str:
    """Return a text without width and compatibility forms, with straight quotes; case stays.

    >>> straight("the ‘１st’ Café")
    "the '1st' Café"
    """
    return text if text.isascii() else compatible(text).translate(_STRAIGHT_QUOTES)


def compatible(text: str) -> str:
    """Return the NFKC form of a text: full-width letters and ligatures as plain ones."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def composed(text: str) -> str:
    """Return the NFC form of a text: letters and their accents as one character."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)
