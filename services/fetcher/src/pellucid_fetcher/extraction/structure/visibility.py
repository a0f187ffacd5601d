"""What of a page is never shown to a reader.

Decides by the mark-up alone: attributes, inline styles, the usual class names, and plain rules of
style sheets inside the page. Text that only a machine sees is the favourite place for planted
instructions, so in doubt it is dropped.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

_STYLE: Final = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*[01](?:px|em|pt)?\s*(?:;|!|$)"
    r"|(?:left|top|right|text-indent|margin-left|margin-top)\s*:\s*-\d{4,}"
    r"|clip\s*:\s*rect\(\s*[01](?:px)?\s*[, ]|clip-path\s*:\s*inset\(\s*(?:50|100)%"
    r"|transform\s*:\s*scale\(\s*0\s*\)|text-decoration(?:-line)?\s*:[^;]*line-through",
    re.IGNORECASE,
)
_TRANSPARENT: Final = re.compile(r"opacity\s*:\s*0(?:\.0*\d?)?\s*(?:;|!|$)", re.IGNORECASE)
# A widely used site builder lets such elements appear when they are scrolled to.
_ANIMATED: Final = "data-w-id"
_CLEAR_LETTERS: Final = re.compile(
    r"(?:^|;)\s*color\s*:\s*(?:transparent|rgba\([^)]*,\s*0?\.?0+%?\s*\)|#[0-9a-f]{3}0\b|#[0-9a-f]{6}00\b)",
    re.IGNORECASE,
)
_EMPTY_BOX: Final = re.compile(
    r"(?:^|;)\s*(?:max-)?(?:height|width)\s*:\s*[01](?:px)?\s*(?:;|!|$)", re.IGNORECASE
)
_COLOURS: Final = re.compile(
    r"(?:^|;)\s*(color|background(?:-color)?)\s*:\s*([^;!]+)", re.IGNORECASE
)
_CLASS: Final = re.compile(
    r"(?:^|\s)(?:sr-only|screen-reader-text|screenreader|visually-?hidden|d-none|hidden"
    r"|is-hidden|element-invisible|u-hidden|display-none|a11y-hidden|offscreen"
    r"|material-(?:icons|symbols)[\w-]*)(?:\s|$)"
)
# Of these, what stays unseen when a control opens it.
_COVERING_CLASS: Final = re.compile(
    r"(?:^|\s)(?:sr-only|screen-reader-text|screenreader|visually-?hidden|element-invisible"
    r"|a11y-hidden|offscreen)(?:\s|$)"
)
_CLOSED: Final = re.compile(r"display\s*:\s*none", re.IGNORECASE)
# Sizes at which a class hides something only elsewhere: "hidden md:block" is visible on a desk.
_SHOWN_LATER: Final = re.compile(r"(?:sm|md|lg|xl)[:-]|-(?:sm|md|lg|xl)-|d-(?:block|flex|inline)")
_AT_BLOCK: Final = re.compile(r"@[^{]+\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
# Sorts out most styles with one look at them in lower case, which is three times as fast as one
# that ignores case; every hidden one has such a word.
_SUSPECT: Final = re.compile(
    r"none|hidden|collapse|opacity|clip|scale|font-size|-\d{4}|background|overflow|line-through"
)
_SHOWING: Final = re.compile(r"display|visibility")
_SIMPLE: Final = re.compile(r"^[.#][A-Za-z_][\w-]*$")
_NAME: Final = re.compile(r"[.#][\w-]+")
_MAX_STYLE_CHARS: Final = 60_000
_MAX_CLASSES: Final = 200
_MAX_STYLES: Final = 2_000  # are judged once; the elements of a page share a few
_WRAPPER_DEPTH: Final = 2


class Visibility:
    """Judges elements of one page.

    Args:
        styles: Texts of its style elements.
    """

    def __init__(self, styles: list[str]) -> None:
        rules = _rules(styles)
        self._concealed, self._covered = _selectors(rules)
        self._opened: frozenset[str] = frozenset()
        self._shown_depth = self._faded_depth = 0

    def show(self, opened: frozenset[str], *, wrappers: bool = False, faded: bool = False) -> None:
        """Show more from now on.

        Args:
            opened: Ids of elements that the page itself shows or lets a reader open. They stay
                hidden when something else than being closed hides them.
            wrappers: Show the outermost elements whatever their style says: some pages hide
                everything until a script has run.
            faded: Show the outermost elements that are only transparent: some pages fade in.
        """
        self._opened = opened
        self._shown_depth = _WRAPPER_DEPTH if wrappers else 0
        self._faded_depth = _WRAPPER_DEPTH if faded else 0

    def hides(
        self, tag: str, attributes: Mapping[str, str | None], names: str, depth: int = 99
    ) -> bool:
        """Tell whether an element and all inside is not shown.

        Args:
            tag: Its name.
            attributes: As in the mark-up.
            names: Its classes, in lower case.
            depth: Number of elements around it.
        """
        if tag in ("html", "body", "main") or depth <= self._shown_depth:
            return False
        if self._opened and attributes.get("id") in self._opened:
            return self._is_covered(attributes, names)
        if "hidden" in attributes and attributes["hidden"] != "until-found":
            return True
        if attributes.get("aria-hidden") == "true":
            return True
        style = attributes.get("style")
        if style and (depth <= self._faded_depth or _ANIMATED in attributes):
            style = _TRANSPARENT.sub("", style)
        unseen = bool(style and (hidden_style(style) or _clear_letters(style)))
        return unseen or self._by_name(attributes, names)

    def _is_covered(self, attributes: Mapping[str, str | None], names: str) -> bool:
        """Tell whether an element would stay unseen when it is opened."""
        style = attributes.get("style")
        if style and (_covering_style(style) or _clear_letters(style)):
            return True
        return bool(_COVERING_CLASS.search(names)) or _is_named(attributes, self._covered)

    def _by_name(self, attributes: Mapping[str, str | None], names: str) -> bool:
        if _may_hide(names) and _CLASS.search(names) and not _SHOWN_LATER.search(names):
            return True
        return _is_named(attributes, self._concealed)


def _is_named(attributes: Mapping[str, str | None], selectors: frozenset[str]) -> bool:
    """Tell whether a class or the id of an element is among simple selectors."""
    if not selectors:
        return False
    classes = (attributes.get("class") or "").split()
    return any(f".{name}" in selectors for name in classes) or (
        f"#{attributes.get('id')}" in selectors
    )


def _may_hide(names: str) -> bool:
    """Sort out most names without a regular expression."""
    return (
        "hid" in names
        or "screen" in names
        or "none" in names
        or "sr-" in names
        or "invisible" in names
        or "material-" in names
    )


def is_for_screen_readers(names: str) -> bool:
    """Tell by its names whether an element is read out and not shown."""
    return _may_hide(names) and bool(_COVERING_CLASS.search(names))


@lru_cache(maxsize=_MAX_STYLES)
def hidden_style(style: str) -> bool:
    """Tell whether an inline style hides its element.

    >>> hidden_style("position:absolute; left:-9999px")
    True
    """
    if not _SUSPECT.search(style.lower()):
        return False
    if _STYLE.search(style) or _same_colour(style):
        return True
    if _TRANSPARENT.search(style) and "transform" not in style:
        return True  # with a transform it is an entrance animation of text that will be seen
    return bool(_EMPTY_BOX.search(style)) and "overflow" in style


def _same_colour(style: str) -> bool:
    found = {
        name.lower().split("-")[0]: value.strip().lower() for name, value in _COLOURS.findall(style)
    }
    return "color" in found and found.get("color") == found.get("background")


def _clear_letters(style: str) -> bool:
    """Tell whether letters without colour stand on what is behind them.

    Asked of an element's own style only: in style sheets another rule often lends them the colours
    of their background.

    >>> _clear_letters("background-clip:text; color:transparent")
    False
    """
    return bool(_CLEAR_LETTERS.search(style)) and "background-clip" not in style


def _covering_style(style: str) -> bool:
    """Tell whether a style hides by more than leaving the element out of the layout."""
    return hidden_style(_CLOSED.sub("", style))


def _rules(styles: list[str]) -> list[tuple[str, str]]:
    """List selectors and bodies of the plain rules outside every condition."""
    sheet = "\n".join(styles)[:_MAX_STYLE_CHARS]
    if not _SUSPECT.search(sheet.lower()):
        return []
    return list(_plain_rules(_AT_BLOCK.sub("", sheet)))


def _plain_rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Part a sheet at its braces; a regular expression takes a fifth of a page's time for it.

    >>> list(_plain_rules("a{b} @x{ .c{d} } e{f"))
    [('a', 'b'), (' .c', 'd')]
    """
    for piece in sheet.split("}")[:-1]:
        before, _, body = piece.rpartition("{")
        selectors = before.rpartition("{")[2]
        if selectors:
            yield selectors, body


def _selectors(rules: list[tuple[str, str]]) -> tuple[frozenset[str], frozenset[str]]:
    """Collect classes and ids that a rule hides and no other one shows.

    Returns:
        All of them, and those that stay unseen when they are opened.
    """
    concealed: set[str] = set()
    covered: set[str] = set()
    shown: set[str] = set()
    for selectors, body in rules:
        if hidden_style(body):
            simple = [part for part in _parts(selectors) if _SIMPLE.match(part)]
            concealed.update(simple)
            covered.update(simple if _covering_style(body) else ())
        elif _SHOWING.search(body):
            shown.update(name for part in _parts(selectors) for name in _NAME.findall(part))
    return _bounded(concealed - shown), _bounded(covered - shown)


def _parts(selectors: str) -> list[str]:
    return [part.strip() for part in selectors.split(",")]


def _bounded(names: set[str]) -> frozenset[str]:
    return frozenset(sorted(names)[:_MAX_CLASSES])
