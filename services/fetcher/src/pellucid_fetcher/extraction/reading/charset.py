"""Which encoding a body is in, and its text.

Order: byte order mark, header, meta (first 1024 bytes), then detection. A declaration that the
bytes contradict is passed over, and the result says that it is suspect. UTF-7 is never used.
"""

import codecs
import re
from dataclasses import dataclass
from typing import Final

PRESCAN_BYTES: Final = 1024  # WHATWG HTML: length of the encoding prescan
SUSPECT_SHARE: Final = 0.05
_DETECT_BYTES: Final = 24 * 1024
_META: Final = re.compile(rb"(?i)<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]+)")
_XML: Final = re.compile(rb"^<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.-]+)")
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Labels of the web that mean a superset of what they say (WHATWG Encoding).
_WIDER: Final = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
    "euc_kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
    "utf-16": "utf-16-le",
}
_LATIN: Final = frozenset({"cp1252", "iso8859-15", "cp1250", "iso8859-2", "cp1254"})


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text of a body.

    Attributes:
        charset: Encoding that was used.
        suspect: A declaration was wrong, or more than 5 % could not be decoded.
    """

    text: str
    charset: str
    suspect: bool = False

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is to be said of it beside a page."""
        return ("charset_suspect",) if self.suspect else ()


def decode(body: bytes, declared: str) -> Decoded:
    """Decode a body.

    Args:
        body: Bytes of a text document.
        declared: Charset of the response header; empty for none.

    >>> decode("é".encode(), "").charset
    'utf-8'
    """
    for mark, name in _BOMS:
        if body.startswith(mark):
            return Decoded(body[len(mark) :].decode(name, "replace"), name)
    candidates = [name for name in (known(declared), known(_prescanned(body))) if name]
    for position, name in enumerate(candidates):
        decoded = _fitting(body, name)
        if decoded is not None:
            return Decoded(decoded.text, decoded.charset, decoded.suspect or position > 0)
    return _guess(body, candidates)


def known(label: str) -> str:
    """Return Python's name of an encoding label, or an empty text for unknown and unsafe ones."""
    try:
        name = codecs.lookup(label.strip()).name
    except (LookupError, ValueError):
        return ""
    is_text = codecs.lookup(name)._is_text_encoding  # noqa: SLF001 - no public way to ask
    return "" if name == "utf-7" or not is_text else _WIDER.get(name, name)


def _prescanned(body: bytes) -> str:
    head = body[:PRESCAN_BYTES]
    found = _META.search(head) or _XML.match(head)
    label = found.group(1).decode("ascii") if found else ""
    # A declaration that can be read as ASCII is not in UTF-16.
    return "utf-8" if label.lower().startswith("utf-16") else label


def _fitting(body: bytes, name: str) -> Decoded | None:
    if name in _LATIN and _is_multibyte_utf8(body):
        return Decoded(_utf8(body), "utf-8", suspect=True)
    text = body.decode(name, "replace")
    return Decoded(text, name) if _replaced_share(text) <= SUSPECT_SHARE else None


def _guess(body: bytes, candidates: list[str]) -> Decoded:
    for name in _utf16_guess(body):
        return Decoded(body.decode(name, "replace"), name)
    text = _utf8(body)
    if "\ufffd" not in text:
        return Decoded(text, "utf-8", suspect=bool(candidates))
    name = _detected(body)
    guessed = body.decode(name, "replace")
    suspect = bool(candidates) or _replaced_share(guessed) > SUSPECT_SHARE
    return Decoded(guessed, name, suspect)


def _utf8(body: bytes) -> str:
    """Decode, forgiving a character that a cut splits."""
    return codecs.getincrementaldecoder("utf-8")("replace").decode(body)


def _is_multibyte_utf8(body: bytes) -> bool:
    if body.isascii():
        return False
    text = _utf8(body)
    return "\ufffd" not in text


def _replaced_share(text: str) -> float:
    # Measured against what is not plain ASCII: a page is mostly mark-up.
    replaced = text.count("\ufffd")
    if not replaced:
        return 0.0
    foreign = len(text) - len(text.encode("ascii", "ignore"))
    return replaced / max(1, foreign)


def _utf16_guess(body: bytes) -> tuple[str, ...]:
    head = body[:2048]
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = max(1, len(head) // 2)
    if max(even, odd) <= 0.3 * half:
        return ()
    return ("utf-16-le",) if odd > even else ("utf-16-be",)


def _detected(body: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(_text_sample(body)).best()
    return known(best.encoding) if best is not None else "cp1252"


def _text_sample(body: bytes) -> bytes:
    """Take the lines that say most about the encoding: those beyond ASCII."""
    lines = [line for line in body.split(b"\n") if not line.isascii()]
    return b"\n".join(lines)[:_DETECT_BYTES] or body[:_DETECT_BYTES]
