"""Tells what a message asks from the text that it brings along.

Quoted passages and what follows a colon are material: words in them do not speak for the web when
the message wants something done with them. Whether it does is not decided here.
"""

import re

from pellucid_language.scripts import EAST_ASIAN

# Shorter quotations are titles and names, which belong to the question.
_QUOTED = re.compile(
    r'"[^"\n]{4,}"|„[^“"\n]{4,}[“"]|«[^»\n]{4,}»|「[^」\n]{4,}」|『[^』\n]{4,}』|《[^》\n]{12,}》'
    r"|(?<!\w)'[^'\n]{4,}(?:\w'\w[^'\n]*)*'(?!\w)"
)
# A colon of a clock time, an address or a ratio has no blank behind it.
_AFTER_COLON = re.compile(
    rf"\A([^:\n]{{4,160}}?):(?:(?<=[{EAST_ASIAN}]:)|(?=[\s\"„«「『{EAST_ASIAN}]))\s*[\s\S]{{8,}}\Z"
)
# "TypeError: ..." is the message of a fault, not an order and its material.
_FAULT = re.compile(r"\S*(?:error|exception|warning|fehler|erreur)\Z", re.IGNORECASE)

# What a person pastes is in another language than theirs more often than not.
_PASTED = re.compile(
    r"```[\s\S]*?(?:```|\Z)|`[^`\n]*`|https?://\S+|\bwww\.\S+|\S+@\S+\.\S+|</?\w[^<>]{0,300}>"
    r"|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|de|fr|es|jp|kr|cn|co)(?![\w])(?:/\S*)?"
    r"|^\s*(?:at |File |Traceback|Caused by)[^\n]*"
    r"|\b\w*(?:Error|Exception)\b[^\n]*?(?:[,;.]\s|--|$)",
    re.MULTILINE,
)


# Lines that a machine wrote: time stamps, levels, stack traces, a shell's prompt; and what they
# point to below ("See https://...").
_LOG_LINE = re.compile(
    r"^[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d"
    r"|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b|(?:npm|yarn) (?:ERR!|error|WARN)"
    r"|error(?:\[\w+\])?:|fatal:|warning:|Traceback|File \"|at [\w.$<>]+ ?\(|Caused by"
    r"|[$>#] \w|(?:curl|wget|GET|POST|PUT|HTTP/\d)\b)[^\n]*"
    r"(?:\n[ \t]*(?:See|For more|More info|Docs|hint|note|help)\b[^\n]*)*",
    re.MULTILINE,
)
_CODE = re.compile(
    r"```[\s\S]*?(?:```|\Z)|</?(?!https?:|www\.)[A-Za-z][^<>]{0,1000}>|<!--[\s\S]{0,2000}?-->"
)
# An address that code hands to something: fetch("https://..."), "url": "https://...".
_LITERAL = re.compile(
    r"(?:(?<=[\w\])])[(=:]|(?<=[\w\])] )=|(?<=\w[\"']):)\s*[\"']https?://[^\"'\s]+[\"']"
)
_LONG_QUOTATION = re.compile(
    r'"(?=[^"\n]*\s[^"\n]*\s)[^"\n]{12,}"|„[^“"\n]{12,}[“"]|«[^»\n]{12,}»|「[^」\n]{12,}」'
    r"|^>[^\n]*$|\u201c(?=[^\u201d\n]*\s)[^\u201d\n]{12,}\u201d",
    re.MULTILINE,
)


def without_pasted(text: str) -> str:
    """Return a text with blanks in place of pasted code, HTML, logs and quotations.

    It is as long as it was.

    >>> without_pasted("see <a href='https://a.example/'>x</a>").split()
    ['see', 'x']
    """
    for pattern in (_CODE, _LOG_LINE, _LITERAL, _LONG_QUOTATION):
        text = pattern.sub(lambda match: " " * len(match.group()), text)
    return text


def own_words(text: str) -> str:
    """Return the person's own words: without addresses, code, quotations and what a machine said.

    All of the text when nothing else is left.

    >>> own_words("https://a.example/x 요약해줘").strip()
    '요약해줘'
    """
    bare = _QUOTED.sub(" ", _PASTED.sub(" ", without_pasted(text)))
    return bare if any(letter.isalpha() for letter in bare) else text


def without_material(text: str) -> str:
    """Return a folded text without quoted passages and without what follows its first colon.

    >>> without_material("Proofread: I has searched the latest news")
    'Proofread'
    >>> without_material("trains at 10:30 to York")
    'trains at 10:30 to York'
    >>> without_material("KeyError: 3 what is that")
    'KeyError: 3 what is that'
    """
    bare = _QUOTED.sub(" ", text)
    match = _AFTER_COLON.match(bare)
    order = match.group(1) if match and not _FAULT.fullmatch(match.group(1).strip()) else bare
    return order if order.strip() else text
