"""The addresses by which a person named pages in an earlier message.

Which addresses of the present message are read the decision service says; of earlier ones only
their text is left. Addresses within pasted code, logs, HTML and quotations are material.
"""

import re

from pellucid_gateway.question.fallback_decision import MAX_URLS, find_urls

_FENCED = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_LOG_LINE = re.compile(
    r"^.*(?:\b\d{2}:\d{2}:\d{2}\b|\b(?:ERROR|WARN(?:ING)?|DEBUG|INFO|TRACE|FATAL)\b|\bHTTP/[12]"
    r"|Traceback|\bException\b|^\s*at \S+\().*$",
    re.MULTILINE,
)
# href="https://…", fetch("https://…"), "url": "https://…"
_HANDED_OVER = re.compile(r"(?:[=(:]\s*[\"'])https?://[^\"'\s]*|<[a-z][^>]*>", re.IGNORECASE)
_BARE = re.compile(
    r"(?<![\w@./:-])(?:www\.[\w-]+(?:\.[\w-]+)+|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,12}(?=/))"
    r"(?::\d{2,5})?(?:/[^\s<>\"'\]]*)?",
    re.IGNORECASE,
)
_TAIL = ".,;:!?)»”’"


def named_addresses(message: str) -> tuple[str, ...]:
    """Complete addresses, in order, each once, at most 3.

    >>> named_addresses("is this true? www.harbour.example/news, please")
    ('https://www.harbour.example/news',)
    >>> named_addresses("why? `curl https://harbour.example/x` fails")
    ()
    """
    own = message
    for material in (_FENCED, _QUOTED_LINE, _LOG_LINE, _HANDED_OVER):
        own = material.sub(" ", own)
    complete = find_urls(own)
    rest = own
    for url in complete:
        rest = rest.replace(url, " ")
    bare = (f"https://{match.group().rstrip(_TAIL)}" for match in _BARE.finditer(rest))
    return tuple(dict.fromkeys((*complete, *bare)))[:MAX_URLS]


def without_addresses(message: str) -> str:
    """A message without its addresses.

    >>> without_addresses("sum up https://harbour.example/news in two lines")
    'sum up in two lines'
    """
    for url in find_urls(message):
        message = message.replace(url, " ")
    return " ".join(_BARE.sub(" ", message).split())
