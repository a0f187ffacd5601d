"""Normal forms of text: cleaned for keeping, cut for bounded work."""

import re

from pellucid_language.folding import composed

# The instruction of a long message stands at its beginning or its end; what lies between is
# material. Chosen by hand to bound the work of the patterns.
HEAD_CHARACTERS = 600
TAIL_CHARACTERS = 300

_CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
_BLANKS = re.compile(r"[ \t\u00a0\u3000]+")
_MARKUP = re.compile(r"<[^<>]{0,200}>")


def clean(text: str) -> str:
    r"""Return `text` without control and invisible characters, NFC, blanks collapsed.

    >>> clean("a\x00  b\u200b ")
    'a b'
    """
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()  # as most are
    visible = _CONTROL.sub("", composed(text).replace("\r\n", "\n"))
    return _BLANKS.sub(" ", visible).strip()


def window(text: str) -> str:
    """Return the beginning and end of a long text, the whole of a short one."""
    if len(text) <= HEAD_CHARACTERS + TAIL_CHARACTERS:
        return text
    return f"{text[:HEAD_CHARACTERS]}\n{text[-TAIL_CHARACTERS:]}"


def one_line(text: str, limit: int) -> str:
    """Return `text` as one line of at most `limit` characters without markup."""
    return " ".join(_MARKUP.sub(" ", text).split())[:limit].rstrip()
