"""Named sets of weights and thresholds, and how one request's rules come from them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Self

import yaml
from pydantic import ConfigDict, Field, PositiveInt

from pellucid_runtime.errors import InvalidArgumentError
from pellucid_scorer.errors import TableError
from pellucid_scorer.ranking.candidates import Weights
from pellucid_scorer.typed_tables import typed

Share = Annotated[float, Field(ge=0, le=1)]
DEFAULT = "default"
SUM_TOLERANCE = 0.001
"""How far a sum of weights may be from 1."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Rules of inclusion.

    Attributes:
        name: Its name.
        weights: Shares of the parts, summing to 1.
        threshold: Included only above this final score.
        semantic_floor: Included only from this semantic part on.
        time_sensitive_freshness: Weight of freshness for time-sensitive questions.
        max_results: Most included results.
        max_per_domain: Most included results of one registrable domain.
        duplicate_cosine: Texts nearer than this say the same.
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    name: str
    weights: Weights
    threshold: Share
    semantic_floor: Share
    time_sensitive_freshness: Share
    max_results: PositiveInt
    max_per_domain: PositiveInt
    duplicate_cosine: Share

    def for_time_sensitive(self) -> Self:
        """Return the rules with freshness raised and the other weights shrunk in proportion."""
        share = max(self.time_sensitive_freshness, self.weights.freshness)
        return replace(self, weights=_with_freshness(self.weights, share))


@dataclass(frozen=True, slots=True)
class Overrides:
    """What a request changes in its profile; None keeps the profile's."""

    weights: Weights | None = None
    threshold: float | None = None
    max_results: int | None = None
    max_per_domain: int | None = None


@dataclass(frozen=True, slots=True)
class Profiles:
    """All profiles by name."""

    by_name: Mapping[str, Profile]

    @classmethod
    def from_yaml(cls, text: str, *extensions: str) -> Self:
        """Read the profiles and the operator's additions.

        Raises:
            TableError: Weights do not sum to 1 or a number is out of its range.
        """
        raw: dict[str, dict[str, Any]] = {}
        for part in (text, *extensions):
            for name, rules in (yaml.safe_load(part) or {}).items():
                raw[name] = raw.get(name, {}) | (rules or {})
        default = raw[DEFAULT]
        return cls({name: _profile(name, default | rules) for name, rules in raw.items()})

    def rules(self, name: str, overrides: Overrides, *, time_sensitive: bool) -> Profile:
        """Return the rules for one request.

        Args:
            name: Name of the profile; empty means the default.
            overrides: What the request changes.
            time_sensitive: Raise freshness, unless the request gives its own weights.

        Raises:
            InvalidArgumentError: No profile has this name, or the weights do not sum to 1.
        """
        profile = self.by_name.get(name or DEFAULT)
        if profile is None:
            raise InvalidArgumentError("scoring.profile", f"one of {', '.join(self.by_name)}")
        if overrides.weights is not None and not _sums_to_one(overrides.weights):
            raise InvalidArgumentError("weights", f"sum to 1 within {SUM_TOLERANCE}")
        if time_sensitive and overrides.weights is None:
            profile = profile.for_time_sensitive()
        return _overridden(profile, overrides)


def _overridden(profile: Profile, overrides: Overrides) -> Profile:
    threshold = overrides.threshold
    return replace(
        profile,
        weights=overrides.weights or profile.weights,
        threshold=profile.threshold if threshold is None else threshold,
        max_results=overrides.max_results or profile.max_results,
        max_per_domain=overrides.max_per_domain or profile.max_per_domain,
    )


def _with_freshness(weights: Weights, share: float) -> Weights:
    others = weights.total - weights.freshness
    shrink = (weights.total - share) / others if others else 0.0
    return Weights(
        semantic=weights.semantic * shrink,
        trust=weights.trust * shrink,
        freshness=share if others else weights.freshness,
        quality=weights.quality * shrink,
    )


def _profile(name: str, rules: Mapping[str, Any]) -> Profile:
    profile = typed(Profile, {**rules, "name": name}, f"profile {name}")
    if not _sums_to_one(profile.weights):
        raise TableError(f"weights of profile {name} do not sum to 1")
    return profile


def _sums_to_one(weights: Weights) -> bool:
    return abs(weights.total - 1.0) <= SUM_TOLERANCE
