"""Chinese questions cut into chunks: runs of words between small ones."""

import re
from collections.abc import Iterator

from pellucid_decision.question.chunk import Chunk, Role
from pellucid_decision.question.morphology import Sort, blanked, with_latin, without_words
from pellucid_decision.question.terms import Kind
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_language.scripts import HAN

# What says how or that something is, and goes first where there is no room.
_PREDICATES = frozenset({Sort.VERB, Sort.ADJECTIVE, Sort.ADVERB})
_SMALL = frozenset({Sort.PRONOUN, Sort.PARTICLE})
_LETTER_OR_DIGIT = re.compile("[A-Za-z0-9]")


def chinese(text: str, rules: LanguageRules) -> Iterator[Chunk]:
    """Yield the chunks of a Chinese question."""
    words, rest = with_latin(text, "zh"), text
    found: list[Chunk] = []
    tails = rules.phrase("question_tails")
    for match in tails.finditer(text) if tails else ():
        cut = (one.start for one in words if one.start < match.end() < one.end)
        said = text[match.start() : min(cut, default=match.end())]
        found.append(Chunk(said, start=match.start()))
        rest = blanked(rest, match.start(), match.start() + len(said))
    rest = without_words(rest, rules.phrase("functions"), "zh")
    for one in words:
        if one.sort in _SMALL or one.text in rules.words("light_verbs"):
            rest = blanked(rest, one.start, one.end)
    stop = rules.words("stopwords") | rules.words("polite")
    for match in _RUN.finditer(rest):
        word = match.group().strip(".")
        within = [one for one in words if match.start() <= one.start < match.end()]
        if word.casefold() not in stop:
            weak = all(one.sort in _PREDICATES for one in within)
            kind = Kind.ENTITY if _LETTER_OR_DIGIT.search(word) else Kind.WORD
            role = Role.WEAK if weak else Role.CONTENT
            found.append(Chunk(word, kind, role, start=match.start()))
    yield from sorted(found, key=lambda chunk: chunk.start)


_RUN = re.compile(
    rf"[{HAN}]*[0-9][0-9,.]*(?:号线|号楼|号|路|届|季|期|代|款|岁|个月|天|元|块|人|度|级|寸|米|公里|分|次|平)"
    rf"|[0-9][0-9,.]*[{HAN}]+"
    rf"|[{HAN}]*[A-Za-z0-9$][A-Za-z0-9.+#%&/-]*(?: [A-Z0-9][A-Za-z0-9.:-]*)*|[{HAN}]+"
)
