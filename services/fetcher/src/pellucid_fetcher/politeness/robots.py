"""robots.txt as RFC 9309 describes it.

Decides whether a path may be read by our agent. Unavailable rules (4xx) allow everything; a server
that is in trouble (5xx, silence) is judged by the policy of the caller.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MAX_BYTES: Final = 500 * 1024  # RFC 9309, section 2.5
MAX_RULES: Final = 5_000
_MAX_PATTERN: Final = 512


@dataclass(frozen=True, slots=True)
class RobotsRule:
    """One allow or disallow line."""

    allow: bool
    pattern: str


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules that hold for us."""

    rules: tuple[RobotsRule, ...] = ()

    def allows(self, path: str) -> bool:
        r"""Tell whether a path with query may be read; the longest matching rule decides.

        >>> read_robots("User-agent: *\\nDisallow: /a\\nAllow: /a/b", "x").allows("/a/b/c")
        True
        """
        best = RobotsRule(allow=True, pattern="")
        for rule in self.rules:
            longer = (len(rule.pattern), rule.allow) > (len(best.pattern), best.allow)
            if longer and _matches(rule.pattern, path):
                best = rule
        return best.allow


def read_robots(text: str, agent: str) -> Robots:
    """Read a robots.txt.

    Args:
        text: Its content; what cannot be understood is skipped.
        agent: Product token of our user agent, for example "Pellucid".
    """
    own: list[RobotsRule] = []
    general: list[RobotsRule] = []
    named = False
    for agents, rules in _groups(text):
        if any(name != "*" and agent.lower().startswith(name) for name in agents):
            named = True
            own.extend(rules)
        elif "*" in agents:
            general.extend(rules)
    return Robots(tuple((own if named else general)[:MAX_RULES]))


def _groups(text: str) -> Iterator[tuple[list[str], list[RobotsRule]]]:
    agents: list[str] = []
    rules: list[RobotsRule] = []
    in_rules = False
    for key, value in _lines(text):
        if key == "user-agent":
            if in_rules:
                yield agents, rules
                agents, rules, in_rules = [], [], False
            agents.append(value.lower())
        elif key in ("allow", "disallow"):
            in_rules = True
            if value:
                rules.append(RobotsRule(key == "allow", value[:_MAX_PATTERN]))
    yield agents, rules


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.lstrip("\ufeff").splitlines():
        key, separator, value = line.partition("#")[0].partition(":")
        if separator:
            yield key.strip().lower(), value.strip()


def _matches(pattern: str, path: str) -> bool:
    """Match with * and a final $, piece by piece: no backtracking."""
    anchored = pattern.endswith("$")
    pieces = re.split(r"\*+", pattern.removesuffix("$"))
    if not path.startswith(pieces[0]):
        return False
    position = len(pieces[0])
    for piece in pieces[1:-1]:
        found = path.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    return _ends(path, position, pieces[1:], anchored=anchored)


def _ends(path: str, position: int, rest: list[str], *, anchored: bool) -> bool:
    if not rest:
        return not anchored or position == len(path)
    last = rest[-1]
    if anchored:
        return path.endswith(last) and len(path) - len(last) >= position
    return path.find(last, position) >= 0
