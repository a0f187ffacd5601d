"""Six sites: what stands around the content, as much of it and as heavy as on the web.

Each site has mark-up of its own: elements with meaning, hashed class names, a weblog's names, a
table, utility classes, lists with ids. The words are those of ``frame.yaml``
and ``wordings.yaml``. How many of them a
page shows, and how many bytes it has, is drawn from its name, so that every build is the same.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from pages.layouts import Words, Written, esc
from pages.weight import cut, head, icon, picture, records, scripts, styles

_LEAST_BYTES: Final = 30_000
_MOST_BYTES: Final = 200_000
# Of what the words and their mark-up leave: scripts, styles, state. The rest is in comments.
_SHARES: Final = (0.62, 0.2, 0.15)
_UTILITIES: Final = (
    "flex", "items-center", "justify-between", "gap-4", "px-3", "py-2", "text-sm", "font-medium",
    "rounded-lg", "bg-white", "shadow", "w-full", "max-w-7xl", "mx-auto", "grid", "leading-6",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Look:
    """How a site writes its parts.

    Attributes:
        attributes: Of the name of a part, with a space before them.
        elements: Elements written in place of others.
    """

    attributes: Callable[[str, Random], str]
    elements: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Site:
    """One page's surroundings."""

    kind: str
    around: Words
    dice: Random
    look: Look

    def part(self, element: str, name: str, inner: str) -> str:
        """Write one part in the look of the site."""
        tag = self.look.elements.get(element, element)
        return f"<{tag}{self.look.attributes(name, self.dice)}>{inner}</{tag}>"

    def link(self, text: str, name: str = "link") -> str:
        """Write a link."""
        mark = f"{self.dice.getrandbits(32):08x}"
        return (
            f'<a{self.look.attributes(name, self.dice)} href="/{mark[:4]}/{mark}?ref={name}" '
            f'data-track="{name}:{mark}"><span>{esc(text)}</span></a>'
        )

    def links(self, name: str, texts: list[str]) -> str:
        """Write a list of links."""
        items = "".join(self.part("li", f"{name}-item", self.link(text)) for text in texts)
        return self.part("ul", f"{name}-list", items)

    def some(self, key: str, least: int) -> list[str]:
        """Draw at least so many of the words of a kind, in their order."""
        words = self.around[key]
        chosen = set(self.dice.sample(range(len(words)), self.dice.randint(least, len(words))))
        return [word for i, word in enumerate(words) if i in chosen]


def notice(site: Site) -> str:
    """Ask about cookies, with a word on every kind of them."""
    kinds = "".join(
        site.part("div", "consent-option", f'<input type="checkbox"><p>{esc(text)}</p>')
        for text in site.some("vendors", 1)
    )
    return site.part("div", "cookie-consent", f"<p>{esc(site.around['cookie'])}</p>{kinds}")


def menu(site: Site) -> str:
    """List the departments, most of them with what they hold."""
    columns = [
        site.part("h4", "menu-title", site.link(department)) + site.links("menu", list(items))
        for department, items in _departments(site)
    ]
    panels = "".join(site.part("div", "menu-panel", icon(site.dice) + column) for column in columns)
    return site.part("nav", "main-menu", site.links("top", site.around["nav"]) + panels)


def _departments(site: Site) -> Iterator[tuple[str, list[str]]]:
    for department in site.some("departments", 3):
        yield department, site.some("items", 2)


def top(site: Site) -> str:
    """Write the head of the page with its search."""
    form = site.part("form", "search", f'<input type="search">{icon(site.dice)}')
    offer = site.part("div", "offer-bar", f"<p>{esc(site.around['offer'])}</p>")
    return site.part("header", "site-header", offer + site.link("Lantern", "logo") + form)


def crumbs(site: Site) -> str:
    """Say where in the site the page stands."""
    return site.part("nav", "breadcrumbs", site.links("crumb", site.around["departments"][:2]))


def cards(site: Site, least: int = 3) -> str:
    """Show other pages with picture and teaser."""
    shown = "".join(
        site.part(
            "article",
            "related-card",
            f"{picture(site.dice, title)}{site.part('h3', 'card-title', site.link(title))}"
            f"<p>{esc(teaser)}</p>",
        )
        for title, teaser in site.some("teasers", least)
    )
    return site.part("section", "related", f"<h2>{esc(site.around['related_head'])}</h2>{shown}")


def column(site: Site) -> str:
    """Write the column beside the content."""
    most = [title for title, _ in site.some("teasers", 3)]
    letter = f"<p>{esc(site.around['newsletter'])}</p><input type=email>"
    return site.part(
        "aside", "sidebar", site.links("most-read", most) + site.part("div", "newsletter", letter)
    )


def after(site: Site) -> str:
    """Write what follows the content: sharing, the writer, comments where there are any."""
    parts = [site.part("div", "share", icon(site.dice) + site.links("share", site.around["share"]))]
    if site.kind == "article":
        parts.append(site.part("div", "author-bio", f"<p>{esc(site.around['bio'])}</p>"))
        said = "".join(
            site.part("li", "comment", f"<p>{esc(text)}</p>") for text in site.some("comments", 1)
        )
        title = f"<h3>{esc(site.around['comments_head'])}</h3>"
        comments = title + site.part("ol", "comment-list", said)
        parts.append(site.part("section", "comments", comments))
    return "".join(parts)


def bottom(site: Site) -> str:
    """Write the foot of the page."""
    legal = "".join(f"<p>{esc(text)}</p>" for text in site.some("legal", 1))
    links = "".join(site.links("footer", site.some(key, 4)) for key in ("help", "departments"))
    foot = f"{links}{legal}<p>{esc(site.around['footer'])}</p>"
    return site.part("footer", "site-footer", foot)


def _magazine(content: str, site: Site) -> str:
    return (
        f"{top(site)}{menu(site)}<main>{crumbs(site)}{content}{after(site)}</main>"
        f"{column(site)}{cards(site)}{bottom(site)}{notice(site)}"
    )


def _hashed(content: str, site: Site) -> str:
    inner = site.part("div", "content", content) + after(site) + cards(site)
    return site.part(
        "div",
        "root",
        notice(site) + top(site) + menu(site) + site.part("div", "page", inner) + bottom(site),
    )


def _weblog(content: str, site: Site) -> str:
    return (
        f'<div id="page" class="hfeed site"><div id="masthead" role="banner">{top(site)}'
        f'{menu(site)}</div><div id="content" class="site-content"><div id="primary" '
        f'class="content-area">{crumbs(site)}{content}{after(site)}{cards(site)}</div>'
        f'<div id="secondary" class="widget-area" role="complementary">{column(site)}</div></div>'
        f'<div id="colophon" role="contentinfo">{bottom(site)}</div>{notice(site)}</div>'
    )


def _table(content: str, site: Site) -> str:
    most = site.links("most-read", [title for title, _ in site.some("teasers", 3)])
    return (
        f'<table width="100%" border="0" cellpadding="4"><tr><td colspan="2" class="head">'
        f"{top(site)}{site.links('top', site.around['nav'])}</td></tr><tr><td width='160' "
        f"class='left' valign='top'>{site.links('menu', site.some('departments', 4))}{most}</td>"
        f"<td valign='top'>{crumbs(site)}{content}{after(site)}</td></tr>"
        f"<tr><td colspan='2' class='foot'>{bottom(site)}</td></tr></table>{notice(site)}"
    )


def _utility(content: str, site: Site) -> str:
    return (
        f'<div id="__app">{top(site)}{menu(site)}<div class="min-h-screen mx-auto max-w-7xl">'
        f'<div class="grid grid-cols-12 gap-6"><div class="col-span-8">{content}{after(site)}</div>'
        f'<div class="col-span-4">{column(site)}</div></div>{cards(site)}</div>{bottom(site)}'
        f"{notice(site)}</div>"
    )


def _portal(content: str, site: Site) -> str:
    pixel = '<noscript><img height="1" width="1" src="https://count.example/p" alt=""></noscript>'
    return (
        f'{pixel}<div id="wrap"><div id="head">{top(site)}</div><div id="navi">{menu(site)}</div>'
        f'<div id="main"><div id="left">{content}{after(site)}{cards(site)}</div>'
        f'<div id="right">{column(site)}</div></div><div id="foot">{bottom(site)}</div></div>'
        f"{notice(site)}{pixel}"
    )


def _by_block(name: str, _: Random) -> str:
    return f' class="{name} {name}__inner js-{name}"'


def _by_hash(name: str, dice: Random) -> str:
    return f' class="css-{sum(map(ord, name)):x}{len(name)} e{dice.randrange(99)}"'


def _by_widget(name: str, dice: Random) -> str:
    return f' id="{name}-{dice.randrange(999)}" class="widget wp-block-{name} has-{name}"'


def _by_nothing(name: str, dice: Random) -> str:
    return f' align="left" data-n="{dice.randrange(99)}"' if "list" in name else ""


def _by_utility(name: str, dice: Random) -> str:
    return f' class="{" ".join(dice.sample(_UTILITIES, 6))}" data-part="{len(name)}"'


def _by_id(name: str, dice: Random) -> str:
    return f' id="{name.replace("-", "_")}{dice.randrange(99)}"'


_DIVISIONS: Final = {
    "header": "div", "nav": "div", "aside": "div", "footer": "div", "section": "div",
    "article": "div",
}  # fmt: skip
_SITES: Final[tuple[tuple[Callable[[str, Site], str], Look], ...]] = (
    (_magazine, Look(_by_block, {})),
    (_hashed, Look(_by_hash, {"aside": "div", "section": "div", "article": "div", "h4": "div"})),
    (_weblog, Look(_by_widget, {"section": "div"})),
    (_table, Look(_by_nothing, {**_DIVISIONS, "h4": "b", "h3": "b"})),
    (_utility, Look(_by_utility, {"aside": "div", "article": "a", "h4": "p"})),
    (_portal, Look(_by_id, {**_DIVISIONS, "ol": "div"})),
)


def document(page: Written, facts: str, content: str) -> str:
    """Put a page together.

    Args:
        page: As it was written; its name decides site and size.
        facts: Title and metadata of the page itself, mark-up.
        content: Its content, mark-up.
    """
    dice = Random(f"{page.kind}/{page.row['id']}")  # noqa: S311 - only has to be repeatable
    lay, look = _SITES[(page.place + ord(page.kind[0])) % len(_SITES)]
    body = lay(content, Site(page.kind, page.around, dice, look))
    start = head(dice, page.around) + facts
    size = math.exp(dice.uniform(math.log(_LEAST_BYTES), math.log(_MOST_BYTES)))
    left = max(0, int(size - len((start + body).encode())))
    script, style, state = (int(left * share) for share in _SHARES)
    return (
        f'<!doctype html><html lang="{page.row["lang"]}"><head><meta charset="utf-8">{start}'
        f"<style>{cut(styles(dice), style)}</style>"
        f"<script>var site={{{cut(scripts(dice), script // 2)}end:0}};</script></head><body>{body}"
        f'<script type="application/json" id="state">[{cut(records(dice, page.around), state)}0]'
        f"</script><script>var more={{{cut(scripts(dice), script // 2)}end:0}};</script>"
        "<!-- rendered by press 4.2 --></body></html>"
    )
