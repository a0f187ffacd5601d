"""Whether two amounts are the same, as far as either may be rounded."""

from pellucid_language.quantities import MOST_ROUNDED, ORDINAL, Figure

_TOLERANCE = 1e-9
# Nobody rounds to fewer than two digits without saying so.
_ROUND_TENS = 9
# Of a third, 33 percent are near enough.
_PART_ROUNDED = 0.03


def same_amount(claimed: Figure, known: Figure) -> bool:
    """Whether a claim's amount is one that its source has, rounding allowed where it says so."""
    kinds = {claimed.measure, known.measure}
    if kinds == {"percent", "times"}:  # What halved fell by half.
        return any(value < 1 for value in claimed.values & known.values)
    if len(kinds) > 1 and ("" not in kinds or ORDINAL in kinds):
        return False
    if {claimed.hedge, known.hedge} == {"above", "below"}:
        return False
    if equal_figures(claimed, known):
        return True
    fraction = _PART_ROUNDED if "part" in {claimed.hedge, known.hedge} else 0.0
    return any(_is_rounded(claimed, a, b, fraction) for a in claimed.values for b in known.values)


def equal_figures(figure: Figure, other: Figure) -> bool:
    """Whether two figures have a value in common; where one has no unit, in the other's."""
    same = bool(figure.measure) and figure.measure == other.measure
    mine, theirs = (1.0, 1.0) if same else (figure.worth, other.worth)
    return any(
        abs(a / mine - b / theirs) <= _TOLERANCE * max(1.0, a / mine)
        for a in figure.values
        for b in other.values
    )


def are_near(figure: Figure, other: Figure) -> bool:
    """Whether one may be the other rounded, said or not: as coarse as the coarser of the two."""
    grain = max(figure.grain, other.grain)
    return same_amount(figure, other) or any(
        abs(a - b) <= min(grain / 2 * (1 + _TOLERANCE), MOST_ROUNDED * max(a, b))
        for a in figure.values
        for b in other.values
        if min(a, b) >= _ROUND_TENS * grain
    )


def _is_rounded(claimed: Figure, a: float, b: float, fraction: float) -> bool:
    apart, most = b - a, MOST_ROUNDED * max(a, b)
    if claimed.hedge == "above":
        return 0 <= apart <= min(2 * claimed.grain, 2 * most)
    if claimed.hedge == "below":
        return 0 <= -apart <= min(claimed.grain, most)
    # Below one unit of its last digit a reading is not the one that was meant.
    allowed = claimed.grain if claimed.hedge == "about" and a >= claimed.grain else 0.0
    return abs(apart) <= max(min(allowed, most), fraction * max(a, b))
