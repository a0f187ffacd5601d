"""Rows to train on: which characters stand in which query, and rows with other spelling or setting.

A row is marked character by character in its own texts first, so that a change of spelling keeps
the marks, and cut into pieces last.
"""

import json
import random
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

FRESHNESS = ("none", "day", "week", "month", "year")
CJK = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
QUERIES = 3
Marks = list[int]
"""For each character a bit for each query."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text with the queries that each of its characters stands in."""

    role: str
    text: str
    marks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One message with what is known of it; None where it is not.

    Attributes:
        message: What the person wrote.
        history: Turns before it, oldest first.
        search: The web is needed.
        leans: It cannot be understood without its history.
        fresh: Window that fits.
        kind: Kind of message.
        tag_weight: How much its marks count; 0 where nothing is known of its queries.
        author: Who wrote it.
        language: Its code.
    """

    message: Text
    history: tuple[Text, ...]
    search: bool
    leans: bool | None
    fresh: str | None
    kind: str | None
    tag_weight: float
    author: str = ""
    language: str = ""
    queries: tuple[str, ...] = field(default=())


def read(path: Path) -> Iterator[dict]:
    """Yield the JSON of each line."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def marked(row: dict, queries: Sequence[str], *, tag_weight: float, leans: bool | None) -> Row:
    """Find each word of the queries in the message, else in the newest turn that has it."""
    message, turns = row["message"], row.get("history", ())
    texts = [message, *(turn["content"] for turn in reversed(turns))]
    marks = [[0] * len(text) for text in texts]
    plain = [_plain(text) for text in texts]
    from_history = False
    for number, query in enumerate(queries[:QUERIES]):
        for word in _words(query):
            place = next((n for n, text in enumerate(plain) if _spans(text, word)), None)
            if place is None:
                continue
            from_history = from_history or place > 0
            for start, end in _spans(plain[place], word)[:1]:
                for at in range(start, min(end, len(marks[place]))):
                    marks[place][at] |= 1 << number
    history = [
        Text(turn["role"], text, tuple(mark))
        for turn, text, mark in zip(reversed(turns), texts[1:], marks[1:], strict=True)
    ]
    if leans is None and tag_weight == 1.0:
        leans = from_history
    return Row(
        message=Text("user", message, tuple(marks[0])),
        history=tuple(reversed(history)),
        search=row["search"],
        leans=leans,
        fresh=row.get("fresh"),
        kind=row.get("kind"),
        tag_weight=tag_weight,
        language=row.get("lang", ""),
        queries=tuple(queries),
    )


def _plain(text: str) -> str:
    """Return a text of the same length for comparison."""
    out = []
    for char in text.replace("\u2019", "'"):
        low = unicodedata.normalize("NFKC", char).lower()
        out.append(low if len(low) == 1 else char)
    return "".join(out)


def _words(query: str) -> list[str]:
    bare = re.sub(r"\[[^\]]*\]", " ", _plain(unicodedata.normalize("NFKC", query)))
    return [word.strip('.,;:!?()"“”') or word for word in bare.split()]


def _spans(text: str, word: str) -> list[tuple[int, int]]:
    if CJK.search(word):
        start = text.find(word)
        return [(start, start + len(word))] if start >= 0 else []
    found = re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text)
    return [_whole(text, *match.span()) for match in found]


def _whole(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen to the blanks, a slash or a script without them."""

    def inside(char: str) -> bool:
        return not char.isspace() and char != "/" and not CJK.search(char)

    while start > 0 and inside(text[start - 1]):
        start -= 1
    while end < len(text) and inside(text[end]):
        end += 1
    return start, end


# -- other spelling and setting ---------------------------------------------------------------

_BEFORE = (
    "You are a helpful assistant. ", "You are an expert. Answer truthfully. ",
    "Act as a friendly tutor. ", "hey ", "Hi! ", "ok so ", "quick question: ", "um ",
    "pls tell me ",
    "Hello there, ", "I was wondering, ", "sorry to bother you but ",
    "Du bist ein Assistent. ",
    "Hallo, ", "Bonjour, ", "Tu es un assistant serviable. ", "Hola, ", "Eres un asistente útil. ",
    "안녕하세요, ", "こんにちは。", "你好,", "Привет! ", "Olá, ", "مرحبا، ",
)  # fmt: skip
_AFTER = (
    " Please be brief.", " Answer in one sentence.", " thanks!", " thx", " in a table please",
    " Keep it short.", " Use bullet points.", " Explain like I'm five.", " Reply as JSON.",
    " Bitte kurz.", " Danke!", " Merci d'avance.", " Réponds brièvement.", " Gracias.",
    " Sé breve, por favor.", " 짧게 답해줘.", " 簡潔にお願いします。", " 请简短回答。",
    " ???", " asap",
    " no fluff", " Be concise and don't use markdown.", " Antworte auf Deutsch.", " lol",
)  # fmt: skip
_CODE = (
    "```python\nfor item in items:\n    print(item)\n```\n",
    '```\nTraceback (most recent call last):\n  File "main.py", line 3\n```\n',
    "> quoted from a mail: see you on Friday, best regards\n\n",
)


def varied(row: Row, chance: random.Random, others: Sequence[Row]) -> Row:
    """Return a row as somebody else might have typed it, or after another conversation."""
    message = row.message
    draw = chance.random()
    if draw < 0.22:
        message = replace(message, text=_lower(message.text))
    elif draw < 0.27:
        message = _without(message, ".,!?;:¿¡。、?!\"'")
        message = replace(message, text=_lower(message.text))
    elif draw < 0.30:
        message = replace(message, text=_upper(message.text))
    if chance.random() < 0.10 and row.language not in {"ko", "ja", "zh", "th"}:
        message = _typo(message, chance)
    if chance.random() < 0.10:
        message = _joined((chance.choice(_BEFORE), message, ""))
    if chance.random() < 0.10:
        message = _joined(("", message, chance.choice(_AFTER)))
    if chance.random() < 0.03:
        message = _joined((chance.choice(_CODE), message, ""))
    history = row.history
    if not history and chance.random() < 0.3:
        other = chance.choice(others)
        turns = [*other.history, replace(other.message, marks=(0,) * len(other.message.text))]
        history = tuple(replace(turn, marks=(0,) * len(turn.text)) for turn in turns[-6:])
        return replace(row, message=message, history=history, leans=False)
    return replace(row, message=message)


def _lower(text: str) -> str:
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)


def _upper(text: str) -> str:
    return "".join(char.upper() if len(char.upper()) == 1 else char for char in text)


def _without(text: Text, chars: str) -> Text:
    kept = [
        n for n, char in enumerate(text.text) if char not in chars or not _is_edge(text.text, n)
    ]
    return Text(text.role, "".join(text.text[n] for n in kept), tuple(text.marks[n] for n in kept))


def _is_edge(text: str, n: int) -> bool:
    before, after = text[n - 1 : n], text[n + 1 : n + 2]
    return not (before.isalnum() and after.isalnum())


def _typo(text: Text, chance: random.Random) -> Text:
    chars, marks = list(text.text), list(text.marks)
    for _ in range(chance.choice((1, 1, 2))):
        places = [
            n for n in range(1, len(chars) - 2)
            if all(c.isascii() and c.isalpha() for c in chars[n - 1 : n + 2])
        ]  # fmt: skip
        if not places:
            break
        at = chance.choice(places)
        match chance.randrange(3):
            case 0:
                chars[at], chars[at + 1] = chars[at + 1], chars[at]
            case 1:
                del chars[at], marks[at]
            case _:
                chars.insert(at, chars[at])
                marks.insert(at, marks[at])
    return Text(text.role, "".join(chars), tuple(marks))


def _joined(parts: Iterable[str | Text]) -> Text:
    whole, marks = "", ()
    for part in parts:
        if isinstance(part, Text):
            whole, marks = whole + part.text, marks + part.marks
        else:
            whole, marks = whole + part, marks + (0,) * len(part)
    return Text("user", whole, marks)
