"""Citation markers, links, images and tags in a model's sentence.

Parsing only: what is kept is settled in `citations`. Every address that is not evidence becomes
plain text or nothing, in whatever form it is written.
"""

import re
from collections.abc import Iterator, Sequence

from pellucid_gateway.markdown.addresses import Addresses
from pellucid_gateway.markdown.readers import plain_end
from pellucid_gateway.verification import marked_places
from pellucid_gateway.verification.marked_places import Standing
from pellucid_gateway.verification.pieces import Marker, Piece, Text
from pellucid_language.citation_marks import BEGINNING, MARK, numbers_of, shape_of

_TARGET = r"\(\s*<?((?:[^()\s<>]|\([^()\s]*\))*)>?(?:\s+[\"'(][^\"')\n]*[\"')])?\s*\)"
# A label may have brackets in it, and an image.
_BRACKETED = r"(?:\\.|[^\[\]\\\n]|\[(?:\\.|[^\[\]\\\n])*\](?:\([^()\s]*\))?)*"
_SCHEME = r"(?:https?|ftp|data|javascript|file|(?<![^\W_])(?:mailto|tel|sms)):"
_TOKEN = re.compile(
    r"(?P<code>(?<!`)(?P<fence>`+)(?!`)[^\n]+?(?<!`)(?P=fence)(?!`))"
    r"|(?P<math>\$\$[^\n]+?\$\$|\\\([^\n]+?\\\)"
    r"|\$(?=\S)(?=[^$\n]*[\\^_{}=<>])[^$\n]+?(?<=\S)\$(?!\d))"
    rf"|(?P<image>!\[(?P<alt>{_BRACKETED})\](?:{_TARGET})?)"
    rf"|(?P<link>\[(?P<label>{_BRACKETED})\]{_TARGET})"
    rf"|(?P<marker>{MARK.pattern})"
    r"|(?P<naming>\[\s*(?:sources?|citations?|quellen?|fuentes?|출처|来源|來源|出典)\s?[:：]"
    r"[^\[\]\n]{2,200}\])"
    r"|(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<tag></?(?:a|img|iframe|script|link|video|audio|source|object|embed|form|input|svg|style|"
    r"base|meta|picture|button)\b[^>\n]{0,2000}>)"
    rf"|(?P<url><?(?:{_SCHEME}|www\.|//(?=\w+\.))[^\s<>\"”»]+>?)"
    r"|(?P<path>(?<![\w@./-])(?:[\w-]+\.)+[^\W\d_]{2,24}/[^\s<>\"”»]*)",
    re.IGNORECASE,
)
_BETWEEN_MARKS = re.compile(r"[ \t]*[,;]?[ \t]*")
_URL_TAIL = ".,;:!?)]}'*_。，、！？"


def parse(sentence: str, addresses: Addresses) -> tuple[Piece, ...]:
    """Split a sentence into text and markers; addresses outside the evidence are gone."""
    pieces: list[Piece] = []
    last = 0
    tokens = list(_TOKEN.finditer(sentence))
    usual = _shapes_of_citations(tokens, sentence)
    while tokens:
        run = _marks_in_a_row(tokens, sentence)
        token, end = tokens[0], run[-1].end() if run else tokens[0].end()
        del tokens[: len(run) or 1]
        pieces.append(Text(sentence[last : token.start()]))
        pieces.extend(_marker(run, sentence, usual) if run else _pieces_of(token, addresses))
        last = end
    pieces.append(Text(sentence[last:]))
    return tuple(_joined(pieces))


def _marks_in_a_row(tokens: Sequence[re.Match[str]], sentence: str) -> list[re.Match[str]]:
    """The marks that the tokens begin with, as far as nothing but commas stands between them."""
    run: list[re.Match[str]] = []
    for token in tokens:
        gap = sentence[run[-1].end() : token.start()] if run else ""
        if not token["marker"] or not _BETWEEN_MARKS.fullmatch(gap):
            break
        run.append(token)
    return run


def _shapes_of_citations(tokens: Sequence[re.Match[str]], sentence: str) -> set[str]:
    """Shapes of the marks whose place alone shows that they cite."""
    shapes: set[str] = set()
    rest = list(tokens)
    while rest:
        run = _marks_in_a_row(rest, sentence)
        if run and marked_places.standing(run, sentence) is Standing.CITATION:
            shapes.update(map(shape_of, run))
        del rest[: len(run) or 1]
    return shapes


def _marker(run: Sequence[re.Match[str]], sentence: str, usual: set[str]) -> Iterator[Piece]:
    start, end = run[0].start(), run[-1].end()
    written = sentence[start:end]
    standing = marked_places.standing(run, sentence, usual)
    if standing is Standing.TEXT:
        yield Text(written)
    else:
        numbers = dict.fromkeys(n for mark in run for n in numbers_of(mark))
        yield Marker(tuple(numbers), written if standing is Standing.OPEN else "")


def _pieces_of(match: re.Match[str], addresses: Addresses) -> Iterator[Piece]:
    if match["code"] or match["math"] or match["escape"]:
        yield Text(match.group(), literal=not match["escape"])
    elif match["image"]:
        yield from _image(match["image"], addresses)
    elif match["naming"]:  # "[Sources: The Herald]" cites by no number
        yield Marker((0,))
    elif match["link"]:
        yield from _link(match["label"], match["link"], addresses)
    elif match["url"] or match["path"]:
        before = match.string[: match.start()]
        in_brackets = before.count("(") > before.count(")")
        yield from _address(match.group(), addresses, in_brackets=in_brackets)


def _image(whole: str, addresses: Addresses) -> Iterator[Piece]:
    """An image that the client itself showed stays; every other one is gone."""
    if addresses.may_show(_target(whole[whole.rfind("](") + 1 :]) or "none:"):
        yield Text(whole, literal=True)


def _link(label: str, whole: str, addresses: Addresses) -> Iterator[Piece]:
    target = _target(whole[len(label) + 2 :])
    if addresses.is_own(target):
        yield Text(whole, literal=True)
        return
    if not MARK.fullmatch(f"[{label.strip('[]')}]"):
        yield from parse(label, addresses)
    yield Marker((addresses.number_of(target) or 0,))


def _target(written: str) -> str:
    """The address between the brackets behind a label, without title; empty when there is none."""
    return next(iter(written.strip("()<> ").split()), "")


def _address(written: str, addresses: Addresses, *, in_brackets: bool) -> Iterator[Piece]:
    bare = written.strip("<>")
    address = bare.rstrip(_URL_TAIL)
    tail = bare[len(address) :]
    if addresses.number_of(address) is not None or addresses.is_own(address):
        yield Text(address, literal=True)
        yield Text(tail)
    else:
        yield Marker((0,))
        yield Text(tail if in_brackets else tail.lstrip(")"))


def _joined(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Neighbouring texts of one kind become one, markers at one place become one."""
    current: Piece | None = None
    for piece in pieces:
        if isinstance(piece, Text) and not piece.text:
            continue
        if isinstance(current, Text) and isinstance(piece, Text):
            if current.literal == piece.literal:
                current = Text(current.text + piece.text, current.literal)
                continue
        elif isinstance(current, Marker) and isinstance(piece, Marker):
            numbers = tuple(dict.fromkeys(current.numbers + piece.numbers))
            current = Marker(numbers, current.written and piece.written)
            continue
        if current is not None:
            yield current
        current = piece
    if current is not None:
        yield current


# Text from here on may change before its sentence is complete.
_UNSETTLED = re.compile(rf"{BEGINNING.pattern}|!$|!\[|{_SCHEME}", re.IGNORECASE)


def settled_end(text: str) -> int:
    """Offset up to which no marker, link or tag can stand, given whole words."""
    match = _UNSETTLED.search(text)
    return min(plain_end(text), match.start() if match else len(text))
