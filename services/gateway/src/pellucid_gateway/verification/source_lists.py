"""Lists of sources that a model writes below its answer: we show the sources ourselves.

A line belongs to one when it says no more than which source it is. It is held until it is whole,
and so is a short heading, until what follows tells whether it headed such a list.
"""

import re
from collections.abc import Iterable, Sequence

from pellucid_gateway.domain.findings import Source
from pellucid_language.citation_marks import MARK, STARTS
from pellucid_language.quantities import figures
from pellucid_language.same_amounts import same_amount
from pellucid_language.sentences import Segment, SegmentKind
from pellucid_language.terms import function_terms, terms
from pellucid_language.written_dates import undated

_LIST_MARK = re.compile(r"^\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+|>\s+)*")
_HEADING = re.compile(
    r"^\s*(?:#{1,6}\s+)?[*_]{0,2}[^\W\d_]+(?:[ '’][^\W\d_]+){0,2}[*_]{0,2}[:：]?[*_]{0,2}\s*$"
)
_LABEL = re.compile(r"^\W*[^\W\d_]+(?: [^\W\d_]+)?[*_]{0,2}\s*[:：]\W*$")
_LABEL_BEGUN = re.compile(r"^\W*[^\W\d_]+(?: [^\W\d_]+)?[*_]{0,2}\s*[:：][*_]{0,2}\s*(?=\S)")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_ENTRY = re.compile(r"^\s*(?:[-*+•]\s|\d{1,3}[.)]\s|\[|<?https?://)")
_ENTRY_START = re.compile(rf"[-+•>\dhHwW]|{STARTS.pattern}")
# Of a title's words; models shorten them.
_MOST_OF_TITLE = 0.6
# Words beside title, publisher, date and address, such as "accessed".
_MOST_OTHER_WORDS = 2


class SourceLists:
    """Takes lists of sources out of one answer.

    Args:
        sources: Those of the answer.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._heading: list[Segment] = []
        self._line: list[Segment] = []
        self._in_list = False
        self._starts_line = True
        self._has_prose = False

    @property
    def holds(self) -> bool:
        """Whether something waits, so that nothing behind it may leave."""
        return bool(self._heading or self._line)

    def take(self, segment: Segment, *, has_begun: bool) -> list[Segment]:
        """Take a segment; return those that may go on.

        Args:
            segment: The next of the answer.
            has_begun: Part of it has left.
        """
        starts_line, self._starts_line = self._starts_line, segment.text.endswith("\n")
        if self._line:
            self._line.append(segment)
        elif segment.kind is SegmentKind.CODE or has_begun or not starts_line:
            return self._go_on(segment)
        elif not segment.text.strip():
            return self._blank(segment)
        elif self._has_prose and self._may_be_entry(segment.text):
            self._line = [segment]
        elif self._has_prose and _HEADING.match(segment.text):
            free, self._heading = self._heading, [segment]
            return free
        else:
            return self._go_on(segment)
        return self._decided() if segment.text.endswith("\n") else []

    def freed_by(self, pending: str) -> list[Segment]:
        """A held heading, once the line that has begun below it can be no entry of a list."""
        begun = pending.lstrip()[:1]
        if self._line or not self._heading or not begun or _ENTRY_START.match(begun):
            return []
        free, self._heading = self._heading, []
        return free

    def rest(self) -> list[Segment]:
        """What is still held, at the end of the answer."""
        free = self._decided() if self._line else []
        free, self._heading = [*free, *self._heading], []
        return free

    def _go_on(self, segment: Segment) -> list[Segment]:
        free, self._heading = [*self._heading, segment], []
        self._in_list = False
        self._has_prose = self._has_prose or bool(segment.text.strip())
        return free

    def _blank(self, segment: Segment) -> list[Segment]:
        if self._heading:
            self._heading.append(segment)
            return []
        return [segment]

    def _may_be_entry(self, text: str) -> bool:
        bare = _LIST_MARK.sub("", text)
        label = _LABEL_BEGUN.match(bare)
        if MARK.match(bare) or (label and MARK.match(bare, label.end())):
            return True
        return bool((self._heading or self._in_list) and _ENTRY.match(text))

    def _decided(self) -> list[Segment]:
        line, self._line = self._line, []
        if self._is_entry("".join(segment.text for segment in line)):
            self._heading, self._in_list = [], True
            return []
        free = [*self._heading, *line]
        self._heading, self._in_list = [], False
        return free

    def _is_entry(self, line: str) -> bool:
        bare, marks = MARK.subn(" ", _LIST_MARK.sub("", line))
        is_listed = bool(self._heading) or self._in_list
        if marks and (_LABEL.match(bare) or (is_listed and not bare.strip(" \n.,;"))):
            return True
        if is_listed and _ADDRESS.search(line):
            return True
        return any(_names_only(bare, source) for source in self._sources)


def _names_only(line: str, source: Source) -> bool:
    """Whether a line says which source it is, and nothing else."""
    title = _telling(source.title)
    is_named = source.url in line or (
        bool(title) and len(title & _telling(line)) >= _MOST_OF_TITLE * len(title)
    )
    if not is_named:
        return False
    plain = _ADDRESS.sub(" ", undated(line))
    own = f"{source.title} {source.publisher} {source.domain}"
    if _has_another_figure(plain, own):
        return False
    return len(_telling(plain) - _telling(own)) <= _MOST_OTHER_WORDS


def _has_another_figure(line: str, own: str) -> bool:
    """Whether a line says how much of something: a fact, and no name of a source."""
    known = [*figures(own)]
    told = (figure for figure in figures(line) if not figure.is_year)
    return any(not any(same_amount(figure, other) for other in known) for figure in told)


def _telling(text: str) -> frozenset[str]:
    return _without_numbers(terms(text) - function_terms())


def _without_numbers(found: Iterable[str]) -> frozenset[str]:
    return frozenset(term for term in found if not term.isdigit())
