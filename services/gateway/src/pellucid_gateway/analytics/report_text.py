"""The weekly report as Markdown and as a page with charts that needs nothing from elsewhere."""

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from html import escape
from typing import Any

from pellucid_gateway.analytics.charts import bar_chart
from pellucid_gateway.markdown.escaping import escaped

Report = Mapping[str, Any]
Rows = Sequence[Sequence[str]]

_STYLE = """
:root{color-scheme:light dark;--ink:#1d2330;--dim:#5a6475;--paper:#fff;--line:#d9dee7;--bar:#2f6f62}
@media (prefers-color-scheme:dark){:root{--ink:#e8ebf1;--dim:#a3adbd;--paper:#14171d;--line:#2d343f;
--bar:#6fc2ae}}
body{font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0 auto;
max-width:52rem;padding:1.5rem}
h1{font-size:1.6rem;line-height:1.2}h2{font-size:1.15rem;margin-top:2.2rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.35rem .6rem .35rem 0;border-bottom:1px solid var(--line);
overflow-wrap:anywhere}
th{color:var(--dim);font-weight:600}.scroll{overflow-x:auto}
svg{width:100%;height:auto;max-height:12rem}svg rect{fill:var(--bar)}svg text{fill:var(--dim);
font:11px system-ui,sans-serif}
""".replace("\n", "")
# The page may use this style and nothing else: no script, no other style, nothing from anywhere.
_STYLE_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()
PAGE_POLICY = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'"
"""Content-Security-Policy of the page."""


def as_markdown(report: Report) -> str:
    """The report as Markdown."""
    parts = [f"# {_title(report)}", "", _range(report), ""]
    for heading, head, rows in _tables(report):
        parts += [f"## {heading}", ""]
        if rows:
            parts += [_row(head), "| --- " * len(head) + "|", *map(_row, rows), ""]
        else:
            parts += ["Nothing to show.", ""]
    return "\n".join(parts)


def as_page(report: Report) -> str:
    """The report as one HTML page."""
    title = escape(_title(report))
    body = [f"<h1>{title}</h1><p>{escape(_range(report))}</p>", _charts(report)]
    for heading, head, rows in _tables(report):
        body.append(f"<h2>{escape(heading)}</h2>")
        body.append(_table(head, rows) if rows else "<p>Nothing to show.</p>")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head>"
        f"<body><main>{''.join(body)}</main></body></html>"
    )


def _title(report: Report) -> str:
    return f"Pellucid, {_instant(report['from'])} to {_instant(report['to'])} UTC"


def _instant(text: str) -> str:
    return f"{datetime.fromisoformat(text).astimezone(UTC):%-d %B %Y %H:%M}"


def _range(report: Report) -> str:
    """Since when there is anything to report on."""
    since = report["counted_from"]
    return f"Counted since {_instant(since)} UTC." if since else "Nothing was counted."


def _tables(report: Report) -> list[tuple[str, Sequence[str], Rows]]:
    now, before = report["summary"], report["week_before"]
    queries = [_query(query) for query in report["top_queries"]]
    low = [_query(query) for query in report["low_relevance_queries"]]
    domains = [[d["domain"], str(d["citations"])] for d in report["most_cited_domains"]]
    lost = [[component, str(n)] for component, n in now["lost"].items()]
    asked = ["Query", "Times", "Relevance"]
    return [
        ("In short", ["", "This week", "Week before"], _in_short(now, before)),
        ("By day", ["Day", "Turns", "Searches", "Cost", "Errors", "p95"], _days(report["days"])),
        (_asked_heading(report["least_askers"]), asked, queries),
        ("Queries with irrelevant results", asked, low),
        ("Most cited domains", ["Domain", "Citations"], domains),
        ("Errors", ["Code", "Times"], [[c, str(n)] for c, n in now["errors"].items()]),
        ("Degraded components", ["Component", "Times"], lost),
        (
            "Providers",
            ["Name", "Calls", "Success", "Average", "Cost"],
            _providers(now["providers"]),
        ),
        (
            "Scoring profiles on trial",
            ["Name", "Searches", "Relevance", "Cited", "Satisfaction"],
            _profiles(now["profiles"]),
        ),
        ("Models", ["Name", "Calls", "Tokens in", "Tokens out", "Cost"], _models(now["models"])),
    ]


def _asked_heading(least: int) -> str:
    return f"Queries asked by {least} people or more" if least > 1 else "Queries asked most"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _money(value: float | None) -> str:
    return "–" if value is None else f"${value:.4f}" if value < 1 else f"${value:.2f}"


_SHORT: Sequence[tuple[str, str, Callable[[Any], str]]] = (
    ("Turns", "turns", str),
    ("Searches", "searches", str),
    ("Turns that searched", "searched_turns", str),
    ("Share of completed turns", "trigger_rate", _percent),
    ("Average relevance", "average_relevance", _number),
    ("Cost", "cost_usd", _money),
    ("Cost of a turn", "cost_per_turn_usd", _money),
    ("Cache hits", "cache_hit_rate", _percent),
    ("Answers with several sources", "multi_source_share", _percent),
    ("Citations confirmed", "citation_validity", _percent),
    ("Satisfaction, 1 to 5", "satisfaction", _number),
    ("Retried questions", "retry_rate", _percent),
    ("Abandoned", "abandonment_rate", _percent),
    ("Errors", "error_rate", _percent),
)


def _in_short(now: Mapping[str, Any], before: Mapping[str, Any]) -> Rows:
    return [[name, show(now[key]), show(before[key])] for name, key, show in _SHORT]


def _days(days: Sequence[Mapping[str, Any]]) -> Rows:
    return [
        [
            day["day"],
            str(day["turns"]),
            str(day["searches"]),
            _money(day["cost_usd"]),
            _percent(day["error_rate"]),
            "–" if day["p95_ms"] is None else f"{day['p95_ms'] / 1000:.1f} s",
        ]
        for day in days
    ]


def _providers(providers: Sequence[Mapping[str, Any]]) -> Rows:
    return [
        [
            p["name"],
            str(p["asked"]),
            _percent(p["success_rate"]),
            "–" if p["average_ms"] is None else f"{p['average_ms']:.0f} ms",
            _money(p["cost_usd"]),
        ]
        for p in providers
    ]


def _profiles(profiles: Sequence[Mapping[str, Any]]) -> Rows:
    return [
        [
            p["name"],
            str(p["searches"]),
            _number(p["average_relevance"]),
            _percent(p["cited_share"]),
            _number(p["satisfaction"]),
        ]
        for p in profiles
    ]


def _models(models: Sequence[Mapping[str, Any]]) -> Rows:
    counts = ("calls", "tokens_in", "tokens_out")
    return [[m["name"], *(str(m[name]) for name in counts), _money(m["cost_usd"])] for m in models]


def _query(query: Mapping[str, Any]) -> list[str]:
    return [query["query"], str(query["count"]), _number(query["average_relevance"])]


def _charts(report: Report) -> str:
    days = report["days"]
    labels = [day["day"][5:] for day in days]
    charts = (
        ("Searches by day", "searches"),
        ("Cost by day, US dollars", "cost_usd"),
        ("Share of errors by day", "error_rate"),
    )
    return "".join(
        f"<h2>{title}</h2>" + bar_chart(title, labels, [day[name] or 0.0 for day in days])
        for title, name in charts
    )


def _table(head: Sequence[str], rows: Rows) -> str:
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    table = f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll">{table}</div>'


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(escaped(cell).replace("|", "\\|") for cell in cells) + " |"
