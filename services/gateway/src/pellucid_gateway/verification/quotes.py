"""Quotations in a model's prose: longer ones are cut, since sources are to be paraphrased."""

import re

from pellucid_language.terms import has_unspaced_script

MAX_QUOTE_WORDS = 15
# A language without spaces says about a word in two characters.
_MAX_QUOTE_CHARS = 2 * MAX_QUOTE_WORDS
_QUOTE = re.compile(
    r"[\"“]([^\"“”]+)[\"”]|«\s?([^«»]+?)\s?»|»([^«»]+)«|‹\s?([^‹›]+?)\s?›|›([^‹›]+)‹"
    r"|„([^„“”]+)[“”]|「([^「」]+)」|『([^『』]+)』|(?<!\w)‘((?:[^‘’]|(?<=\w)’(?=\w))+)’(?!\w)"
)
_OPENING = re.compile(r"[\"“«»‹›„「『‘]")


def shortened(text: str) -> str:
    """The text with each quotation of more than 15 words cut, the omission marked.

    >>> shortened('He said "yes".')
    'He said "yes".'
    """
    return _QUOTE.sub(_cut, text)


def _cut(match: re.Match[str]) -> str:
    quoted = next(group for group in match.groups() if group)
    if has_unspaced_script(quoted):
        short = quoted[:_MAX_QUOTE_CHARS]
    else:
        short = " ".join(quoted.split()[:MAX_QUOTE_WORDS])
    if len(short) >= len(" ".join(quoted.split())):
        return match.group()
    return match.group().replace(quoted, f"{short.rstrip(' ,;:')} …")


def settled_end(text: str) -> int:
    """Offset of the first quotation, which may still turn out too long."""
    match = _OPENING.search(text)
    return match.start() if match else len(text)
