// From the numbers of /v1/stats to tiles, charts and tables.

import { h, seconds } from "../js/dom.js";
import { chart } from "./chart.js";

const NONE = "–";
const whole = (n) => Math.round(n).toLocaleString();
const share = (n) => (n === null ? NONE : `${(100 * n).toFixed(n < 0.1 && n > 0 ? 1 : 0)} %`);
const score = (n) => (n === null ? NONE : n.toFixed(2));
const time = (n) => (n === null || n === undefined ? NONE : seconds(n));
const money = (n) => `$${n >= 100 ? Math.round(n) : n.toFixed(n && n < 1 ? 3 : 2)}`;

/** Figures that matter at a glance; `bad` marks what has an alert. */
export function tiles(stats) {
  const total = stats.latency_ms.total ?? {};
  const cells = [
    ["Turns", whole(stats.turns), `${whole(stats.completed_turns)} completed`],
    ["Turns that searched", share(stats.trigger_rate), `${whole(stats.searched_turns)} of ${whole(stats.completed_turns)} completed`],
    ["Searches", whole(stats.searches), `${whole(stats.search_calls)} by search APIs`],
    ["Relevance of sources", score(stats.average_relevance), "0 to 1, average"],
    ["Time to the answer, p95", time(total.p95), `p50 ${time(total.p50)}, p99 ${time(total.p99)}`, total.p95 > 10_000],
    ["Cost", money(stats.cost_usd), stats.cost_per_turn_usd === null ? "" : `${money(stats.cost_per_turn_usd)} a turn`, stats.cost_usd > 100],
    ["Cache hits", share(stats.cache_hit_rate), "of provider calls"],
    ["Several sources", share(stats.multi_source_share), "of answers to searches"],
    ["Citations confirmed", share(stats.citation_validity), stats.citation_validity === null ? "no model judges them" : "of those checked", stats.citation_validity !== null && stats.citation_validity < 0.9],
    ["Satisfaction", stats.satisfaction === null ? NONE : stats.satisfaction.toFixed(1), `of 5, ${whole(stats.feedback)} votes`],
    ["Errors", share(stats.error_rate), "of turns", stats.error_rate > 0.1],
    ["Retried questions", share(stats.retry_rate), "within 10 minutes"],
    ["Abandoned", share(stats.abandonment_rate), "no further turn within 30 minutes"],
  ];
  return cells.map(([name, value, note, bad]) =>
    h("div", { class: bad ? "tile bad" : "tile" }, h("dt", {}, name), h("dd", {}, value, h("small", {}, bad ? `${note} · too high or low` : note))));
}

const CHARTS = [
  ["Turns and searches", whole, [["Turns", "turns", "var(--line-strong)", "column"], ["Searches", "searches", "var(--part-semantic)", "column"]]],
  ["Time to the answer", time, [["p95", "latency_ms.total.p95", "var(--part-freshness)", "line"], ["p50", "latency_ms.total.p50", "var(--part-semantic)", "line"]]],
  ["Relevance of sources", score, [["Average", "average_relevance", "var(--part-trust)", "line"]], 1],
  ["Cost", money, [["US dollars", "cost_usd", "var(--part-quality)", "column"]]],
  ["Cache hits and errors", share, [["Cache hits", "cache_hit_rate", "var(--part-semantic)", "line"], ["Errors", "error_rate", "var(--bad)", "line"]], 1],
  ["Satisfaction", (n) => n.toFixed(1), [["Mean score", "satisfaction", "var(--part-quality)", "line"]], 5],
];

export function charts(stats) {
  return CHARTS.map(([title, format, parts, top]) => {
    const series = parts.map(([name, field, tone, kind]) => ({ name, tone, kind, values: stats.series[field] }));
    const happened = series.some((one) => one.values.some((value) => value));
    // Of what is counted there is no half: the middle line stands at 1 or more.
    const least = format === whole ? 2 : 0;
    const options = { format, top, least, from: new Date(stats.from), to: new Date(stats.to), label: spoken(title, series, format) };
    const legend = h("p", { class: "legend", "aria-hidden": "true" },
      ...series.map((one) => h("span", {}, h("i", { style: { "--tone": one.tone } }), one.name)));
    const body = happened ? chart(series, options) : h("p", { class: "none" }, "Nothing in the last 24 hours.");
    return h("article", { class: "card" }, h("h2", {}, title), legend, body);
  });
}

/** A chart in a sentence, for people who do not see it. */
function spoken(title, series, format) {
  const parts = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    if (!known.length) return `${name}: nothing`;
    return `${name}: latest ${format(known.at(-1))}, lowest ${format(Math.min(...known))}, highest ${format(Math.max(...known))}`;
  });
  return `${title} over 24 hours. ${parts.join(". ")}.`;
}

const STAGES = { decision: "Decision", search: "Search", score: "Scoring", fetch: "Reading pages", generate: "Writing", first_token: "First word", total: "Whole turn", search_call: "Search API call" };

export function tables(stats) {
  const stages = Object.entries(STAGES).filter(([name]) => stats.latency_ms[name])
    .map(([name, title]) => [title, ...["p50", "p95", "p99"].map((p) => time(stats.latency_ms[name][p]))]);
  const providers = stats.providers.map((one) =>
    [health(one), whole(one.asked), whole(one.cached), share(one.success_rate), time(one.average_ms)]);
  const trouble = [...Object.entries(stats.errors), ...Object.entries(stats.lost).map(([part, n]) => [`without ${part}`, n])];
  return [
    table("Time by stage", ["Stage", "p50", "p95", "p99"], stages),
    table("Search providers", ["Provider", "Calls", "Cached", "Success", "Average"], providers),
    table("Errors and degraded components", ["What", "Times"], trouble.map(([what, n]) => [what, whole(n)])),
  ];
}

/** Health in colour, shape and words. */
function health({ name, success_rate: rate }) {
  const [state, words] = rate >= 0.95 ? ["", "well"] : rate >= 0.7 ? ["fair", "with failures"] : ["poor", "mostly failing"];
  return h("span", {}, h("i", { class: `state ${state}`, "aria-hidden": "true" }), name, h("span", { class: "hidden" }, `, ${words}`));
}

const BEHIND = { slow: "Slowest", costly: "Most expensive", irrelevant: "Least relevant sources", citations: "Citations removed", degraded: "Degraded" };

/** The turns behind a number; each opens its evidence, for whoever asked. */
export function behind(turns, chosen, choose, save) {
  const rows = turns.map((turn) => [
    new Date(turn.at).toLocaleTimeString(), time(turn.first_token_ms || null), time(turn.total_ms), money(turn.cost_usd), score(turn.relevance),
    whole(turn.citations_dropped + turn.unsupported), turn.degraded.join(", ") || NONE,
    h("a", { href: `v1/evidence/${turn.evidence_id}` }, turn.evidence_id.slice(0, 8))]);
  const select = h("select", { id: "behind-of", "aria-label": "Turns to list", onchange: (event) => choose(event.target.value) },
    ...Object.entries(BEHIND).map(([of, name]) => h("option", of === chosen ? { value: of, selected: "" } : { value: of }, name)));
  const card = table("Individual turns", ["Time", "First word", "Whole turn", "Cost", "Relevance", "Removed", "Degraded", "Evidence"], rows);
  card.querySelector("h2").after(h("p", { class: "behind" }, select, h("button", { type: "button", class: "quiet", onclick: save }, "Save as CSV")));
  return card;
}

function table(title, head, rows) {
  const body = rows.length
    ? h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
        h("table", {},
          h("thead", {}, h("tr", {}, ...head.map((cell) => h("th", { scope: "col" }, cell)))),
          h("tbody", {}, ...rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first), ...rest.map((cell) => h("td", {}, cell)))))))
    : h("p", { class: "none" }, "Nothing in the last 24 hours.");
  return h("article", { class: "card" }, h("h2", {}, title), body);
}
