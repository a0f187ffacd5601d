"""Publishers named in prose ("Reuters reports that …", "according to the Harbour Post").

Finds the naming and tells how the sentence reads with another name or without it. Whether the name
is right is settled in `citations`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pellucid_gateway.domain.findings import Source
from pellucid_language.folding import fold
from pellucid_language.scripts import HANGUL
from pellucid_language.terms import has_unspaced_script

_NAME = (
    r"(?:[Tt]he\s+|[Dd]er\s+|[Dd]ie\s+|[Dd]as\s+|[Ll]e\s+|[Ll]a\s+|[Ee]l\s+)?"
    r"[A-ZÀ-Ý0-9][\w&'’-]*(?:\.[\w&]+)*(?:\s+(?:of|the|and|de|du|la|for|&)\s+[A-ZÀ-Ý][\w&'’-]*(?:\.[\w&]+)*"
    r"|\s+[A-ZÀ-Ý0-9][\w&'’-]*(?:\.[\w&]+)*){0,5}"
)
_LAYING_OUT = (
    "according to|as reported by|as stated by|citing|per|laut|nach angaben von|según|selon"
    "|d['’]après"
)
# "None of the sources" names no one of them.
_VAGUE = (
    r"(?<!\bof )(?<!\bof the )(?<!\bsearch )(?<!\bweb )(?:the\s+)?"
    r"(?:search results?|sources?(?:\s+\d{1,3})?|results?|web results?)"
)
_SAYING = (
    "reports?|reported|says|said|writes|wrote|notes|noted|states|stated|confirms|confirmed|explains|"
    "adds|berichtet|schreibt|meldet|informa|escribe|señala|rapporte|écrit|indique"
)
_AS = ("as", "wie", "comme", "como")
_LINKING = r"(?:\s+(?:also|has|have|had|recently|later|first))?"
_LEADING = re.compile(
    # "Per Lund resigned" names a person; "Per Reuters, he resigned" a source.
    rf"(?P<comma>,\s*)?(?!Per\s[^,]*?(?:[^\w\s,&.'’-]|\s[a-z]|$))\b(?i:{_LAYING_OUT})\s+(?P<name>(?i:{_VAGUE})\b|{_NAME})(?P<tail>\s*,)?"
)
_SPEAKING = re.compile(
    rf"(?P<comma>,\s*)?(?P<as>\b(?i:{'|'.join(_AS)})\s+)?(?P<name>\b(?i:{_VAGUE})|(?<![\w]){_NAME}){_LINKING}\s+(?:{_SAYING})\b"
    # "…, as Reuters reported on Monday, …" can go whole.
    r"(?P<that>\s+(?:that|dass|que)\b|,\s*dass\b)?(?(as)[^,.;:!?]*)"
)
# Korean, Chinese and Japanese name the publisher before the verb. Of several Korean words the name
# begins behind a particle; behind anything else it is the end of a longer phrase.
_UNSPACED = (
    re.compile(
        r"(?:^|(?<=[^\w\s])|(?<=[^\w\s]\s)|(?<=[은는이가을를에서도의로]\s))"
        rf"(?P<name>(?:[{HANGUL}]+(?<![은는이가을를에서도의로])\s){{0,3}}[\w.&-]{{2,30}}?)"
        r"(?:\s*\([^)]*\))?에 따르면,?\s*"
    ),
    re.compile(r"(?:根据|據|据)(?P<name>[\w.&-]{2,30}?)(?:的)?(?:报道|報導|消息)[,，]?"),
    re.compile(r"(?P<name>[\w.&-]{2,30}?)によると、?"),
)
_VAGUE_NAME = re.compile(rf"^{_VAGUE}$", re.IGNORECASE)
# Words that may stand in a naming before it is complete.
_HELD_WORDS = frozenset(
    [
        "according",
        "to",
        "reported",
        "stated",
        "by",
        "citing",
        "per",
        "laut",
        "nach",
        "angaben",
        "von",
        "según",
        "selon",
        "the",
        "der",
        "die",
        "das",
        "le",
        "la",
        "el",
        "of",
        "and",
        "de",
        "du",
        "for",
        "&",
        "also",
        "has",
        "have",
        "had",
        "recently",
        "later",
        "first",
        "search",
        "result",
        "results",
        "source",
        "sources",
        "web",
    ]
)
_MOST_HELD_WORDS = 16
_TOKEN = re.compile(r"\S+")
_NAME_START = re.compile(r"(?:^|\W)[^\W_a-zà-ÿ]")


@dataclass(frozen=True, slots=True)
class Attribution:
    """A naming within a text.

    Attributes:
        start: Offset of its first character.
        end: One past its last character.
        name: As written, with article.
        name_start: Offset of the name.
        removable: The sentence still reads without it.
        vague: It names no publisher but "the search results" or "source 1".
    """

    start: int
    end: int
    name: str
    name_start: int
    removable: bool
    vague: bool


def find_attributions(text: str) -> tuple[Attribution, ...]:
    """All namings, in order, not overlapping."""
    found = sorted(_candidates(text), key=lambda a: (a.start, -a.end))
    kept: list[Attribution] = []
    for attribution in found:
        if not kept or attribution.start >= kept[-1].end:
            kept.append(attribution)
    return tuple(kept)


def _candidates(text: str) -> Iterator[Attribution]:
    for match in _LEADING.finditer(text):
        yield _attribution(match, removable=True)
    for match in _SPEAKING.finditer(text):
        yield _attribution(match, removable=bool(match["that"] or match["as"]))
    if has_unspaced_script(text):
        for pattern in _UNSPACED:
            for match in pattern.finditer(text):
                yield _attribution(match, removable=True)


def _attribution(match: re.Match[str], *, removable: bool) -> Attribution:
    name = match["name"].rstrip(".")
    return Attribution(
        start=match.start(),
        end=match.end(),
        name=name,
        name_start=match.start("name"),
        removable=removable,
        vague=bool(_VAGUE_NAME.match(name)),
    )


def names_publisher(name: str, source: Source) -> bool:
    """Whether the name is that source's publisher, by its own name or by its domain."""
    written = _letters(name)
    own = {_letters(source.publisher), _letters(source.domain)}
    own.add(_letters(source.domain.split(".")[0]))
    return bool(written) and written in own


def is_content(name: str, texts: Sequence[str]) -> bool:
    """Whether the name is somebody whom the sources themselves speak of."""
    written = _letters(name)
    return any(written in _letters(text) for text in texts) if written else True


def _letters(name: str) -> str:
    folded = re.sub(r"^(?:the|der|die|das|le|la|el)\s+", "", fold(name.strip()))
    return "".join(c for c in folded if c.isalnum())


def renamed(text: str, attribution: Attribution, publisher: str) -> str:
    """The text with the right name."""
    end = attribution.name_start + len(attribution.name)
    return f"{text[: attribution.name_start]}{publisher}{text[end:]}"


def without(text: str, attribution: Attribution) -> str:
    """The text without the naming; from it on nothing, when it does not read without."""
    head = text[: attribution.start]
    if not attribution.removable:
        return f"{head.rstrip()}." if head.strip() else ""
    tail = text[attribution.end :]
    if head.strip():
        joint = "" if tail[:1] in ".,;:!?" or tail[:1].isspace() else " "
        return f"{head.rstrip()}{joint}{tail}"
    lead = head or text[: len(text) - len(text.lstrip())]
    rest = tail.lstrip(" ,")
    return f"{lead}{rest[:1].upper()}{rest[1:]}"


def settled_end(text: str) -> int:
    """Offset up to which no naming can begin, given whole words of an unfinished sentence."""
    if has_unspaced_script(text):
        return 0
    end = len(text)
    for word in reversed(list(_TOKEN.finditer(text))[-_MOST_HELD_WORDS:]):
        if not _may_be_naming(word.group()):
            break
        end = word.start()
    found = find_attributions(text)
    end = min(end, found[0].start) if found else end
    return len(text[:end].rstrip(" \t,;:–—-"))


def _may_be_naming(word: str) -> bool:
    return bool(_NAME_START.search(word)) or all(
        part.casefold() in _HELD_WORDS.union(_AS) for part in re.findall(r"\w+", word)
    )
