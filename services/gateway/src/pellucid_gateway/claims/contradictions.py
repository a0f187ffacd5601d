"""Whether a claim says the opposite of its source, or exchanges who did what: checks by words.

They catch what shares every word with a source and is still wrong: a denial, a buyer that becomes
the bought, a figure that is given to the other of two. They never speak for a claim, only against.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml

from pellucid_gateway.claims import exchanges, substitutions
from pellucid_gateway.claims.telling.negation import is_negated, negations, stated, without_seeming
from pellucid_gateway.claims.telling.opposites import are_converse, are_on_one_side, are_opposite
from pellucid_language import sentences, unspaced_checks
from pellucid_language.clauses import BORDER, PART_BORDER
from pellucid_language.clauses import clauses as clauses_of
from pellucid_language.folding import fold
from pellucid_language.quantities import Figure, equal_figures, figures
from pellucid_language.terms import function_terms, has_unspaced_script, terms
from pellucid_language.text_memory import remembered
from pellucid_language.verbs import is_known_verb, is_past, verb_key

# Share of a claim's words from which a clause speaks of the same.
_SAME_MATTER = 0.6
# From this share on a clause may deny what the claim denies.
_LEAST_MATTER = 0.34
# The same where the two have opposite words, which are not shared.
_OPPOSED_MATTER = 0.4
_NAME = re.compile(r"\b[A-ZÀ-Þ][\w'’-]*(?:\s+[A-ZÀ-Þ][\w'’-]*)*")
_WORD = re.compile(r"[^\W\d_]+")
_MOST_NAMES = 8
_HEAD_CHARS = 2
_STEM_LETTERS = 5
# "Needs" and "need".
_VERB_LETTERS = 4
# "Unexplained" is without explanation.
_UN = re.compile(r"\bun(\w{5})")
# Words after a negation that tell what it denies.
_SCOPE_WORDS = 2


@dataclass(frozen=True, slots=True)
class _Lexicon:
    denying: re.Pattern[str]
    forbidding: re.Pattern[str]
    ending: re.Pattern[str]
    directed: re.Pattern[str]
    passive: re.Pattern[str]
    alike: tuple[re.Pattern[str], ...]
    saying: re.Pattern[str]


def contradicts(claim: str, facts: str) -> bool:
    """Whether the nearest sentence of the facts denies the claim or turns it around.

    >>> contradicts("Ash did not buy Birch Ltd", "Ash bought Birch Ltd in May.")
    True
    >>> contradicts("Birch Ltd bought Ash Corp", "Ash Corp bought Birch Ltd in May.")
    True
    """
    found = sentences.split(facts)
    if unspaced_checks.denies(claim, found, negations()):
        return True
    parts = clauses_of(claim)
    if _is_opposed(claim, found) or any(_is_opposed(p, found) for p in parts[len(parts) == 1 :]):
        return True
    if _denied_elsewhere(claim, found) or exchanges.are_exchanged(claim, found):
        return True
    as_denied = [one for one in found if is_negated(one) == is_negated(claim)]
    if substitutions.is_substituted(claim, as_denied, are_alike=_are_alike):
        return True
    nearest = _nearest(claim, found)
    if not nearest:
        return False
    checks = (_denied, _turned, _given_to_the_other, unspaced_checks.turned)
    return any(check(claim, nearest) for check in checks)


def _nearest(claim: str, found: Sequence[str]) -> str:
    """The sentence with most of the claim's words; empty when none speaks of the same."""
    shares = [_share(claim, sentence) for sentence in found]
    best = max(shares, default=0.0)
    return found[shares.index(best)] if best >= _SAME_MATTER else ""


def _is_opposed(claim: str, found: Sequence[str]) -> bool:
    """Whether a sentence says the opposite, and none that says more of the claim does not."""
    shares = {sentence: _share(claim, sentence) for sentence in found}
    opposed = [sentence for sentence in found if _opposed(claim, sentence)]
    others = (shares[sentence] for sentence in found if sentence not in opposed)
    best = max(others, default=0.0)
    return any(shares[sentence] >= best for sentence in opposed)


def _opposed(claim: str, sentence: str) -> bool:
    """One has a word where the other, as much denied or not, has its opposite."""
    if is_negated(claim) != is_negated(sentence) or _share(claim, sentence) < _OPPOSED_MATTER:
        return False
    if _begins_alike(claim, sentence) and are_converse(claim, sentence):
        return True
    if are_opposite(claim, sentence):
        return True
    clause = max(PART_BORDER.split(sentence), key=lambda part: _share(claim, part), default="")
    # A sentence with both words of a pair has them in two of its clauses.
    return clause != sentence and are_opposite(claim, clause)


def _begins_alike(claim: str, sentence: str) -> bool:
    """Whether both begin with the same telling word, or the same characters."""
    if has_unspaced_script(claim):
        return claim.strip()[:_HEAD_CHARS] == sentence.strip()[:_HEAD_CHARS]
    return _first_term(claim) == _first_term(sentence)


@remembered
def _first_term(text: str) -> str:
    telling = (t for word in _WORD.findall(fold(text)) for t in terms(word) - function_terms())
    return next(telling, "")


def _are_alike(word: str, other: str) -> bool:
    """Whether two words stand on one side of a pair of opposites, or say the same by the table."""
    lexicon = _lexicon()
    if lexicon.saying.search(word) or lexicon.saying.search(other):
        return True
    # Two verbs of which neither is the other's opposite mostly tell the same deed in other words.
    if _is_verb(word) and _is_verb(other) and not are_opposite(word, other):
        return True
    is_alike = any(side.search(word) and side.search(other) for side in lexicon.alike)
    return is_alike or are_on_one_side(word, other)


def _is_verb(word: str) -> bool:
    return word.isascii() and (is_known_verb(word) or is_past(word))


def _share(claim: str, text: str) -> float:
    wanted = _content(claim)
    return len(wanted & terms(text)) / len(wanted) if wanted else 0.0


@remembered
def _content(text: str) -> frozenset[str]:
    return terms(negations().sub(" ", fold(text))) - function_terms()


def _denied(claim: str, sentence: str) -> bool:
    """One of the two has a negation where the other, speaking of the same, has none."""
    claim = stated(claim)
    own = max(clauses_of(claim), key=lambda clause: _share(clause, sentence), default=claim)
    clauses = clauses_of(stated(sentence))
    if is_negated(own) and any(
        is_negated(c) and _share(claim, c) >= _LEAST_MATTER for c in clauses
    ):
        return False
    best = max(clauses, key=lambda clause: _share(claim, clause), default="")
    if _share(claim, best) < _SAME_MATTER:
        # What stands between two clauses of the matter is of it as well: "not, as some wrote, for".
        told = [k for k, clause in enumerate(clauses) if _share(claim, clause)]
        best = ", ".join(clauses[told[0] : told[-1] + 1]) if told else sentence
    if is_negated(own) == is_negated(best) or is_negated(claim) == is_negated(best):
        return False
    return not _is_denied_in_effect(claim, best)


def _is_denied_in_effect(claim: str, sentence: str) -> bool:
    """Whether the one without a negation has a word that denies by itself, as "bans" does."""
    if are_opposite(claim, sentence):
        return True
    without, negated = (claim, sentence) if is_negated(sentence) else (sentence, claim)
    forbidden = _lexicon().forbidding.findall(fold(without))
    if any(word[:_STEM_LETTERS] not in fold(negated) for word in forbidden):
        return True
    if _denies_the_same(words := fold(without), others := fold(negated)):
        return True
    # "Does not require" denies "requires", whatever else is banned beside it.
    told = {verb_key(word) for word in _WORD.findall(fold(without))}
    if any(verb_key(first) in told for first in _denied_words(negated)):
        return False
    found = (match.group() for match in _lexicon().denying.finditer(words))
    if any(word[:_STEM_LETTERS] not in others for word in found):
        return True
    prefixed = (match.group(1) for match in _UN.finditer(words))
    return any(stem in others for stem in prefixed)


def _ends_by_itself(words: str, others: str) -> bool:
    """Whether a text tells that something ended, in a word that the other one has not."""
    found = (match.group() for match in _lexicon().ending.finditer(words))
    return any(word[:_STEM_LETTERS] not in others for word in found)


def _denies_the_same(words: str, others: str) -> bool:
    """Whether a word that denies by itself stands before what the other has "no" before.

    "Still lacks a permit" denies just what "has no permit" does.
    """
    denied = {word[:_STEM_LETTERS] for word in _denied_words(others)}
    return any(
        match.group()[:_VERB_LETTERS] not in others
        and next(_telling_words(words[match.end() :]), "")[:_STEM_LETTERS] in denied
        for match in _lexicon().denying.finditer(words)
    )


def _telling_words(folded: str) -> Iterator[str]:
    words = _WORD.findall(BORDER.split(folded)[0])
    return (word for word in words if terms(word) - function_terms())


def _denied_elsewhere(claim: str, found: Sequence[str]) -> bool:
    """Whether a sentence denies just what the claim states, and none states it.

    "The drug did not reduce mortality" denies "Velorastat reduced mortality in the trial".
    """
    if is_negated(claim):
        return False
    wanted, own = _content(claim), fold(claim)
    denied = [
        scope
        for sentence in found
        if not _ends_by_itself(own, fold(sentence))
        for scope in _scopes(sentence)
        if scope <= wanted
    ]
    return any(not any(scope <= terms(s) and not is_negated(s) for s in found) for scope in denied)


@remembered
def _scopes(sentence: str) -> tuple[frozenset[str], ...]:
    """The first telling words after each negation: what it denies."""
    folded = without_seeming(fold(sentence))
    if has_unspaced_script(folded):
        return ()
    scopes = []
    for match in negations().finditer(folded):
        behind = BORDER.split(folded[match.end() :])[0]
        words = [t for w in _WORD.findall(behind) for t in terms(w) - function_terms()]
        if len(words) >= _SCOPE_WORDS:
            scopes.append(frozenset(words[:_SCOPE_WORDS]))
    return tuple(scopes)


def _denied_words(text: str) -> Iterator[str]:
    """The first telling word after each negation."""
    folded = fold(text)
    for match in negations().finditer(folded):
        yield next(_telling_words(folded[match.end() :]), "")


def _turned(claim: str, sentence: str) -> bool:
    """Two names around a directed verb stand the other way round than in the source."""
    if are_converse(claim, sentence):
        return False
    for first, second in _pairs(claim):
        told = _direction(claim, first, second)
        known = _direction(sentence, first, second)
        if told and known and told != known:
            return True
    return False


def _pairs(claim: str) -> Iterator[tuple[str, str]]:
    names = [match.group() for match in _NAME.finditer(claim)][:_MOST_NAMES]
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            yield first, second


def _direction(text: str, first: str, second: str) -> int:
    """1 when the first name acts on the second, -1 the other way round, 0 when neither is said."""
    lexicon = _lexicon()
    folded = fold(text)
    a, b = _place(folded, first), _place(folded, second)
    if a < 0 or b < 0 or a == b:
        return 0
    between = folded[min(a, b) : max(a, b)]
    if not lexicon.directed.search(between):
        return 0
    sense = 1 if a < b else -1
    return -sense if lexicon.passive.search(between) else sense


def _place(folded: str, name: str) -> int:
    """Where the last word of a name stands, which is what a text repeats of it."""
    words = [word for word in fold(name).split() if word not in function_terms()]
    return next((folded.find(word) for word in reversed(words) if word in folded), -1)


def _given_to_the_other(claim: str, sentence: str) -> bool:
    """A figure is said of one thing that the source says of another beside it."""
    if has_unspaced_script(claim):
        return False
    clauses = clauses_of(sentence)
    return any(
        _exchanged(part, figure, clauses)
        for part in clauses_of(claim)
        for figure in figures(part)
        if not figure.is_year
    )


def _exchanged(part: str, figure: Figure, clauses: Sequence[str]) -> bool:
    """Whether what the claim gives the figure to stands before another figure in the source."""
    own = [clause for clause in clauses if any(_same(clause, figure))]
    subject = _subject(part, figure)
    if not own or not subject or any(subject in terms(clause) for clause in own):
        return False
    if not all(_subject(clause, known) for clause in own for known in _same(clause, figure)):
        return False
    others = (clause for clause in clauses if clause not in own)
    return any(
        subject == _subject(clause, rival)
        for clause in others
        for rival in figures(clause)
        if not rival.is_year
    )


def _same(clause: str, figure: Figure) -> Iterator[Figure]:
    return (other for other in figures(clause) if equal_figures(figure, other))


def _subject(clause: str, figure: Figure) -> str:
    """First telling word before a figure; empty when the clause leaves its subject out."""
    words = _WORD.findall(clause[: figure.start])
    telling = (term for word in words for term in sorted(terms(word) - function_terms()))
    return next(telling, "")


@cache
def _lexicon() -> _Lexicon:
    source = resources.files("pellucid_gateway.claims").joinpath("contradictions.yaml")
    table = yaml.safe_load(source.read_text("utf-8"))
    starts = "|".join(re.escape(stem) for stem in table["directed"])
    return _Lexicon(
        forbidding=re.compile("|".join(table["forbidding"])),
        denying=re.compile("|".join((*table["denying"], *table["ending"]))),
        ending=re.compile("|".join(table["ending"])),
        directed=re.compile(rf"\b(?:{starts})"),
        passive=re.compile(table["passive"]),
        alike=tuple(map(re.compile, table["alike"])),
        saying=re.compile(table["saying"]),
    )
