"""Documents that are text already: plain text, Markdown, JSON and XML."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pellucid_fetcher.document import Document, Extracted
from pellucid_fetcher.extraction.reading import charset, excerpt
from pellucid_fetcher.extraction.structure.blocks import clean, without_invisible
from pellucid_fetcher.outcome import FetchStatus

_MAX_JSON_LINES: Final = 20_000
_HEADING: Final = re.compile(r"^#{1,3}\s+(.+?)\s*#*$", re.MULTILINE)
_CDATA: Final = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_TITLE_KEYS: Final = ("title", "name", "headline")


def all_of(
    text: str, decoded: charset.Decoded, paragraphs: Sequence[str] = (), title: str = ""
) -> Extracted:
    """Return a document of which everything is content.

    Args:
        text: As it is shown.
        decoded: What it was read from.
        paragraphs: Where its excerpt comes from; without any, those of the text.
        title: Of the document.
    """
    return Extracted(
        status=FetchStatus.OK if text else FetchStatus.NO_TEXT,
        title=title,
        text=text,
        excerpt=excerpt.of(paragraphs or text.split("\n\n")),
        charset=decoded.charset,
        quality=1.0 if text else 0.0,
        warnings=decoded.warnings,
    )


def read_text(document: Document) -> Extracted:
    """Read plain text as it is."""
    decoded = charset.decode(document.body, document.charset)
    return all_of(without_invisible(decoded.text).strip(), decoded)


def read_markdown(document: Document) -> Extracted:
    """Read Markdown; comments go, the first heading is the title."""
    decoded = charset.decode(document.body, document.charset)
    text = _COMMENT.sub("", without_invisible(decoded.text)).strip()
    heading = _HEADING.search(text)
    return all_of(text, decoded, title=heading.group(1) if heading else "")


def read_json(document: Document) -> Extracted:
    """Read JSON as indented lines of ``key: value``; what does not parse is shown as text."""
    decoded = charset.decode(document.body, document.charset)
    try:
        value = json.loads(decoded.text)
    except (ValueError, RecursionError):
        return all_of(without_invisible(decoded.text).strip(), decoded)
    text = without_invisible("\n".join(_json_lines(value)))
    return all_of(text, decoded, title=_json_title(value))


def read_xml(document: Document) -> Extracted:
    """Read XML of no known kind: its text, without looking up any entity."""
    decoded = charset.decode(document.body, document.charset)
    parser = LexborHTMLParser(_CDATA.sub(r"\1", decoded.text))
    root = parser.body or parser.root
    lines = _xml_lines(root) if root is not None else ()
    return all_of("\n".join(line for line in lines if line), decoded)


def _xml_lines(root: LexborNode) -> Iterator[str]:
    """Return texts and attributes in the order of the document, a line for each."""
    for node in root.traverse(include_text=True):
        if node.tag == "-text":
            yield clean(node.text_content or "")
        elif not (node.tag or "").startswith("-"):
            told = node.attributes.items()
            yield from (f"{name}: {clean(value)}" for name, value in told if value and _says(name))


def _says(attribute: str) -> bool:
    return not attribute.startswith(("xmlns", "xml:", "xsi:"))


def _json_lines(value: Any) -> list[str]:
    lines: list[str] = []
    stack: list[tuple[int, str, Any]] = [(0, "", value)]
    while stack and len(lines) < _MAX_JSON_LINES:
        depth, label, current = stack.pop()
        indent = "  " * min(depth, 20)
        children = _children(current)
        if children is None:
            lines.append(f"{indent}- {label}{'' if current is None else current}")
            continue
        if label:
            lines.append(f"{indent}- {label.rstrip()}")
        stack.extend((depth + bool(label), key, child) for key, child in reversed(children))
    return lines


def _children(value: Any) -> list[tuple[str, Any]] | None:
    if isinstance(value, dict):
        return [(f"{key}: ", child) for key, child in value.items()]
    return [("", child) for child in value] if isinstance(value, list) else None


def _json_title(value: Any) -> str:
    if not isinstance(value, dict):
        return ""
    found = (value.get(key) for key in _TITLE_KEYS)
    return next((title for title in found if isinstance(title, str)), "")[:500]
