"""Citation markers, links, images and tags in a model's sentence.

Parsing only: what is kept is settled in `citations`. Every address that is not evidence becomes
plain text or nothing, in whatever form it is written.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from pellucid_gateway.claims.pieces import Marker, Piece, Text
from pellucid_gateway.markdown.addresses import Addresses
from pellucid_gateway.markdown.readers import plain_end

_TARGET = r"\(\s*<?((?:[^()\s<>]|\([^()\s]*\))*)>?(?:\s+[\"'(][^\"')\n]*[\"')])?\s*\)"
# A label may have brackets in it, and an image.
_BRACKETED = r"(?:\\.|[^\[\]\\\n]|\[(?:\\.|[^\[\]\\\n])*\](?:\([^()\s]*\))?)*"
# A word before the number, as in [Source 1], [citation:1], [doc_1] or [#1].
_LABEL = r"(?:[^\W\d_]{1,12}\s?)?[.:_#]?\s*"
_MARKER_BODY = (
    rf"\s*\^?\s*{_LABEL}(\d{{1,4}}(?:\s*(?:[,;、，]|–|—|-|&|and)\s*"
    rf"{_LABEL}\d{{1,4}})*)\s*(?:†[^\]】］〕\n]{{0,40}})?\s*"
)
_POINTER = r"[(（]\s*(?:sources?|quellen?|fuentes?|출처|来源|出典)"
_MARKER = (
    rf"(?P<bold>\*\*)?\\?[\[【［〔](?:{_MARKER_BODY}|\[{_MARKER_BODY}\])\\?[\]】］〕]"
    r"(?:\s?[–—-]\s?\[\d{1,3}\])?(?(bold)\*\*)"
    rf"|{_POINTER}\s*\d{{1,2}}(?:\s*(?:,|&|and|und|y|et)\s*\d{{1,2}})*\s*[)）]"
)
_SCHEME = r"(?:https?|ftp|data|javascript|file|(?<![^\W_])(?:mailto|tel|sms)):"
_TOKEN = re.compile(
    r"(?P<code>(?<!`)(?P<fence>`+)(?!`)[^\n]+?(?<!`)(?P=fence)(?!`))"
    r"|(?P<math>\$\$[^\n]+?\$\$|\\\([^\n]+?\\\)"
    r"|\$(?=\S)(?=[^$\n]*[\\^_{}=<>])[^$\n]+?(?<=\S)\$(?!\d))"
    rf"|(?P<image>!\[(?P<alt>{_BRACKETED})\](?:{_TARGET})?)"
    rf"|(?P<link>\[(?P<label>{_BRACKETED})\]{_TARGET})"
    rf"|(?P<marker>{_MARKER})"
    r"|(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<tag></?(?:a|img|iframe|script|link|video|audio|source|object|embed|form|input|svg|style|"
    r"base|meta|picture|button)\b[^>\n]{0,2000}>)"
    rf"|(?P<url><?(?:{_SCHEME}|www\.|//(?=\w+\.))[^\s<>\"”»]+>?)"
    r"|(?P<path>(?<![\w@./-])(?:[\w-]+\.)+[^\W\d_]{2,24}/[^\s<>\"”»]*)",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d+)\s*[–—-]\s*(\d+)")
_URL_TAIL = ".,;:!?)]}'*_。，、！？"
# Bracketed numbers in this span are years, not markers.
_YEARS = range(1500, 2101)
_MOST_NUMBERS = 20


def parse(sentence: str, addresses: Addresses) -> tuple[Piece, ...]:
    """Split a sentence into text and markers; addresses outside the evidence are gone."""
    pieces: list[Piece] = []
    last = 0
    for match in _TOKEN.finditer(sentence):
        pieces.append(Text(sentence[last : match.start()]))
        pieces.extend(_pieces_of(match, addresses))
        last = match.end()
    pieces.append(Text(sentence[last:]))
    return tuple(_joined(pieces))


def _pieces_of(match: re.Match[str], addresses: Addresses) -> Iterator[Piece]:
    if match["code"] or match["math"] or match["escape"]:
        yield Text(match.group(), literal=not match["escape"])
    elif match["image"]:
        yield from _image(match["image"], addresses)
    elif match["link"]:
        yield from _link(match["label"], match["link"], addresses)
    elif match["marker"]:
        yield from _marker(match["marker"])
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
    if not re.fullmatch(_MARKER_BODY, label.strip("[]")):
        yield from parse(label, addresses)
    yield Marker((addresses.number_of(target) or 0,))


def _target(written: str) -> str:
    """The address between the brackets behind a label, without title; empty when there is none."""
    return next(iter(written.strip("()<> ").split()), "")


def _marker(written: str) -> Iterator[Piece]:
    numbers = tuple(_numbers(written))
    if len(numbers) == 1 and numbers[0] in _YEARS:
        yield Text(written)
    else:
        yield Marker(numbers)


def _numbers(written: str) -> Iterable[int]:
    spread = _RANGE.sub(_spread, re.sub(r"[\[\]\\]", "", written))
    found = [int(number) for number in re.findall(r"\d+", spread.split("†")[0])]
    return dict.fromkeys(found[:_MOST_NUMBERS])


def _spread(match: re.Match[str]) -> str:
    first, last = int(match.group(1)), int(match.group(2))
    if first > last or last - first >= _MOST_NUMBERS:
        return f"{first},{last}"
    return ",".join(str(n) for n in range(first, last + 1))


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
            current = Marker(tuple(dict.fromkeys(current.numbers + piece.numbers)))
            continue
        if current is not None:
            yield current
        current = piece
    if current is not None:
        yield current


# Text from here on may change before its sentence is complete.
_UNSETTLED = re.compile(rf"(?:\*\*)?\\?[\[【［〔]|{_POINTER}|!$|!\[|{_SCHEME}", re.IGNORECASE)


def settled_end(text: str) -> int:
    """Offset up to which no marker, link or tag can stand, given whole words."""
    match = _UNSETTLED.search(text)
    return min(plain_end(text), match.start() if match else len(text))
