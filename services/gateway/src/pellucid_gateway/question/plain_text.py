"""Text from outside as it is shown: without marks of format, link targets and invisible characters.

What the marks stood around stays as it was written: `max_size`, C# and 5 * 3 are no marks.
"""

import re
import unicodedata

_ADDRESS = re.compile(r"https?://\S+|www\.\S+")
_LINK = re.compile(r"!\[[^\]]*\]\([^)]*\)|\[([^\]]*)\]\([^)]*\)")
_LINE_START = re.compile(r"^\s*(?:#{1,6}\s+|>\s?)+")
# Emphasis hugs what it marks; a lone star or an underline within a word is none.
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=\S)(.+?)(?<=\S)\1(?![\w*])")
_CODE = re.compile(r"`+")
_DANGEROUS_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cn", "Cs"})


def without_urls(text: str) -> str:
    """Text less addresses written out in full: what a person asks, rather than where.

    >>> without_urls("https://news.example/bridge how high is it?")
    '  how high is it?'
    """
    return _ADDRESS.sub(" ", text)


def plain(text: str) -> str:
    """Text without markup, control and invisible characters, whitespace runs as one space.

    >>> plain("**Set** `max_size` in [the docs](http://a.example/), C# *only*")
    'Set max_size in the docs, C# only'
    """
    bare = _LINK.sub(lambda match: match.group(1) or " ", text)
    bare = _CODE.sub("", _LINE_START.sub("", bare))
    if "*" in bare or "_" in bare:
        bare = _EMPHASIS.sub(r"\2", bare)
    if bare.isascii() and bare.isprintable():
        return " ".join(bare.split())
    visible = "".join(
        " " if c.isspace() else c
        for c in bare
        if c.isspace() or unicodedata.category(c) not in _DANGEROUS_CATEGORIES
    )
    return " ".join(visible.split())
