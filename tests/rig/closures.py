"""Which distributions a requirement brings along, read from what is installed."""

from collections.abc import Iterable
from importlib.metadata import distribution

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name


def closure(requirements: Iterable[str]) -> dict[NormalizedName, str]:
    """Return name and installed version of everything that the requirements need.

    Args:
        requirements: As pip takes them, extras included: `pellucid-runtime[llm]`.

    Raises:
        importlib.metadata.PackageNotFoundError: A needed distribution is not installed.
    """
    open_ends = [Requirement(text) for text in requirements]
    versions: dict[NormalizedName, str] = {}
    followed: set[tuple[NormalizedName, frozenset[str]]] = set()
    while open_ends:
        wanted = open_ends.pop()
        name, extras = canonicalize_name(wanted.name), frozenset(wanted.extras)
        if (name, extras) not in followed:
            followed.add((name, extras))
            found = distribution(name)
            versions[name] = found.version
            open_ends += _needs(found.requires or (), extras)
    return versions


def _needs(declared: Iterable[str], extras: frozenset[str]) -> list[Requirement]:
    """Return those of the declared requirements that hold here with these extras."""
    requirements = [Requirement(text) for text in declared]
    return [
        requirement
        for requirement in requirements
        if requirement.marker is None
        or any(requirement.marker.evaluate({"extra": extra}) for extra in {"", *extras})
    ]
