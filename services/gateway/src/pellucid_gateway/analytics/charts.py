"""Small charts as SVG text."""

from collections.abc import Sequence
from html import escape

_WIDTH = 640
_HEIGHT = 160
_FOOT = 22
_GAP = 10


def bar_chart(title: str, labels: Sequence[str], values: Sequence[float]) -> str:
    """Bars from 0 to the largest value, each with its label below and its value above.

    >>> bar_chart("Searches", ["Mon"], [3]).count("<rect")
    1
    """
    most = max(values, default=0.0) or 1.0
    step = _WIDTH / max(1, len(values))
    bars = "".join(
        _bar(n * step, step, label, value, value / most)
        for n, (label, value) in enumerate(zip(labels, values, strict=True))
    )
    said = ", ".join(f"{label}: {_short(v)}" for label, v in zip(labels, values, strict=True))
    name = escape(f"{title}. {said}", quote=True)
    return f'<svg role="img" aria-label="{name}" viewBox="0 0 {_WIDTH} {_HEIGHT}">{bars}</svg>'


def _bar(x: float, step: float, label: str, value: float, share: float) -> str:
    room = _HEIGHT - 2 * _FOOT
    height = max(1.0, room * share)
    y = _HEIGHT - _FOOT - height
    middle = x + step / 2
    return (
        f'<rect x="{x + _GAP / 2:.1f}" y="{y:.1f}" width="{max(1.0, step - _GAP):.1f}" '
        f'height="{height:.1f}" rx="3"/>'
        f'<text x="{middle:.1f}" y="{y - 5:.1f}" text-anchor="middle">{_short(value)}</text>'
        f'<text x="{middle:.1f}" y="{_HEIGHT - 6}" text-anchor="middle">{escape(label)}</text>'
    )


def _short(value: float) -> str:
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.3g}"
