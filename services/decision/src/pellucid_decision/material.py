"""Tells what a message asks from the text that it brings along.

Quoted passages and what follows a colon are material: words in them do not speak for the web when
the message wants something done with them. Whether it does is not decided here.
"""

import re

# Shorter quotations are titles and names, which belong to the question.
_QUOTED = re.compile(
    r'"[^"\n]{4,}"|„[^“"\n]{4,}[“"]|«[^»\n]{4,}»|「[^」\n]{4,}」|『[^』\n]{4,}』|《[^》\n]{12,}》'
    r"|(?<!\w)'[^'\n]{4,}(?:\w'\w[^'\n]*)*'(?!\w)"
)
# A colon of a clock time, an address or a ratio has no blank behind it.
_AFTER_COLON = re.compile(
    r"\A([^:\n]{4,160}?):(?:(?<=[\u3040-\ud7af]:)|(?=[\s\"„«「『\u3040-\ud7af]))\s*[\s\S]{8,}\Z"
)
# "TypeError: ..." is the message of a fault, not an order and its material.
_FAULT = re.compile(r"\S*(?:error|exception|warning|fehler|erreur)\Z", re.IGNORECASE)


def without_material(text: str) -> str:
    """Return a folded text without quoted passages and without what follows its first colon.

    >>> without_material("Proofread: I has searched the latest news")
    'Proofread'
    >>> without_material("trains at 10:30 to York")
    'trains at 10:30 to York'
    >>> without_material("KeyError: 3 what is that")
    'KeyError: 3 what is that'
    """
    bare = _QUOTED.sub(" ", text)
    match = _AFTER_COLON.match(bare)
    order = match.group(1) if match and not _FAULT.fullmatch(match.group(1).strip()) else bare
    return order if order.strip() else text
