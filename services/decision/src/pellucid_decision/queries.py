"""The search queries for a question: 1 to 3 of 2 to 6 words, from rules alone.

Keeps what the person named, resolves what they left out, adds a year only from the clock. Whether
to search at all is not decided here.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pellucid_decision.conversation import Ask
from pellucid_decision.decision import Facets, Freshness, Query
from pellucid_decision.normal import one_line
from pellucid_decision.redaction import redact
from pellucid_decision.resolution import Resolved
from pellucid_decision.rulebook import LanguageRules, Rulebook
from pellucid_decision.signals import Reading
from pellucid_decision.structure import years_in
from pellucid_decision.terms import FIRM, Kind, Term, terms_of, unique

MIN_WORDS = 2
MAX_WORDS = 6
MAX_QUERY_CHARACTERS = 200
MAX_PARTS = 3
MAX_FALLBACKS = 3
CONTEXT_WORDS = 3
_PHRASE = re.compile(r'"[^"]*"|\S+')
_UNSAFE = re.compile(r"[\x00-\x1f\x7f<>|\\]")
_ANGLES = (
    ("news", ("news", "event_result")),
    ("role", ("role_holder",)),
    ("price", ("price_of",)),
    ("review", ("reviews",)),
    ("law", ("changing_fact",)),
    ("docs", ("niche_docs",)),
    ("schedule", ("event_schedule",)),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Queries of a decision.

    Attributes:
        queries: Best first.
        fallbacks: Broader ones.
    """

    queries: tuple[Query, ...]
    fallbacks: tuple[str, ...]


def word_count(text: str) -> int:
    """Return the number of words; a quoted phrase counts as one."""
    return len(_PHRASE.findall(text))


def plan_queries(
    resolved: Resolved,
    *,
    ask: Ask,
    reading: Reading,
    facets: Facets,
    rules: LanguageRules,
    rulebook: Rulebook,
) -> Plan:
    """Write the queries of a question.

    Args:
        resolved: The question with its context.
        ask: The request, for clock, subject and limits.
        reading: Signals of the standalone question.
        facets: Window, site and intent.
        rules: Rules of the person's language.
        rulebook: For aliases.
    """
    lines = _lines(resolved, ask, reading, facets, rules, rulebook)
    texts = _distinct(_finished(line, rules) for line in lines)[: ask.max_queries]
    if not texts:
        texts = (
            _finished(terms_of(resolved.question, rules)[:MAX_WORDS], rules) or _padding(rules),
        )
    queries = tuple(
        Query(
            text,
            facets.freshness if number == 0 or facets.real_time else Freshness.NONE,
            facets.site,
        )
        for number, text in enumerate(texts)
    )
    return Plan(queries, _fallbacks(texts, rules))


def valid_query(text: str) -> str:
    """Return `text` as a query that obeys the limits, empty when it cannot."""
    line = one_line(_UNSAFE.sub(" ", redact(text)[0]), MAX_QUERY_CHARACTERS)
    words = _PHRASE.findall(line)
    return " ".join(words) if MIN_WORDS <= len(words) <= MAX_WORDS else ""


def _lines(  # noqa: PLR0917 - a table of cases
    resolved: Resolved,
    ask: Ask,
    reading: Reading,
    facets: Facets,
    rules: LanguageRules,
    rulebook: Rulebook,
) -> list[tuple[Term, ...]]:
    own = _without_site(_question_terms(resolved, reading, rules), facets.site)
    parts = _parts(resolved, own, rules)
    context = _context(resolved, rules)
    subject = _subject_terms(ask, rules)
    own_named = unique((*own, *subject)) if _vague(own, rules) else own
    year = _year(reading, ask, rules)
    lines = []
    for part in parts:
        base = _aliased(part, rulebook)
        lead = context if resolved.leans else ()
        lines.append(_fit((*_spare(lead, base), *base), extra=(*subject[:1], *year)))
    lines += _rest(own_named, lines, context)
    lines += _wider(resolved, own, context, subject, year)
    if len(lines) == 1 and lines[0]:
        lines.append(_fit(lines[0][: MAX_WORDS - 2], extra=_angle(reading, rules)))
    return lines


def _question_terms(resolved: Resolved, reading: Reading, rules: LanguageRules) -> tuple[Term, ...]:
    """Terms of the message itself, names first, words of time left to freshness and year."""
    versions = {term.key for term in resolved.own} & rules.words("versions")
    recency = frozenset[str]() if versions else rules.words("recency")
    drop_time = rules.words("time_nouns") if reading.has("time_word") else frozenset()
    timed = recency | drop_time
    kept = [term for term in resolved.own if term.kind is Kind.ENTITY or term.key not in timed]
    verbs = rules.mappings.get("verb_roles", {})
    still = rules.phrase("still")
    if reading.has("role_holder", "still_valid") and still and still.search(resolved.question):
        kept = [Term(verbs[term.key]) if term.key in verbs else term for term in kept]
        kept = [term for term in kept if term.key != "still"]
    happened = rules.phrase("happened")
    if happened and happened.search(resolved.question):
        kept += _aspect(kept, rules)
    return _names_first(unique(kept), rules) or resolved.own[:MAX_WORDS]


def _aspect(terms: Sequence[Term], rules: LanguageRules) -> list[Term]:
    aspects = rules.mappings.get("aspects", {})
    found = next((aspects[term.key] for term in terms if term.key in aspects), "")
    return [Term(found)] if found else []


def _names_first(terms: Sequence[Term], rules: LanguageRules) -> tuple[Term, ...]:
    """Put names before other words; the order within each stays."""
    if rules.code in {"de", "ko", "zh", "ja"}:
        return tuple(terms)
    named = [term for term in terms if term.kind in FIRM and term.kind is not Kind.NUMBER]
    roles = rules.words("roles")
    role_words = [term for term in named if term.key in roles]
    firm = [term for term in named if term not in role_words]
    return (*firm, *(term for term in terms if term not in firm))


def _parts(
    resolved: Resolved, own: tuple[Term, ...], rules: LanguageRules
) -> list[tuple[Term, ...]]:
    """One part per question of the message, at most three, each with a name of the first."""
    breaks = rules.phrase("question_break")
    pieces = (
        breaks.split(resolved.question) if breaks and not resolved.leans else [resolved.question]
    )
    if len(pieces) < 2 or len(own) <= SHORT:  # noqa: PLR2004 - one piece is no split
        return [own]
    parts = []
    for piece in pieces[:MAX_PARTS]:
        keys = {term.key for term in terms_of(piece, rules)}
        mine = tuple(term for term in own if term.key in keys)
        named = tuple(term for term in own if term.kind in FIRM and term.kind is not Kind.NUMBER)[
            :1
        ]
        if mine:
            parts.append(mine if any(term.kind in FIRM for term in mine) else (*named, *mine))
    return parts or [own]


SHORT = 3


def _context(resolved: Resolved, rules: LanguageRules) -> tuple[Term, ...]:
    """Terms of the topic; a role only where the message names another holder ("and Boeing?")."""
    mine = {term.key for term in resolved.own}
    about = resolved.topic.main or resolved.topic.said
    names = [term for term in about if term.kind is Kind.ENTITY]
    named = any(term.kind is Kind.ENTITY for term in resolved.own)
    roles = frozenset[str]() if named or len(names) < 2 else rules.words("roles")  # noqa: PLR2004 - a name beside the role
    return tuple(term for term in about if term.key not in mine | roles)


def _spare(lead: Sequence[Term], base: Sequence[Term]) -> tuple[Term, ...]:
    room = max(1, MAX_WORDS - len(base)) if lead else 0
    return tuple(lead[: min(room, CONTEXT_WORDS)])


def _rest(
    own: Sequence[Term], lines: Sequence[Sequence[Term]], context: Sequence[Term]
) -> list[tuple[Term, ...]]:
    """Further queries for the person's terms that the first ones had no room for."""
    used = {term.key for line in lines for term in line}
    left = [term for term in own if term.key not in used]
    left.sort(key=lambda term: term.kind not in FIRM)
    anchor = tuple(lines[0][:1]) if lines and lines[0] else tuple(context[:1])
    room = MAX_WORDS - len(anchor)
    return [
        unique((*anchor, *left[start : start + room]))
        for start in range(0, min(len(left), 2 * room), room)
    ]


def _wider(
    resolved: Resolved,
    own: Sequence[Term],
    context: Sequence[Term],
    subject: Sequence[Term],
    year: Sequence[Term],
) -> list[tuple[Term, ...]]:
    """Other readings of a message that has turns or a subject before it."""
    older = [term for term in resolved.topic.older if term.key not in {item.key for item in own}]
    said = [term for term in resolved.topic.said if term.key not in {item.key for item in own}]
    lines: list[tuple[Term, ...]] = []
    if context and (resolved.leans or len(own) <= SHORT):
        lines.append(unique((*context[:4], *own))[:MAX_WORDS])
    if context:
        lines.append(unique((*context[:2], *older[:2], *own))[:MAX_WORDS])
        lines.append(unique((*own[:2], *older[:3], *said[:2], *context))[:MAX_WORDS])
    if subject:
        lines.append(unique((*subject[:3], *own[:2], *year))[:MAX_WORDS])
    return lines


def _subject_terms(ask: Ask, rules: LanguageRules) -> tuple[Term, ...]:
    """Names of the subject as terms; each speaker, organisation or event is one phrase."""
    if ask.subject is None:
        return ()
    words: list[Term] = []
    for element in ask.subject.elements():
        tokens = element.split()
        words += (
            [Term(token, Kind.ENTITY) for token in tokens[:3]]
            if len(tokens) <= 3  # noqa: PLR2004 - the number says itself
            else terms_of(element, rules)
        )
    return unique(words)


def _vague(own: Sequence[Term], rules: LanguageRules) -> bool:
    return all(term.key in rules.words("vague") for term in own)


def _aliased(terms: Sequence[Term], rulebook: Rulebook) -> tuple[Term, ...]:
    """Add the other name of a ticker or abbreviation right after it."""
    named = {term.key for term in terms}
    result = []
    for term in terms:
        result.append(term)
        alias = rulebook.aliases.get(term.key.removeprefix("$"))
        if alias and alias.casefold() not in named and len(terms) < MAX_WORDS and " " not in alias:
            result.append(Term(alias, Kind.ENTITY))
    return tuple(result)


def _year(reading: Reading, ask: Ask, rules: LanguageRules) -> tuple[Term, ...]:
    """The clock's year, for what is asked as current and has no window of its own."""
    if years_in(reading.text) or reading.has("real_time_value", "price_of"):
        return ()
    still = rules.phrase("still")
    if still and still.search(reading.text):
        return ()
    current = rules.phrase("current_words")
    words = set(re.findall(r"\w+", reading.text.casefold()))
    asked = bool(words & rules.words("current")) or bool(current and current.search(reading.text))
    return (Term(str(ask.now.year), Kind.NUMBER),) if asked else ()


def _fit(terms: Iterable[Term], *, extra: Sequence[Term] = ()) -> tuple[Term, ...]:
    """Bring terms to at most six words, firm ones kept first, `extra` at the end where room is."""
    listed = list(unique(terms))
    room = MAX_WORDS - min(len(extra), 2)
    if len(listed) > room:
        firm = [term for term in listed if term.kind in FIRM][:room]
        soft = [term for term in listed if term.kind not in FIRM][: room - len(firm)]
        listed = [term for term in listed if term in firm or term in soft]
    return unique((*listed, *extra))[:MAX_WORDS]


def _angle(reading: Reading, rules: LanguageRules) -> tuple[Term, ...]:
    angles = rules.mappings.get("angles", {})
    name = next((name for name, signals in _ANGLES if reading.has(*signals)), "general")
    return tuple(Term(word) for word in angles.get(name, "").split())


def _without_site(terms: Sequence[Term], site: str) -> tuple[Term, ...]:
    return tuple(
        term for term in terms if not site or site not in term.key.removeprefix("www.")
    ) or tuple(terms)


def _finished(terms: Sequence[Term], rules: LanguageRules) -> str:
    """Join terms into a valid query; a single word gains a second."""
    text = one_line(
        _UNSAFE.sub(" ", redact(" ".join(term.text for term in terms))[0]), MAX_QUERY_CHARACTERS
    )
    words = _PHRASE.findall(text)[:MAX_WORDS]
    if len(words) == 1:
        second = rules.mappings.get("angles", {}).get("general", "overview")
        words.append(second.split()[0] if words[0].casefold() != second else "news")
    return " ".join(words)


def _padding(rules: LanguageRules) -> str:
    return rules.mappings.get("angles", {}).get("news", "latest news")


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    seen: dict[frozenset[str], str] = {}
    for text in texts:
        if text:
            seen.setdefault(frozenset(text.casefold().split()), text)
    return tuple(seen.values())


def _fallbacks(texts: Sequence[str], rules: LanguageRules) -> tuple[str, ...]:  # noqa: ARG001 - the port has it
    """Broader forms of the first query: without quotes and site, without the year, fewer words."""
    first = texts[0]
    bare = first.replace('"', "")
    timeless = " ".join(word for word in bare.split() if not re.fullmatch(r"(?:19|20)\d\d", word))
    words = timeless.split()
    broader = " ".join(words[:3]) if len(words) > SHORT else ""
    short = " ".join(words[:MIN_WORDS])
    candidates = (timeless, " ".join(bare.split()[:MAX_WORDS]), broader, short)
    return tuple(
        text
        for text in _distinct(candidates)
        if text != first and MIN_WORDS <= word_count(text) <= MAX_WORDS
    )[:MAX_FALLBACKS]
