"""How many searches may be in hand: as many as leave the event loop in time.

Additive increase, multiplicative decrease, on the one sign that is there wherever the gateway runs
and whatever is asked of it: how late the loop runs its timers. Searches that wait for a slow
provider make nothing late, so many of them may wait; once the processor is used up, all of them are
late together, and fewer are let in. It does not watch other services: those refuse for themselves.

Source: additive increase and multiplicative decrease after Chiu and Jain (1989); a limit found by
what is measured, and not chosen, as in Netflix's concurrency-limits and Envoy's adaptive
concurrency, which watch latencies; those of turns differ too much from one question to the next.
"""

from math import sqrt

# Short, because an overload is let in until it is noticed.
WINDOW_S = 0.5
# Once the bound has fallen, a window counts with so much of the ones before: lag comes in bursts.
_KEPT = 0.5
# However late it is, so much of the bound stays: what is late now was let in before.
_DEEPEST_CUT = 0.6
# The first cut after a quiet time: nothing is known yet of how many there is room for, and most of
# the work of those in hand is still to come, so that the lag of now says little of that to come.
_FIRST_CUT = 0.35
# What was let in uses the processor for as long as its answer is written, some seconds; nothing can
# be learned from its lag meanwhile.
_WINDOWS_BETWEEN_CUTS = 8
_STEP = 0.25
# With the loop hardly late there is room for more than that.
_WIDE_STEP = 0.5
_HARDLY = 0.5
# Nobody was kept out lately: what an earlier crowd taught is forgotten within seconds.
_UNUSED_GROWTH = 1.5


class SearchBound:
    """A bound that follows the lag of the event loop. Pure; told once a window.

    Args:
        least: It never falls below, at least 1.
        most: It never rises above; where it begins.
        late_s: Usual lag in a window, in seconds, beyond which it falls.
    """

    def __init__(self, *, least: int, most: int, late_s: float) -> None:
        self._least = float(min(least, most))
        self._most = float(most)
        self._late_s = late_s
        self._bound = self._most
        self._lag_s = 0.0
        self._windows_since_cut = _WINDOWS_BETWEEN_CUTS

    @property
    def searches(self) -> int:
        """Searches that may be in hand now."""
        return int(self._bound)

    @property
    def has_fallen(self) -> bool:
        """Whether the loop was late not long ago."""
        return self._bound < self._most

    def settle(self, lag_s: float, *, most_in_hand: int) -> None:
        """Learn from a window.

        Args:
            lag_s: Median of the lag, in seconds: one long moment is no overload.
            most_in_hand: Searches in hand at its fullest moment.

        >>> bound = SearchBound(least=4, most=64, late_s=0.01)
        >>> bound.settle(0.05, most_in_hand=16)
        >>> bound.searches
        5
        """
        self._windows_since_cut += 1
        self._lag_s = _KEPT * self._lag_s + (1 - _KEPT) * lag_s if self.has_fallen else lag_s
        if self._lag_s > self._late_s:
            self._cut(most_in_hand)
        elif most_in_hand >= self.searches:
            step = _WIDE_STEP if self._lag_s < _HARDLY * self._late_s else _STEP
            self._bound = min(self._most, self._bound + step)
        else:
            self._bound = min(self._most, self._bound * _UNUSED_GROWTH)

    def _cut(self, most_in_hand: int) -> None:
        if self._windows_since_cut <= _WINDOWS_BETWEEN_CUTS:
            return
        self._windows_since_cut = 0
        milder = max(_DEEPEST_CUT, sqrt(self._late_s / self._lag_s))
        share = milder if self.has_fallen else _FIRST_CUT
        self._bound = max(self._least, min(self._bound, most_in_hand) * share)
