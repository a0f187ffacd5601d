"""How far a source is trusted, by its host. The scores themselves stand in ``trust.yaml``."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import yaml

from pellucid_runtime.domains import registrable_domain
from pellucid_scorer.errors import TableError
from pellucid_scorer.ranking import domains

UNKNOWN_RULE = "unknown"
OWN_SITE_RULE = "own-site"
BLOCKED = 0.0


@dataclass(frozen=True, slots=True)
class Trust:
    """The trust of one host.

    Attributes:
        score: In [0, 1].
        rule: The entry that matched, "own-site", or "unknown".
    """

    score: float
    rule: str


@dataclass(frozen=True, slots=True)
class TrustTable:
    """Entries by name; a leading dot marks a suffix.

    Attributes:
        entries: ``.gov`` or ``reuters.com`` to a score; 0 blocks.
        unknown: Score of a host that nothing matches.
        own_site: Least score of the site of the entity that was asked about.
    """

    entries: Mapping[str, float]
    unknown: float
    own_site: float

    @classmethod
    def from_yaml(cls, text: str, *extensions: str) -> Self:
        """Read the table and the operator's additions, of which later ones win.

        Raises:
            TableError: A score is outside [0, 1] or an entry is no host name.
        """
        base: dict[str, Any] = yaml.safe_load(text)
        entries: dict[str, float] = {}
        for part in (base, *(yaml.safe_load(extension) or {} for extension in extensions)):
            entries |= dict(_entries(part.get("scores", {})))
        return cls(entries=entries, unknown=base["unknown"], own_site=base["own_site"])

    def rate(self, host: str, asked_about: Collection[str] = ()) -> Trust:
        """Return the trust of a host.

        Args:
            host: ASCII host name as of `domains.host_of`; empty is unknown.
            asked_about: Folded names of the entities in question (see `subject.labels`).
        """
        listed = self._listed(host)
        if self.is_blocked(listed.rule) or listed.score >= self.own_site:
            return listed
        if host and domains.label(registrable_domain(host)) in asked_about:
            return Trust(self.own_site, OWN_SITE_RULE)
        return listed

    def is_blocked(self, rule: str) -> bool:
        """Tell whether the operator wants nothing of the hosts that an entry matches."""
        return self.entries.get(rule) == BLOCKED

    def _listed(self, host: str) -> Trust:
        rule = next((rule for rule in _rules(host) if rule in self.entries), None)
        if rule is None:
            return Trust(self.unknown, UNKNOWN_RULE)
        return Trust(self.entries[rule], rule)


def _rules(host: str) -> Iterable[str]:
    """Yield the entries that would speak for a host and its parent domains, nearest first.

    A domain entry stops at the registrable domain: what lies above belongs to nobody.
    """
    shortest = len(registrable_domain(host))
    name = host
    while name:
        if name == host or len(name) >= shortest:
            yield name
        yield f".{name}"
        name = name.partition(".")[2]


def _entries(scores: Mapping[Any, Iterable[str]]) -> Iterable[tuple[str, float]]:
    for raw, names in scores.items():
        score = float(raw)
        if not 0.0 <= score <= 1.0:
            raise TableError(f"trust score {raw} is outside 0 to 1")
        for name in names or ():
            yield _entry(name), score


def _entry(name: str) -> str:
    """Return an entry in ASCII form, its leading dot kept."""
    host = domains.host_of(f"https://{name.lstrip('.')}/")
    if not host:
        raise TableError(f"trust entry {name!r} is no host name")
    return f".{host}" if name.startswith(".") else host
