"""Extracts pages with the libraries that this interpreter has, each of them in its usual settings.

Reads ``{"rounds": ..., "url": ..., "pages": [...]}`` (pages in base64) from standard input; writes,
for each library, its texts (null where it does not know the language) and its pages per CPU second
in every round, with title, author and date where the library gives them. One core.
"""

import base64
import json
import logging
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

# Nothing for a page in a language that the library cannot read here.
Extract = Callable[[bytes, str], str | None]


def trafilatura_with(**options: Any) -> Extract:
    """Trafilatura without comments, with metadata."""
    import trafilatura

    def extract(body: bytes, url: str) -> str:
        found = trafilatura.bare_extraction(
            body, url=url, include_comments=False, with_metadata=True, **options
        )
        return (found.text or "") if found is not None else ""

    return extract


def resiliparse() -> Extract:
    """Resiliparse's main content; it reads no metadata."""
    from resiliparse.extract.html2text import extract_plain_text

    return lambda body, _: extract_plain_text(body.decode("utf-8", "replace"), main_content=True)


def readability() -> Extract:
    """readability-lxml, its summary turned into text; title only."""
    from lxml import html
    from readability import Document

    def extract(body: bytes, url: str) -> str:
        document = Document(body.decode("utf-8", "replace"), url=url)
        document.short_title()
        return str(html.fromstring(document.summary()).text_content())

    return extract


def newspaper() -> Extract:
    """newspaper4k, with metadata."""
    from newspaper import Article

    def extract(body: bytes, url: str) -> str | None:
        article = Article(url, fetch_images=False)
        article.download(input_html=body.decode("utf-8", "replace"))
        try:
            article.parse()
        except (
            ImportError,
            ValueError,
        ):  # Chinese and others need packages that it does not bring,
            return None  # and control characters stop it
        return str(article.text)

    return extract


def installed() -> Iterator[tuple[str, Extract]]:
    """List what can be measured here; says what cannot."""
    makers: list[tuple[str, str, Callable[[], Extract]]] = [
        ("trafilatura", "trafilatura", trafilatura_with),
        ("trafilatura fast", "trafilatura", lambda: trafilatura_with(fast=True)),
        ("trafilatura precision", "trafilatura", lambda: trafilatura_with(favor_precision=True)),
        ("resiliparse", "resiliparse", resiliparse),
        ("readability-lxml", "readability", readability),
        ("newspaper4k", "newspaper", newspaper),
    ]
    for name, module, make in makers:
        if find_spec(module) is None:
            print(f"{name}: not installed, not measured", file=sys.stderr)
        else:
            yield name, make()


def run(extract: Extract, bodies: Sequence[bytes], url: str) -> tuple[list[str | None], float]:
    """Extract all pages; returns texts and pages per CPU second."""
    started = time.process_time()
    texts = [extract(body, url) for body in bodies]
    return texts, len(bodies) / (time.process_time() - started)


def main() -> None:
    """Measure every library, the first pass as warm-up."""
    logging.disable(logging.CRITICAL)
    job = json.load(sys.stdin)
    bodies = [base64.b64decode(page) for page in job["pages"]]
    answers = {}
    for name, extract in installed():
        texts = run(extract, bodies, job["url"])[0]
        speeds = [run(extract, bodies, job["url"])[1] for _ in range(job["rounds"])]
        answers[name] = {"texts": texts, "speeds": speeds}
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
