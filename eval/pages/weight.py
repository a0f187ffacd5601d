"""What a page of the web carries besides its words: scripts, styles, icons, data, meta tags.

Invented line by line from a seed, as large as asked for; nothing of it is ever read by people.
"""

import json
from collections.abc import Iterator
from random import Random
from typing import Any, Final

from pages.layouts import Words, esc

_VERBS: Final = ("track", "mount", "observe", "hydrate", "measure", "toggle", "lazy", "queue")
_NOUNS: Final = ("Basket", "Menu", "Banner", "Slider", "Consent", "Route", "Frame", "Player")
_PROPERTIES: Final = (
    "margin", "padding", "max-width", "line-height", "border-radius", "letter-spacing", "gap",
)  # fmt: skip
_PATHS: Final = (
    "M4 6h16M4 12h16M4 18h16",
    "M10 3a7 7 0 1 0 0 14a7 7 0 0 0 0-14z",
    "M5 12l5 5L20 7",
)


def cut(lines: Iterator[str], size: int) -> str:
    """Join lines until they have a number of characters."""
    taken: list[str] = []
    while size > 0:
        taken.append(next(lines))
        size -= len(taken[-1])
    return "".join(taken)


def scripts(dice: Random) -> Iterator[str]:
    """Invent minified functions."""
    while True:
        name = f"{dice.choice(_VERBS)}{dice.choice(_NOUNS)}{dice.randrange(999)}"
        a, b, c = (dice.choice("aebdcfghjkt") for _ in range(3))
        yield (
            f'{name}:function({a},{b}){{"use strict";var {c}={b}||{{}};return {c}.on&&'
            f'{a}.addEventListener("{dice.choice(_VERBS)}",function(t){{for(var i=0;i<'
            f"{dice.randrange(2, 90)};i++)if(t.target.matches('.js-{name.lower()}')){{"
            f"{c}.n=(+{c}.n||0)+1;break}}}},!1),{c}}},"
        )


def styles(dice: Random) -> Iterator[str]:
    """Invent rules; none of them hides anything."""
    while True:
        name = f"{dice.choice(_NOUNS).lower()}-{dice.randrange(9999)}"
        rule = ";".join(f"{kind}:{dice.randrange(1, 64)}px" for kind in dice.sample(_PROPERTIES, 3))
        yield f".{name},.{name}--wide:hover>a{{{rule};color:#{dice.randrange(4096):03x}}}\n"


def records(dice: Random, around: Words) -> Iterator[str]:
    """Invent the state that scripts find in the page."""
    while True:
        title, teaser = dice.choice(around["teasers"])
        record = {
            "id": f"{dice.getrandbits(64):016x}",
            "kind": dice.choice(_NOUNS),
            "title": title,
            "teaser": teaser,
            "image": f"/media/{dice.getrandbits(48):012x}_1200.webp",
            "tracking": {"list": dice.randrange(9), "slot": dice.randrange(40), "seen": None},
        }
        yield json.dumps(record, ensure_ascii=False, separators=(",", ":")) + ","


def icon(dice: Random) -> str:
    """Draw one of a few icons."""
    return (
        f'<svg class="icon" width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">'
        f'<path d="{dice.choice(_PATHS)}" stroke="currentColor" fill="none"></path></svg>'
    )


def picture(dice: Random, text: str) -> str:
    """Show an image that is loaded late, with a copy for readers without scripts."""
    name = f"/media/{dice.getrandbits(48):012x}"
    sizes = ", ".join(f"{name}_{width}.webp {width}w" for width in (320, 640, 960, 1280))
    image = f'<img loading="lazy" src="{name}_640.jpg" srcset="{sizes}" alt="{esc(text)}">'
    if dice.random() < 0.5:  # noqa: PLR2004 - one in two
        return f'<picture><source type="image/webp" srcset="{sizes}">{image}</picture>'
    return f'<img class="lazyload" data-src="{name}.jpg" alt=""><noscript>{image}</noscript>'


def head(dice: Random, around: Words) -> str:
    """Invent links, meta tags and the site's own schema.org data."""
    preloads = "".join(
        f'<link rel="{rel}" href="/assets/{dice.getrandbits(40):010x}.{kind}" as="{use}">'
        for rel, kind, use in (
            ("preload", "woff2", "font"), ("preload", "css", "style"),
            ("modulepreload", "js", "script"),
            ("stylesheet", "css", "style"), ("icon", "png", "image"),
        )
    )  # fmt: skip
    crumbs: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": i, "name": name, "item": f"/d/{i}"}
            for i, name in enumerate(around["departments"][:2], 1)
        ],
    }
    return (
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="theme-color" content="#1d2b3a"><meta property="og:type" content="website">'
        f'<meta name="twitter:card" content="summary_large_image">{preloads}'
        f'<script type="application/ld+json">{json.dumps(crumbs, ensure_ascii=False)}</script>'
    )
