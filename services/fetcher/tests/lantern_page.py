"""One article as a page, with the frame that sites put around it."""

NAV = "<nav><ul><li><a href=/>Start</a></li><li><a href=/a>Prices</a></li></ul></nav>"
FOOT = "<footer><p>© 2026 Lantern Works. All rights reserved.</p><a href=/t>Terms</a></footer>"
PROSE = (
    "The bakery on Quay Street has used the same sourdough culture since 1931. ",
    "Every night at two the bakers feed it with rye flour and water from the well. ",
    "Visitors may watch the ovens on Saturdays, provided that they book by Thursday. ",
)


def lantern_page(main: str, head: str = "", lang: str = "en") -> str:
    """A page of a site with the given main part and lines of the head."""
    return (
        f"<!doctype html><html lang={lang}><head><title>The old bakery - Lantern</title>{head}"
        f"</head><body><header><a href=/>Lantern</a></header>{NAV}<main>{main}</main>{FOOT}"
    )


ARTICLE = f"<article><h1>The old bakery</h1>{''.join(f'<p>{line}</p>' for line in PROSE)}</article>"
