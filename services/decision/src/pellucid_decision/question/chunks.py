"""A question cut into what stays together in a query: names with their numbers, quotations, errors.

Order is the person's. Which chunks a query takes is decided by the writer.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from pellucid_decision.question.chinese import chinese
from pellucid_decision.question.chunk import Chunk, Role, masked, quotations
from pellucid_decision.question.japanese import japanese
from pellucid_decision.question.korean import korean
from pellucid_decision.question.morphology import without_words
from pellucid_decision.question.names import UNITS, named_chunks
from pellucid_decision.question.terms import Kind
from pellucid_decision.question.tokens import Token, tokens_of
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_language.scripts import EAST_ASIAN

MAX_CHUNKS = 40


MAX_ERROR_WORDS = 9


# What Korean hangs on a time.
_TIME_PARTICLE = re.compile(r"(?:에는|에|부터|까지|의|은|는)(?=\s|\Z|[?!.,])")


_DENSE_CUTS = {"ko": korean, "ja": japanese, "zh": chinese}


_ERROR = re.compile(
    r"(?:\b[A-Z]\w*(?:Error|Exception|Warning)"
    r"|\b(?P<level>(?i:(?:(?:fatal|error|panic|fehler|erreur)(?::\s*)?)+))(?: \w+)?)"
    r"\s*:\s*(?P<said>[^\n]+)"
)


# Where a language without blanks goes on behind what a machine said.
_DENSE_LETTER = re.compile(rf"\s*[{EAST_ASIAN}]")


_SAID = re.compile(r"\s[-–—]+\s|[.;]\s")
# What explains a fault behind a comma is not what others will have quoted.
_CLAUSE = re.compile(r"(?<=\w),\s.*\Z")


_TAIL = re.compile(r"\s*(?:[(\[{`].*)?[\s.;,!?]*\Z", re.DOTALL)


def chunks_of(text: str, rules: LanguageRules, *, compares: bool = False) -> tuple[Chunk, ...]:
    """Return the chunks of one question in order, without repeats.

    Args:
        text: Folded question without personal data.
        rules: Rules of its language.
        compares: It compares, so that what stands between two names is "vs".
    """
    if rules.code in _DENSE_CUTS:
        return _distinct(_dense(text, rules))
    return _distinct(_spaced(text, rules, compares=compares))


def _distinct(chunks: Iterator[Chunk]) -> tuple[Chunk, ...]:
    seen: dict[str, Chunk] = {}
    for chunk in chunks:
        if chunk.key and len(seen) < MAX_CHUNKS:
            seen.setdefault(chunk.key, chunk)
    return tuple(seen.values())


def _errors(text: str, rules: LanguageRules) -> Iterator[tuple[int, int, Chunk]]:
    """Yield the message of an error as a quotation: nobody writes it in other words."""
    ends = rules.phrase("error_ends")
    for match in _ERROR.finditer(text) if ":" in text else ():
        said, start = match.group("said"), match.start("said")
        stop = (
            next((m.start() for m in ends.finditer(said) if m.start() > 0), len(said))
            if ends
            else len(said)
        )
        dense = _DENSE_LETTER.search(said) if rules.code in _DENSE_CUTS else None
        stop = min(stop, dense.start()) if dense and dense.start() else stop
        bare = _TAIL.sub("", said[: _ends_saying(said, stop)])
        words = _CLAUSE.sub("", bare).replace('"', "").split()[:MAX_ERROR_WORDS]
        if len(words) > 1:
            begun = match.start() if match["level"] else start
            yield begun, start + len(bare), Chunk(f'"{" ".join(words)}"', Kind.QUOTED, start=start)


def _ends_saying(said: str, stop: int) -> int:
    """Return where a machine's sentence ends: the person goes on behind a dash or a full stop."""
    match = _SAID.search(said, 0, stop)
    return match.start() if match else stop


def _spaced(text: str, rules: LanguageRules, *, compares: bool) -> Iterator[Chunk]:
    fixed = list(_errors(text, rules))
    rest = masked(text, fixed)
    quoted = list(quotations(rest))
    rest = masked(rest, quoted)
    bodies = list(_institutions(rest, rules))
    rest = masked(rest, bodies)
    timed = list(_times(rest, rules))
    rest = masked(rest, timed)
    live = rules.phrase("live_words")
    rest = live.sub(lambda match: " " * len(match.group()), rest) if live else rest
    light = rules.words("light_verbs")
    degree = [*_degrees(rest, rules), *_compounds(rest, rules)]
    rest = masked(rest, degree)
    tokens = list(tokens_of(rest, rules, shouted=text.isupper()))
    if all(token.stop for token in tokens):
        tokens = [
            replace(token, stop=token.stop and token.text.casefold() not in light)
            for token in tokens
        ]
    opened, said = _opening_verb(tokens, text, rules)
    found = [
        *(chunk for *_, chunk in (*fixed, *quoted, *bodies, *timed, *degree)),
        *named_chunks(rest, opened, rules, compares=compares),
        *said,
    ]
    found.sort(key=lambda chunk: chunk.start)
    measured = _measured(found, rest)
    whole = _with_heads(measured, rest) if compares else measured
    yield from _linked(whole, rest, rules, compares=compares)


def _institutions(text: str, rules: LanguageRules) -> Iterator[tuple[int, int, Chunk]]:
    """Yield names of institutions whole, whose "for" and "and" are no small words."""
    pattern = rules.phrase("institutions")
    for match in pattern.finditer(text) if pattern else ():
        yield match.start(), match.end(), Chunk(match.group(), Kind.ENTITY, start=match.start())


def _opening_verb(
    tokens: list[Token], text: str, rules: LanguageRules
) -> tuple[list[Token], list[Chunk]]:
    """Take a verb off the head of a question: what it asks, if anything, is a noun at the end.

    Nobody types "braucht Vignette Dänemark"; "kostet" is typed as "Kosten".
    """
    verb = tokens[0].text.casefold() if len(tokens) > 1 else ""
    noun = rules.mappings.get("opening_verbs", {}).get(verb)
    if noun is None or tokens[0].start > text.find(tokens[0].text):
        return tokens, []
    first = replace(tokens[0], stop=True)
    said = [Chunk(noun, start=len(text))] if noun and noun.casefold() not in text.casefold() else []
    return [first, *tokens[1:]], said


_VERSUS = frozenset({"vs", "versus"})


def _with_heads(chunks: Sequence[Chunk], text: str) -> list[Chunk]:
    """Join a word that both sides of a comparison end in to each ("oat milk", "almond milk")."""
    keys = [chunk.key for chunk in chunks if chunk.kind is Kind.WORD and chunk.key not in _VERSUS]
    result: list[Chunk] = []
    for chunk in chunks:
        last = result[-1] if result else None
        twice = keys.count(chunk.key) > 1 and last is not None and last.role is Role.CONTENT
        if twice and last and text[last.start + len(last.text) : chunk.start] == " ":
            result[-1] = replace(last, text=f"{last.text} {chunk.text}")
        else:
            result.append(chunk)
    return result


def _measured(chunks: Sequence[Chunk], text: str) -> list[Chunk]:
    """Join a number and what it counts ("18 year old"): neither says anything alone."""
    result: list[Chunk] = []
    for chunk in chunks:
        last = result[-1] if result else None
        near = last and text[last.start + len(last.text) : chunk.start] in {" ", "-"}
        counts = last and last.kind is Kind.NUMBER and near
        if counts and last and (chunk.key in UNITS or (chunk.key == "old" and " " in last.text)):
            result[-1] = replace(last, text=f"{last.text} {chunk.text}")
        else:
            result.append(chunk)
    return result


def _times(text: str, rules: LanguageRules) -> Iterator[tuple[int, int, Chunk]]:
    pattern = rules.phrase("when_phrases")
    for match in pattern.finditer(text) if pattern else ():
        particle = _TIME_PARTICLE.match(text, match.end()) if rules.code == "ko" else None
        yield (
            match.start(),
            particle.end() if particle else match.end(),
            Chunk(match.group(), Kind.WORD, Role.TIME, start=match.start()),
        )


def _whole(text: str, rules: LanguageRules) -> Iterator[tuple[int, int, Chunk]]:
    """Yield words that the cuts of a language without blanks would lose ("つながらない").

    A pattern with a group leaves out what stands behind it.
    """
    pattern = rules.phrase("whole_words")
    for match in pattern.finditer(text) if pattern else ():
        said = match.group(match.lastindex or 0)
        yield match.start(), match.end(), Chunk(said, start=match.start())


def _degrees(text: str, rules: LanguageRules) -> Iterator[tuple[int, int, Chunk]]:
    pattern = rules.phrase("how_degree")
    match = pattern.match(text) if pattern else None
    if match:
        yield (
            match.start(),
            match.end(),
            Chunk(match.group(), Kind.WORD, Role.ASKS, start=match.start()),
        )


def _compounds(text: str, rules: LanguageRules) -> Iterator[tuple[int, int, Chunk]]:
    """Yield words that are one thing together ("prime minister", "opening hours")."""
    pattern = _compound_pattern(rules.words("compounds") | rules.words("attributes"))
    for match in pattern.finditer(text) if pattern else ():
        yield match.start(), match.end(), Chunk(match.group(), start=match.start())


@lru_cache(maxsize=32)
def _compound_pattern(words: frozenset[str]) -> re.Pattern[str] | None:
    several = sorted((word for word in words if " " in word), key=len, reverse=True)
    listed = "|".join(map(re.escape, several))
    return re.compile(rf"\b(?:{listed})\b", re.IGNORECASE) if several else None


def _linked(
    chunks: Sequence[Chunk], text: str, rules: LanguageRules, *, compares: bool
) -> Iterator[Chunk]:
    """Give each chunk the small words before it that read well."""
    links, articles = rules.words("links"), rules.words("articles")
    end = None
    before: Chunk | None = None
    for chunk in chunks:
        gap = text[end : chunk.start] if end is not None else ""
        words = re.findall(r"[\w']+", gap.casefold())
        link = ""
        if compares and before is not None and _sides(before, chunk, gap, rules):
            link = "vs"
        elif words and not re.search(r"[,;:.!?()]", gap) and words[0] in links:
            fits = len(words) <= 2 and all(word in links | articles for word in words)  # noqa: PLR2004 - "of the"
            link = " ".join(words) if fits else ""
        kept = [word for word in words if word in rules.words("kept_links")]
        link = link or " ".join(kept)
        flips = bool(words) and words[0] in _OF and before is not None
        yield replace(chunk, link=link, flips=flips)
        end = chunk.start + len(chunk.text)
        before = chunk


_OF = frozenset({"of", "de", "del", "du", "des", "d", "von", "for", "vom", "der"})


def _sides(before: Chunk, chunk: Chunk, gap: str, rules: LanguageRules) -> bool:
    joiners = rules.phrase("sentence_links")
    versus = re.search(
        r"\b(?:vs\.?|versus|against|with|mit|con|avec|frente a|gegen)\b", gap, re.IGNORECASE
    )
    joined = (
        (joiners and joiners.search(gap)) or versus or re.search(r"\b(?:or|o|ou|oder|and)\b", gap)
    )
    return (
        bool(joined)
        and "?" not in gap
        and before.role is Role.CONTENT
        and chunk.role is Role.CONTENT
    )


def _dense(text: str, rules: LanguageRules) -> Iterator[Chunk]:
    fixed = list(_errors(text, rules))
    rest = masked(text, fixed)
    quoted = list(quotations(rest))
    rest = masked(rest, quoted)
    timed = list(_times(rest, rules))
    rest = masked(rest, timed)
    whole = list(_whole(rest, rules))
    rest = masked(rest, whole)
    found = [chunk for *_, chunk in (*fixed, *quoted, *timed, *whole)]
    for name in ("live_words", "asides"):
        rest = without_words(rest, rules.phrase(name), rules.code)
    for chunk in _DENSE_CUTS[rules.code](rest, rules):
        weak = chunk.key in rules.words("weak")
        found.append(replace(chunk, role=Role.WEAK) if weak else chunk)
    found.sort(key=lambda chunk: chunk.start)
    yield from found
