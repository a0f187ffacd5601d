"""Traditional Chinese, read as simplified: rules, glosses and analyser know that script alone.

What is searched is in the person's own characters again. OpenCC converts; every character becomes
one character, so that places in both forms are the same.
"""

import re
from dataclasses import dataclass, replace
from functools import cache

from opencc import OpenCC

from pellucid_decision.text.conversation import Ask
from pellucid_language.scripts import HAN

_HAN = re.compile(f"[{HAN}]")
_PIECE = re.compile(r"\s+|[^\s]+")


@dataclass(frozen=True, slots=True)
class Script:
    """A conversation in both forms, character by character.

    Attributes:
        plain: In simplified characters.
        written: As it was written; as long as `plain`.
    """

    plain: str
    written: str

    def restored(self, text: str) -> str:
        """Return a text made of the conversation's words in its own characters."""
        found = (self._piece(match.group()) for match in _PIECE.finditer(text))
        return self._slice(text) or "".join(found)

    def _piece(self, piece: str) -> str:
        return self._slice(piece) or _converter("s2t").convert(piece)

    def _slice(self, text: str) -> str:
        place = self.plain.find(text)
        return self.written[place : place + len(text)] if place >= 0 else ""


def simplified(ask: Ask) -> tuple[Ask, Script | None]:
    """Return a request in simplified characters; itself, and None, where it is written so.

    >>> from datetime import UTC, datetime
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> ask, script = simplified(Ask("車票多少錢", now, now))
    >>> ask.message, script.restored("车票 价格") if script else ""
    ('车票多少钱', '車票 價格')
    """
    texts = [ask.message, *(turn.content for turn in ask.history)]
    plain = [_simple(text) for text in texts]
    if plain == texts:
        return ask, None
    turns = zip(ask.history, plain[1:], strict=True)
    history = tuple(replace(turn, content=text) for turn, text in turns)
    return replace(ask, message=plain[0], history=history), Script(
        "\n".join(plain), "\n".join(texts)
    )


def _simple(text: str) -> str:
    if not _HAN.search(text):
        return text
    found: str = _converter("t2s").convert(text)
    return found if len(found) == len(text) else text


@cache
def _converter(name: str) -> OpenCC:
    return OpenCC(name)


def load_characters() -> None:
    """Read the tables, so that no request waits for them."""
    for name in ("t2s", "s2t"):
        _converter(name).convert("一")
