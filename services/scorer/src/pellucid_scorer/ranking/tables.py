"""Reads the tables of the package and the operator's additions to them."""

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from pellucid_scorer.models import Models
from pellucid_scorer.ranking.freshness import Freshness
from pellucid_scorer.ranking.profiles import Profiles
from pellucid_scorer.ranking.quality import QualityTable
from pellucid_scorer.ranking.scores import Tables
from pellucid_scorer.ranking.trust import TrustTable


def bundled(name: str) -> str:
    """Return the text of a table of the package, for example ``trust.yaml``."""
    return files(__package__).joinpath(name).read_text("utf-8")


def read_tables(trust_file: Path | None = None) -> Tables:
    """Return trust, freshness and quality.

    Args:
        trust_file: The operator's trust entries.

    Raises:
        TableError: An entry breaks the table's rules.
        OSError: The file cannot be read.
    """
    return Tables(
        trust=TrustTable.from_yaml(bundled("trust.yaml"), *_added(trust_file)),
        freshness=Freshness.from_yaml(bundled("freshness.yaml")),
        quality=QualityTable.from_yaml(bundled("quality.yaml")),
    )


def read_profiles(file: Path | None = None) -> Profiles:
    """Return the profiles; see `read_tables` for the errors."""
    return Profiles.from_yaml(bundled("profiles.yaml"), *_added(file))


def read_models(file: Path | None = None) -> Models:
    """Return the known models; see `read_tables` for the errors."""
    return Models.from_yaml(bundled("models.yaml"), *_added(file))


def _added(file: Path | None) -> Iterable[str]:
    return () if file is None else (file.read_text("utf-8"),)
