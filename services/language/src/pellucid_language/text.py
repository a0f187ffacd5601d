"""Cleaning of text that comes from outside, whatever door it takes."""

import re

# Control characters except tab and newline, bidirectional overrides, the tag block and marks that
# hide text from the reader but not from a model.
_UNWANTED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2060-\u2064\u2066-\u2069"
    "\ufeff\ufff9-\uffff\U000e0000-\U000e007f]"
)


def clean(text: str) -> str:
    r"""Drop control and hidden characters; newlines and tabs stay, CRLF becomes LF.

    >>> clean("a\x00b\r\nc")
    'ab\nc'
    """
    return _UNWANTED.sub("", text)
