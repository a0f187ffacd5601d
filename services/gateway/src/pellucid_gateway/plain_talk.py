"""Messages that are nothing but greetings, thanks and praise, told without asking anybody.

Good for what costs next to nothing where it is wrong; the decision service decides. What is meant
may hang on the turn before ("yes, please"), so such words are not among the phrases.
"""

import re
from functools import cache

from pellucid_gateway.fallback_decision import load_phrases
from pellucid_gateway.terms import has_unspaced_script

_MOST_CHARS = 80


def is_plain_talk(message: str) -> bool:
    """Whether nothing is said that a search could help.

    >>> is_plain_talk("Thanks, that was great!"), is_plain_talk("Thanks. Who built it?")
    (True, False)
    """
    return len(message) <= _MOST_CHARS and _talk().fullmatch(message.lower()) is not None


@cache
def _talk() -> re.Pattern[str]:
    """Phrases one after the other, whatever signs are between them, the longest first."""
    phrases = sorted(load_phrases()["small_talk"], key=len, reverse=True)
    told = (re.escape(p) + ("" if has_unspaced_script(p) else r"(?!\w)") for p in phrases)
    return re.compile(rf"[\W_]*+(?:(?>{'|'.join(told)})[\W_]*+)++")
