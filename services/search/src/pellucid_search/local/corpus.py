"""The folder of documents: which files there are, and which address each has.

The folder's `corpus.yaml` names `base_url`, for example `http://{host}:8099` where the first folder
of a path is the host, or one fixed address for an intranet. An `index.html` stands for its folder.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import yaml

from pellucid_search.local.documents import SUFFIXES

MANIFEST = "corpus.yaml"
_DEFAULT_BASE_URL = "http://{host}"


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """One file: path below the corpus folder with `/`, and what tells that it changed."""

    path: str
    modified_ns: int
    size: int


# Files that every site has and nobody looks for.
_NO_DOCUMENTS = frozenset({"robots.txt", "404.html"})


def corpus_files(root: Path, *, by_host: bool) -> Iterator[CorpusFile]:
    """Yield the documents below a folder; nothing when there is no such folder.

    Args:
        root: The folder.
        by_host: The first folders are hosts, so that a file beside them has no address.
    """
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        if by_host and Path(folder) == root:
            continue
        for name in sorted(names):
            if _is_document(name):
                yield from _file(root, Path(folder) / name)


def _is_document(name: str) -> bool:
    is_hidden = name.startswith(".") or name in _NO_DOCUMENTS
    return Path(name).suffix.lower() in SUFFIXES and not is_hidden


def _file(root: Path, path: Path) -> Iterator[CorpusFile]:
    try:
        status = path.stat()
    except OSError:
        return  # gone since the folder was listed
    yield CorpusFile(path.relative_to(root).as_posix(), status.st_mtime_ns, status.st_size)


def base_url_of(root: Path) -> str:
    """Return the base address that the corpus names.

    Raises:
        ValueError: The manifest is not one.
    """
    path = root / MANIFEST
    if not path.is_file():
        return _DEFAULT_BASE_URL
    try:
        table = yaml.safe_load(path.read_text("utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"{MANIFEST} is not valid YAML") from error
    base = table.get("base_url") if isinstance(table, dict) else None
    if not isinstance(base, str) or not base.startswith(("http://", "https://")):
        raise ValueError(f"{MANIFEST} must name a base_url")
    return base


def document_url(path: str, base_url: str) -> str:
    """Return the address of a file.

    >>> document_url("news.localhost/a/index.html", "http://{host}:8099")
    'http://news.localhost:8099/a/'
    """
    base, rest = base_url.rstrip("/"), path
    if "{host}" in base:
        host, _, rest = path.partition("/")
        base = base.replace("{host}", host)
    if rest == "index.html" or rest.endswith("/index.html"):
        rest = rest[: -len("index.html")]
    return f"{base}/{quote(rest)}"
