"""How many searches may be in hand: as many as leave the event loop and the scorer in time.

Additive increase, multiplicative decrease, on two signs: how late the gateway's loop runs its
timers, and how many of the scorer's answers are slow. Searches that wait for a slow provider make
neither late, so many of them may wait; once the processor is used up, all of them are late
together, and fewer are let in.

Source: additive increase and multiplicative decrease after Chiu and Jain (1989); slower growth
near where it hurt before, as in TCP's slow start threshold; a limit found by what is measured, and
not chosen, as in Netflix's concurrency-limits and Envoy's adaptive concurrency, which watch
latencies; those of turns differ too much from one question to the next.
"""

from math import sqrt

# Short, because an overload is let in until it is noticed.
WINDOW_S = 0.25
# A window counts with so much of the ones before: both signs come in bursts.
_KEPT = 0.7
# Share of slow answers that is as bad as a loop that is `late_s` late. Some are slow by chance.
_SLOW = 0.1
# However bad one window is, it takes two of them to cut, and two good ones to forget.
_MOST_LOAD = 3.0
# The first cut after a quiet time may go as deep as this: nothing is known yet of how many there
# is room for, and most of the work of those in hand is still to come.
_DEEPEST_FIRST_CUT = 0.35
# Later ones: what is late now was let in before.
_DEEPEST_CUT = 0.6
# What was let in uses the processor for as long as its answer is written, some seconds; little can
# be learned meanwhile, but for how bad it is.
_WINDOWS_OF_A_CUT = 16
_STEP = 0.125
# With both signs far from bad there is room for more than that.
_WIDE_STEP = 0.25
_HARDLY = 0.5
# From this share of the bound at which it was too much it grows in small steps for a while.
_NEAR = 0.9
_SMALL_STEP = 0.03
_CAREFUL_WINDOWS = 60
# Nobody was kept out lately: what an earlier crowd taught is forgotten within seconds.
_UNUSED_GROWTH = 1.25


class AdaptiveLimit:
    """A bound that follows two signs of overload. Pure; told once a window.

    Args:
        least: It never falls below, at least 1.
        most: It never rises above; where it begins.
        late_s: Usual lag in a window, in seconds, beyond which it falls.
    """

    def __init__(self, *, least: int, most: int, late_s: float) -> None:
        self._least = float(min(least, most))
        self._most = float(most)
        self._late_s = late_s
        self._bound = self._cut_from = self._most
        self._deepest = _DEEPEST_FIRST_CUT
        self._load = 0.0
        self._windows_since_cut = _WINDOWS_OF_A_CUT
        # Where it was too much before; nothing is known of that yet.
        self._too_much = self._most

    @property
    def searches(self) -> int:
        """Searches that may be in hand now."""
        return int(self._bound)

    @property
    def has_fallen(self) -> bool:
        """Whether it was too much not long ago."""
        return self._bound < self._most

    def settle(self, lag_s: float, *, most_in_hand: float, slow: float | None = None) -> None:
        """Learn from a window.

        Args:
            lag_s: Median of the lag, in seconds: one long moment is no overload.
            most_in_hand: What was in hand at its fullest moment, in searches.
            slow: Share of slow answers, 0 to 1; None when there was none to tell by.

        >>> bound = AdaptiveLimit(least=4, most=64, late_s=0.01)
        >>> bound.settle(0.05, most_in_hand=16)
        >>> bound.searches
        64
        >>> bound.settle(0.05, most_in_hand=16)
        >>> bound.searches
        10
        """
        self._windows_since_cut += 1
        load = min(_MOST_LOAD, max(lag_s / self._late_s, (slow or 0.0) / _SLOW))
        self._load = _KEPT * self._load + (1 - _KEPT) * load
        if self._load > 1:
            self._cut(most_in_hand)
        elif most_in_hand >= self.searches:
            self._bound = min(self._most, self._bound + self._step())
        else:
            self._bound = min(self._most, self._bound * _UNUSED_GROWTH)
        if not self.has_fallen:
            self._too_much = self._most

    def _step(self) -> float:
        is_early = self._windows_since_cut < _CAREFUL_WINDOWS
        if is_early and self._bound >= _NEAR * self._too_much:
            return _SMALL_STEP
        return _WIDE_STEP if self._load < _HARDLY else _STEP

    def _cut(self, most_in_hand: float) -> None:
        """Cut, or cut deeper while the windows of a cut show that it is worse than thought."""
        if self._windows_since_cut > _WINDOWS_OF_A_CUT:
            self._begin_cut(most_in_hand)
        gentle = 1 / self._load if self._deepest < _DEEPEST_CUT else sqrt(1 / self._load)
        cut = self._cut_from * max(self._deepest, gentle)
        self._bound = max(self._least, min(self._bound, cut))

    def _begin_cut(self, most_in_hand: float) -> None:
        self._windows_since_cut = 0
        self._cut_from = min(self._bound, most_in_hand)
        if self.has_fallen:
            self._deepest, self._too_much = _DEEPEST_CUT, self._cut_from
        else:
            self._deepest = _DEEPEST_FIRST_CUT
