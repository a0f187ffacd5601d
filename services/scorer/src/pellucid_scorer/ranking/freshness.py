"""What the age of a result is worth. Reading dates from pages is done elsewhere."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self

import yaml

NO_AGE = timedelta()


@dataclass(frozen=True, slots=True)
class Freshness:
    """The freshness table.

    Attributes:
        bands: (most whole days, score), youngest first.
        older: Score beyond the last band.
        unknown: Score without a usable date.
        max_future: A date further ahead of now is not usable.
        real_time: Results younger than this come first for real-time questions.
    """

    bands: tuple[tuple[int, float], ...]
    older: float
    unknown: float
    max_future: timedelta
    real_time: timedelta

    @classmethod
    def from_yaml(cls, text: str) -> Self:
        """Read the table from YAML.

        Raises:
            KeyError: An entry is missing.
        """
        table: dict[str, Any] = yaml.safe_load(text)
        bands = ((int(band["max_days"]), float(band["score"])) for band in table["bands"])
        return cls(
            bands=tuple(sorted(bands)),
            older=float(table["older"]),
            unknown=float(table["unknown"]),
            max_future=timedelta(days=table["max_future_days"]),
            real_time=timedelta(hours=table["real_time_hours"]),
        )

    def score(self, published_at: datetime | None, now: datetime) -> float:
        """Return the worth of a publication date in [0, 1]; later dates are never worth less."""
        age = self._age(published_at, now)
        if age is None:
            return self.unknown
        return next((score for limit, score in self.bands if age.days <= limit), self.older)

    def is_breaking(self, published_at: datetime | None, now: datetime) -> bool:
        """Tell whether a result is young enough to come first for a real-time question."""
        age = self._age(published_at, now)
        return age is not None and age < self.real_time

    def usable(self, published_at: datetime | None, now: datetime) -> datetime | None:
        """Return a publication date, or None when it must count as unknown."""
        return None if self._age(published_at, now) is None else published_at

    def _age(self, published_at: datetime | None, now: datetime) -> timedelta | None:
        """Return the age, at least zero; None when unknown or too far in the future."""
        if published_at is None or published_at - now > self.max_future:
            return None
        return max(now - published_at, NO_AGE)
