"""The weekly report as Markdown and as a page with charts that needs nothing from elsewhere."""

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from html import escape
from typing import Any

from markdown_it import MarkdownIt

from pellucid_gateway.analytics.charts import bar_chart
from pellucid_gateway.markdown.escaping import escaped

Report = Mapping[str, Any]
Rows = Sequence[Mapping[str, Any]]
# Heading of a column, key of its cells in a row, and how they show.
Column = tuple[str, str, Callable[[Any], str]]

_STYLE = """
:root{color-scheme:light dark;--ink:#1d2330;--dim:#5a6475;--paper:#fff;--line:#d9dee7;--bar:#2f6f62}
@media (prefers-color-scheme:dark){:root{--ink:#e8ebf1;--dim:#a3adbd;--paper:#14171d;--line:#2d343f;
--bar:#6fc2ae}}
body{font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0 auto;
max-width:52rem;padding:1.5rem}
h1{font-size:1.6rem;line-height:1.2}h2{font-size:1.15rem;margin-top:2.2rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.35rem .6rem .35rem 0;border-bottom:1px solid var(--line);
overflow-wrap:anywhere}
th{color:var(--dim);font-weight:600}
svg{width:100%;height:auto;max-height:12rem}svg rect{fill:var(--bar)}svg text{fill:var(--dim);
font:11px system-ui,sans-serif}
""".replace("\n", "")
# What the Markdown library leaves out: a wide table scrolls by itself, its heads are of columns.
_TABLES = (
    ("<table>", '<div class="scroll"><table>'),
    ("</table>", "</table></div>"),
    ("<th>", '<th scope="col">'),
)
# The page may use this style and nothing else: no script, no other style, nothing from anywhere.
_STYLE_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()
PAGE_POLICY = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'"
"""Content-Security-Policy of the page."""


def as_markdown(report: Report) -> str:
    """The report as Markdown."""
    parts = [f"# {_title(report)}", "", _range(report), ""]
    for heading, columns, rows in _tables(report):
        parts += [f"## {heading}", ""]
        if rows:
            cells = ([show(row[key]) for _, key, show in columns] for row in rows)
            names = [name for name, _, _ in columns]
            parts += [_row(names), "| --- " * len(names) + "|", *map(_row, cells), ""]
        else:
            parts += ["Nothing to show.", ""]
    return "\n".join(parts)


def as_page(report: Report) -> str:
    """The report as one HTML page."""
    head, mark, tables = as_markdown(report).partition("## ")
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    rendered = reader.render(mark + tables)
    for plain, whole in _TABLES:
        rendered = rendered.replace(plain, whole)
    body = reader.render(head) + _charts(report) + rendered
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(_title(report))}</title><style>{_STYLE}</style></head>"
        f"<body><main>{body}</main></body></html>"
    )


def _title(report: Report) -> str:
    return f"Pellucid, {_instant(report['from'])} to {_instant(report['to'])} UTC"


def _instant(text: str) -> str:
    return f"{datetime.fromisoformat(text).astimezone(UTC):%-d %B %Y %H:%M}"


def _range(report: Report) -> str:
    """Since when there is anything to report on."""
    since = report["counted_from"]
    return f"Counted since {_instant(since)} UTC." if since else "Nothing was counted."


def _shown(value: float | None, template: str, unit: float = 1) -> str:
    return "–" if value is None else template.format(value * unit)


def _percent(value: float | None) -> str:
    return _shown(value, "{:.1f} %", 100)


def _number(value: float | None) -> str:
    return _shown(value, "{:.2f}")


def _money(value: float | None) -> str:
    return _shown(value, "${:.4f}" if value is not None and value < 1 else "${:.2f}")


def _milliseconds(value: float | None) -> str:
    return _shown(value, "{:.0f} ms")


def _seconds(value_ms: float | None) -> str:
    return _shown(value_ms, "{:.1f} s", 1e-3)


_SHORT: Sequence[Column] = (
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
_COMPARED: Sequence[Column] = (
    ("", "name", str),
    ("This week", "now", str),
    ("Week before", "before", str),
)
_DAYS: Sequence[Column] = (
    ("Day", "day", str),
    ("Turns", "turns", str),
    ("Searches", "searches", str),
    ("Cost", "cost_usd", _money),
    ("Errors", "error_rate", _percent),
    ("p95", "p95_ms", _seconds),
)
_ASKED: Sequence[Column] = (
    ("Query", "query", str),
    ("Times", "count", str),
    ("Relevance", "average_relevance", _number),
)
_DOMAINS: Sequence[Column] = (("Domain", "domain", str), ("Citations", "citations", str))
_PROVIDERS: Sequence[Column] = (
    ("Name", "name", str),
    ("Calls", "asked", str),
    ("Success", "success_rate", _percent),
    ("Average", "average_ms", _milliseconds),
    ("Cost", "cost_usd", _money),
)
_PROFILES: Sequence[Column] = (
    ("Name", "name", str),
    ("Searches", "searches", str),
    ("Relevance", "average_relevance", _number),
    ("Cited", "cited_share", _percent),
    ("Satisfaction", "satisfaction", _number),
)
_MODELS: Sequence[Column] = (
    ("Name", "name", str),
    ("Calls", "calls", str),
    ("Tokens in", "tokens_in", str),
    ("Tokens out", "tokens_out", str),
    ("Cost", "cost_usd", _money),
)


def _tables(report: Report) -> Sequence[tuple[str, Sequence[Column], Rows]]:
    now, before = report["summary"], report["week_before"]
    short = [
        {"name": name, "now": show(now[key]), "before": show(before[key])}
        for name, key, show in _SHORT
    ]
    least = report["least_askers"]
    asked = f"Queries asked by {least} people or more" if least > 1 else "Queries asked most"
    return (
        ("In short", _COMPARED, short),
        ("By day", _DAYS, report["days"]),
        (asked, _ASKED, report["top_queries"]),
        ("Queries with irrelevant results", _ASKED, report["low_relevance_queries"]),
        ("Most cited domains", _DOMAINS, report["most_cited_domains"]),
        ("Errors", *_counted("Code", now["errors"])),
        ("Degraded components", *_counted("Component", now["lost"])),
        ("Providers", _PROVIDERS, now["providers"]),
        ("Scoring profiles on trial", _PROFILES, now["profiles"]),
        ("Models", _MODELS, now["models"]),
    )


def _counted(what: str, counts: Mapping[str, int]) -> tuple[Sequence[Column], Rows]:
    columns = ((what, "what", str), ("Times", "times", str))
    return columns, [{"what": name, "times": n} for name, n in counts.items()]


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


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(escaped(cell).replace("|", "\\|") for cell in cells) + " |"
