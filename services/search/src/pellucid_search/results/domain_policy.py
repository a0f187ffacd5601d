"""Which sites may be shown: block list, allow list, doubtful sites, and a request's own filters."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml


class Verdict(StrEnum):
    """What the policy says about one host."""

    FINE = "fine"
    DOUBTFUL = "doubtful"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class DomainPolicy:
    """Lists of domains; a subdomain belongs to its domain. `allow` beats both others."""

    block: frozenset[str] = frozenset()
    doubtful: frozenset[str] = frozenset()
    allow: frozenset[str] = frozenset()

    def verdict(self, host: str) -> Verdict:
        """Judge one host, in lower case."""
        above = _with_parents(host)
        if self.allows(host):
            return Verdict.FINE
        if not self.block.isdisjoint(above):
            return Verdict.BLOCKED
        return Verdict.FINE if self.doubtful.isdisjoint(above) else Verdict.DOUBTFUL

    def allows(self, host: str) -> bool:
        """Whether the allow list names a host, in lower case."""
        return not self.allow.isdisjoint(_with_parents(host))

    def joined(self, other: "DomainPolicy") -> "DomainPolicy":
        """Return the policy with another's lists added."""
        return DomainPolicy(
            block=self.block | other.block,
            doubtful=self.doubtful | other.doubtful,
            allow=self.allow | other.allow,
        )


def _with_parents(host: str) -> tuple[str, ...]:
    labels = host.split(".")
    return tuple(".".join(labels[start:]) for start in range(len(labels)))


@cache
def shipped_policy() -> DomainPolicy:
    """Return the policy that comes with the service."""
    table = (files("pellucid_search") / "policy/domains.yaml").read_text("utf-8")
    return policy_from(yaml.safe_load(table))


def policy_file(path: Path) -> DomainPolicy:
    """Return an operator's policy.

    Raises:
        ValueError: The file is not a policy.
        OSError: It cannot be read.
    """
    try:
        return policy_from(yaml.safe_load(path.read_text("utf-8")) or {})
    except yaml.YAMLError as error:
        raise ValueError(f"{path.name} is not valid YAML") from error


def policy_from(table: Mapping[str, Any]) -> DomainPolicy:
    """Return the policy of a table with `block`, `doubtful` and `allow`.

    Raises:
        ValueError: A list holds something else than names.
    """
    return DomainPolicy(
        block=_names(table.get("block")),
        doubtful=_names(table.get("doubtful")),
        allow=_names(table.get("allow")),
    )


def _names(value: object) -> frozenset[str]:
    """Read a list of names, or a mapping of categories to such lists."""
    if value is None:
        return frozenset()
    if isinstance(value, dict):
        return frozenset().union(*(_names(part) for part in value.values()))
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError("a domain policy holds lists of host names")
    return frozenset(name.strip().lower() for name in value)
