// From the numbers of /v1/stats to tiles, charts and tables.

import { h, seconds } from "../js/dom.js";
import { pageLanguage, t, tCode } from "../js/words.js";
import { chart } from "./chart.js";

const NONE = "–";
const whole = (n) => Math.round(n).toLocaleString(pageLanguage);
const share = (n) => (n === null ? NONE : `${(100 * n).toFixed(n < 0.1 && n > 0 ? 1 : 0)} %`);
const score = (n) => (n === null ? NONE : n.toFixed(2));
const time = (n) => (n === null || n === undefined ? NONE : seconds(n));
const money = (n) => `$${n >= 100 ? Math.round(n) : n.toFixed(n && n < 1 ? 3 : 2)}`;

/** Figures that matter at a glance; `bad` marks what has an alert. */
export function tiles(stats) {
  const total = stats.latency_ms.total ?? {};
  const completed = whole(stats.completed_turns);
  const judged = stats.citation_validity !== null;
  const cells = [
    ["turns", whole(stats.turns), { n: completed }],
    ["trigger", share(stats.trigger_rate), { n: whole(stats.searched_turns), all: completed }],
    ["searches", whole(stats.searches), { n: whole(stats.search_calls) }],
    ["relevance", score(stats.average_relevance)],
    ["latency", time(total.p95), { p50: time(total.p50), p99: time(total.p99) }, total.p95 > 10_000],
    ["cost", money(stats.cost_usd), { cost: money(stats.cost_per_turn_usd ?? 0) }, stats.cost_usd > 100],
    ["cache", share(stats.cache_hit_rate)],
    ["several", share(stats.multi_source_share)],
    ["citations", share(stats.citation_validity), judged ? {} : null, judged && stats.citation_validity < 0.9],
    ["satisfaction", stats.satisfaction === null ? NONE : stats.satisfaction.toFixed(1), { n: whole(stats.feedback) }],
    ["errors", share(stats.error_rate), {}, stats.error_rate > 0.1],
    ["retry", share(stats.retry_rate)],
    ["abandoned", share(stats.abandonment_rate)],
  ];
  return cells.map(([key, value, values = {}, bad = false]) => {
    const note = values ? t(`note_${key}`, values) : t("notJudged");
    return h("div", { class: bad ? "tile bad" : "tile" }, h("dt", {}, t(`tile_${key}`)), h("dd", {}, value, h("small", {}, bad ? `${note} · ${t("outOfBounds")}` : note)));
  });
}

const CHARTS = [
  ["turns", whole, [[t("tile_turns"), "turns", "var(--line-strong)", "column"], [t("tile_searches"), "searches", "var(--part-semantic)", "column"]]],
  ["latency", time, [["p95", "latency_ms.total.p95", "var(--part-freshness)", "line"], ["p50", "latency_ms.total.p50", "var(--part-semantic)", "line"]]],
  ["relevance", score, [[t("average"), "average_relevance", "var(--part-trust)", "line"]], 1],
  ["cost", money, [[t("dollars"), "cost_usd", "var(--part-quality)", "column"]]],
  ["cache", share, [[t("tile_cache"), "cache_hit_rate", "var(--part-semantic)", "line"], [t("tile_errors"), "error_rate", "var(--bad)", "line"]], 1],
  ["satisfaction", (n) => n.toFixed(1), [[t("meanScore"), "satisfaction", "var(--part-quality)", "line"]], 5],
];

export function charts(stats) {
  return CHARTS.map(([key, format, parts, top]) => {
    const title = t(`chart_${key}`);
    const series = parts.map(([name, field, tone, kind]) => ({ name, tone, kind, values: stats.series[field] }));
    const happened = series.some((one) => one.values.some((value) => value));
    // Of what is counted there is no half: the middle line stands at 1 or more.
    const least = format === whole ? 2 : 0;
    const options = { format, top, least, from: new Date(stats.from), to: new Date(stats.to), label: spoken(title, series, format) };
    const legend = h("p", { class: "legend", "aria-hidden": "true" },
      ...series.map((one) => h("span", {}, h("i", { style: { "--tone": one.tone } }), one.name)));
    const body = happened ? chart(series, options) : h("p", { class: "none" }, t("nothingIn24"));
    return h("article", { class: "card" }, h("h2", {}, title), legend, body);
  });
}

/** A chart in a sentence, for people who do not see it. */
function spoken(title, series, format) {
  const parts = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    if (!known.length) return t("spokenNothing", { name });
    return t("spokenSeries", { name, latest: format(known.at(-1)), lowest: format(Math.min(...known)), highest: format(Math.max(...known)) });
  });
  return t("spoken", { title, parts: parts.join(". ") });
}

const STAGES = ["decision", "search", "score", "fetch", "generate", "first_token", "total", "search_call"];

export function tables(stats) {
  const stages = STAGES.filter((name) => stats.latency_ms[name])
    .map((name) => [name === "search_call" ? t("stage_search_call") : t(`time_${name}`), ...["p50", "p95", "p99"].map((p) => time(stats.latency_ms[name][p]))]);
  const providers = stats.providers.map((one) =>
    [health(one), whole(one.asked), whole(one.cached), share(one.success_rate), time(one.average_ms)]);
  const trouble = [...Object.entries(stats.errors), ...Object.entries(stats.lost).map(([part, n]) => [t("withoutPart", { part: part.startsWith("provider_") ? part.slice(9) : tCode("part", part) }), n])];
  return [
    table(t("byStage"), [t("stage"), "p50", "p95", "p99"], stages),
    table(t("searchProviders"), [t("provider"), t("asked"), t("cached"), t("success"), t("average")], providers),
    table(t("troubles"), [t("what"), t("times")], trouble.map(([what, n]) => [what, whole(n)])),
  ];
}

/** Health in colour, shape and words. */
function health({ name, success_rate: rate }) {
  const [state, words] = rate >= 0.95 ? ["", "well"] : rate >= 0.7 ? ["fair", "fair"] : ["poor", "poor"];
  return h("span", {}, h("i", { class: `state ${state}`, "aria-hidden": "true" }), name, h("span", { class: "hidden" }, `, ${t(`health_${words}`)}`));
}

const BEHIND = ["slow", "costly", "irrelevant", "citations", "degraded"];

/** The turns behind a number; each opens its evidence, for whoever asked. */
export function behind(turns, chosen, choose, save) {
  const rows = turns.map((turn) => [
    new Date(turn.at).toLocaleTimeString(pageLanguage), time(turn.first_token_ms || null), time(turn.total_ms), money(turn.cost_usd), score(turn.relevance),
    whole(turn.citations_dropped + turn.unsupported), turn.degraded.join(", ") || NONE,
    h("a", { href: `v1/evidence/${turn.evidence_id}` }, turn.evidence_id.slice(0, 8))]);
  const select = h("select", { id: "behind-of", "aria-label": t("turnsToList"), onchange: (event) => choose(event.target.value) },
    ...BEHIND.map((of) => h("option", of === chosen ? { value: of, selected: "" } : { value: of }, t(`behind_${of}`))));
  const card = table(t("turnsBehind"), [t("time"), t("time_first_token"), t("time_total"), t("cost"), t("relevance"), t("removed"), t("degraded"), t("evidence")], rows);
  card.querySelector("h2").after(h("p", { class: "behind" }, select, h("button", { type: "button", class: "quiet", onclick: save }, t("saveCsv"))));
  return card;
}

function table(title, head, rows) {
  const body = rows.length
    ? h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
        h("table", {},
          h("thead", {}, h("tr", {}, ...head.map((cell) => h("th", { scope: "col" }, cell)))),
          h("tbody", {}, ...rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first), ...rest.map((cell) => h("td", {}, cell)))))))
    : h("p", { class: "none" }, t("nothingIn24"));
  return h("article", { class: "card" }, h("h2", {}, title), body);
}
