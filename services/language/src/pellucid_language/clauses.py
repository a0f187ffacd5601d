"""Where clauses end within a sentence: at pauses, and at conjunctions that set one against another.

What a clause may be cut at depends on what is read off it, so there are three measures: the wide
one for what is said of whom, the tight one for what stands beside a figure, and pauses alone.
"""

import re

_OPPOSING = "but|while|whereas|aber|während|mais|pero"
BORDER = re.compile(
    rf"[,;:—–。、，；：]\s|[。、，；]|\s(?:{_OPPOSING}|doch|tandis que|mientras que)\s"
)
"""Between two statements; a mark inside a number or a time is none."""

TIGHT_BORDER = re.compile(rf"[,;:—–。、，；：]\s?|\s(?:{_OPPOSING})\s")
"""The same beside figures, which are cut out before."""

PAUSE = re.compile(r"[,;:.!?、，。；]\s|[、，。；]")
"""Any mark that ends a clause or a sentence, where spaces bound words."""

UNSPACED_PAUSE = re.compile(r"[,;:.!?、，。；]")
"""The same where they do not."""


def clauses(sentence: str) -> list[str]:
    """Return the statements of a sentence, without empty ones.

    >>> clauses("The bridge opened at 9:30, but the toll stayed")
    ['The bridge opened at 9:30', 'but the toll stayed']
    """
    return [part for part in BORDER.split(sentence) if part and part.strip()]
