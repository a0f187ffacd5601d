"""Addresses in a message: which parts of a text are URLs that the person means.

Finds candidates by scanning, decides by the WHATWG parser and the bundled public suffix list.
E-mail addresses, file names and version numbers are not addresses.
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote

import ada_url

from pellucid_language.scripts import EAST_ASIAN
from pellucid_runtime.domains import host_parts

MAX_PROCESSED = 3
MAX_FOUND = 32
COUNTRY_LETTERS = 2
MAX_URL_CHARACTERS = 2048
# Far beyond any message; keeps the scan linear on hostile input.
MAX_SCANNED_CHARACTERS = 32768

_STOP = r"\s<>\"`|\\^{}\u201c\u201d\u2018\u2019\u00ab\u00bb\u3001\u3002\uff0c\uff1b\uff1a\uff01\uff1f\u300c-\u3011\uff08\uff09\uff5c\u2026"  # noqa: E501 - one pattern or table row
_EXPLICIT = re.compile(
    rf"(?<![A-Za-z0-9])https?://(?:(?![,;]https?://)[^{_STOP}]){{1,2100}}", re.IGNORECASE
)
_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_BARE = re.compile(
    rf"(?<![\w@./:\\#%&=+~-])((?:{_LABEL}\.){{1,5}}[a-z]{{2,24}})(:\d{{2,5}})?"
    rf"(?!(?![{EAST_ASIAN}])[\w@-])([/?][^{_STOP}]{{0,2100}})?"
)
# Code that does something with an address; an address alone in backticks is still one to read.
_CODE = re.compile(r"```[\s\S]*?```|`[^`\n]*[^\s`][ \t][^`\n]*`")
# The label of a Markdown link is what is shown; the link is its target.
_LABEL_OF_LINK = re.compile(r"\[[^\[\]\n]{0,300}\]\(\s*(?=<?[^\s()])")
_POSSESSIVE = re.compile(r"'s\Z")
_CJK = re.compile(f"[{EAST_ASIAN}]")
# Words of a language without blanks right before a name in Latin letters.
_GLUED = re.compile(rf"\A[{EAST_ASIAN}]+(?=[A-Za-z0-9])")
_CLOSERS = {")": "(", "]": "[", "}": "{", "\uff09": "\uff08"}
_TRAILING = ".,;:!?'*_~\u2019\u3002\uff0c"
_KOREAN_PARTICLE = re.compile(
    r"(?<=[/a-z0-9])(?:을|를|은|는|이|가|에|의|에서|에는|로|으로|와|과|도|좀|랑|이랑|만|부터|까지|이나|나)$",
    re.IGNORECASE,
)
# Suffixes that are also file endings: never a link without a path, a port or "www.".
_FILE_SUFFIXES = frozenset({
    "bz", "cab", "cat", "doc", "java", "js", "lua", "md", "mov", "mp", "pl", "ps", "py", "rs", "sc",
    "sh", "so", "sql", "st", "ts", "zip",
})  # fmt: skip
# Suffixes that are also everyday words, met where a blank after a full stop was forgotten: a link
# only with a subdomain or one of the above.
_WORD_SUFFIXES = frozenset({
    "am", "as", "at", "be", "by", "can", "day", "do", "here", "how", "id", "in", "is", "it", "la",
    "link", "load", "my", "name", "new", "no", "now", "of", "on", "one", "or", "page", "plus",
    "post", "run", "style", "tab", "to", "today", "top", "up", "vi",
})  # fmt: skip
# Other suffixes of three letters and more are words too ("obj.method.call").
_USUAL_SUFFIXES = frozenset({
    "agency", "app", "art", "biz", "blog", "cloud", "club", "com", "design", "dev", "edu",
    "example", "gov", "info", "int", "jobs", "live", "media", "mil", "museum", "net", "news",
    "online", "org", "pro", "shop", "site", "space", "store", "tech", "travel", "tv", "website",
    "wiki", "work", "world", "xyz",
})  # fmt: skip
# What an object is called in code: what follows its dot is a member, not a suffix.
_OBJECTS = frozenset({
    "self", "this", "obj", "window", "document", "console", "process", "module", "req", "res",
    "request", "response", "event", "user", "props", "state", "data", "config", "cls", "ctx",
})  # fmt: skip
# Suffixes under which others register, and which are sites that people name as well.
_SITES = frozenset({"gov.uk"})
_PRODUCT_NAMES = frozenset({"asp.net", "ado.net", "vb.net", "ml.net", "socket.io", "paper.io"})


@dataclass(frozen=True, slots=True)
class Link:
    """One address found in a text.

    Attributes:
        url: Address in the WHATWG serialisation.
        text: As written.
        bare: Written without scheme, "www." or path, so that it may be just a name.
        host: Host name in ASCII.
    """

    url: str
    text: str
    bare: bool
    host: str


def find_links(text: str) -> tuple[Link, ...]:
    """Return the addresses of `text` in order, without repeats, at most 32.

    >>> [link.url for link in find_links("see (https://a.example/x_(y)), or mail me@b.example")]
    ['https://a.example/x_(y)']
    >>> find_links("why does `curl https://a.example/x` hang")
    ()
    """
    scanned = _masked(_CODE, text[:MAX_SCANNED_CHARACTERS], "`")
    masked = scanned = _masked(_LABEL_OF_LINK, scanned, "](")
    found: list[tuple[int, Link | None]] = []
    if "://" in scanned:
        found = [(match.start(), _explicit(match)) for match in _EXPLICIT.finditer(scanned)]
        masked = _masked(_EXPLICIT, scanned, "://")
    if "." in masked:
        found += [(match.start(), _bare(match)) for match in _BARE.finditer(masked)]
    ordered = [link for _, link in sorted(found, key=lambda pair: pair[0]) if link is not None]
    return tuple({link.url: link for link in ordered}.values())[:MAX_FOUND]


def _masked(pattern: re.Pattern[str], text: str, sign: str) -> str:
    """Put blanks in place of what a pattern matches, which `sign` stands in."""
    return pattern.sub(lambda match: " " * len(match.group()), text) if sign in text else text


_EXTENSION = re.compile(r"\.(?:html?|php|aspx?|pdf|md|jsp)\Z", re.IGNORECASE)
_SLUG_WORD = re.compile(r"[^\W\d_]{1,20}|\d{1,4}")
MAX_SLUG_WORDS = 5


def page_name(link: Link) -> str:
    """Return what an address calls its page: the words of its last part, else the site's name.

    A single word ("menu") says too little without the site.

    >>> page_name(find_links("https://www.example.com/missions/artemis-ii/")[0])
    'artemis ii'
    >>> page_name(find_links("https://www.golden-otter-inn.example/menu")[0])
    'Golden Otter Inn menu'
    >>> page_name(find_links("https://shop.example.com/")[0])
    'example'
    """
    path = link.url.partition("://")[2].partition("/")[2].partition("?")[0].partition("#")[0]
    parts = [_EXTENSION.sub("", unquote(part)) for part in path.split("/") if part]
    for part in reversed(parts):
        words = _SLUG_WORD.findall(part.replace("_", " "))
        if any(len(word) > 1 and word.isalpha() for word in words) and part.lower() != "index":
            named = " ".join(words[:MAX_SLUG_WORDS])
            return named if len(words) > 1 else f"{_site_name(link)} {named}".strip()
    return _site_name(link)


def _site_name(link: Link) -> str:
    """Return the name of a site; one of several words as a title, which counts as one word."""
    known = host_parts(link.host)
    labels = link.host.removeprefix("www.").split(".")
    name = known.name if known.suffix else "".join(labels[-2:-1])
    words = name.split("-")
    titled = (word if word in _SMALL_WORDS else word.title() for word in words[1:])
    return " ".join((words[0].title(), *titled)) if len(words) > 1 else name


# As they stand in the name of a house ("Ferme des Trois Chênes").
_SMALL_WORDS = frozenset(
    ["of", "the", "de", "del", "la", "der", "von", "van", "da", "di", "du", "des", "y"]
)


def _explicit(match: re.Match[str]) -> Link | None:
    candidate = match.group()
    text = _trimmed(_without_prose(candidate))
    emphasised = match.string[match.start() - 1 : match.start()] == "_"
    if candidate == f"{text}_" and not emphasised:
        text = candidate  # its own, no mark of Markdown
    return _link(text, text, bare=False)


def _bare(match: re.Match[str]) -> Link | None:
    name = _GLUED.sub("", match.group(1))
    rest = _trimmed(_without_prose(match.group(3) or ""))
    written = f"{name}{match.group(2) or ''}{rest}"
    telling = name.lower().startswith("www.") or bool(match.group(2)) or len(rest) > 1
    called = match.string[match.end() : match.end() + 1] == "("  # a.map(f)
    if called or not _is_domain(name, telling=telling):
        return None
    scheme = "http" if name.endswith(".localhost") else "https"
    return _link(f"{scheme}://{written}", written, bare=not telling)


def _is_domain(name: str, *, telling: bool) -> bool:
    parts = host_parts(name)
    if parts.suffix == name.lower() and "." in name:  # a site of its own ("gov.uk/renew-passport")
        return telling or name.lower() in _SITES
    if not parts.suffix or not parts.name or name.lower() in _PRODUCT_NAMES:
        return False
    if telling:
        return True
    first = name.partition(".")[0].lower()
    if parts.suffix in _WORD_SUFFIXES:
        return parts.subdomain not in {"", "www"} and first not in _OBJECTS
    last = parts.suffix.rpartition(".")[2]
    if len(last) > COUNTRY_LETTERS and last not in _USUAL_SUFFIXES and last.isascii():
        return parts.subdomain in {"", "www"} and first not in _OBJECTS
    return parts.suffix not in _FILE_SUFFIXES


def _link(address: str, written: str, *, bare: bool) -> Link | None:
    if len(address) > MAX_URL_CHARACTERS:
        return None
    try:
        parsed = ada_url.URL(address)
    except ValueError:
        return None
    if not parsed.hostname or parsed.hostname.startswith("."):
        return None
    return Link(url=parsed.href, text=written, bare=bare, host=parsed.hostname)


def _without_prose(candidate: str) -> str:
    """Cut words of a language without blanks that follow an address directly."""
    cut = _KOREAN_PARTICLE.sub("", candidate)
    for match in _CJK.finditer(cut):
        before = cut[match.start() - 1]
        if before.isascii() and before.isalnum() and "://" in cut[: match.start()]:
            return cut[: match.start()]
    return cut


def _trimmed(candidate: str) -> str:
    """Remove trailing punctuation and closing brackets that were never opened."""
    text = _POSSESSIVE.sub("", candidate)
    while text:
        last = text[-1]
        unopened = last in _CLOSERS and text.count(last) > text.count(_CLOSERS[last])
        if last not in _TRAILING and not unopened:
            return text
        text = text[:-1]
    return text
