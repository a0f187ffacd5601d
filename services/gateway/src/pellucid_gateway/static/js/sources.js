// Sources of an answer, and the card of a forced search.

import { bar, day, h, letterIcon, plural, safeLink } from "./dom.js";

export const PARTS = [
  ["semantic", "On topic", "var(--part-semantic)"],
  ["trust", "Trust", "var(--part-trust)"],
  ["freshness", "Freshness", "var(--part-freshness)"],
  ["quality", "Quality", "var(--part-quality)"],
];
const METHODS = {
  http: "page read", browser: "page read in a browser", reader: "read by the reader service", archive: "archived copy",
  cache: "page read (cached)", provider: "text from the provider", snippet: "snippet only",
};
const WARNINGS = { possibly_harmful: "possibly harmful", paywall: "paywall", tls_unverified: "certificate not verified" };

/** The list under an answer. */
export function sourceList(sources) {
  const cited = sources.filter((source) => source.cited).length;
  return h("section", { class: "sources", "aria-label": "Sources" },
    h("h3", { class: "sources__head" }, "Sources", h("small", {}, cited ? `${cited} of ${sources.length} cited` : String(sources.length))),
    h("ol", {}, ...sources.map(sourceItem)));
}

/** Results without an answer. */
export function resultsCard(query, sources) {
  const list = sources.length
    ? h("ol", {}, ...sources.map(sourceItem))
    : h("p", { class: "results__empty" }, "Nothing relevant was found. Other words may help.");
  return h("section", { class: "sources results", "aria-label": "Search results" },
    h("h3", { class: "sources__head" }, query || "Results", h("small", {}, plural(sources.length, "result"))), list);
}

function sourceItem(source) {
  return h("li", { class: "source", dataset: { n: source.n } },
    letterIcon(source.domain),
    h("div", {},
      safeLink(source.url, { class: "source__title" },
        h("span", { class: "source__number" }, `${source.n}. `), source.title || source.url),
      meta(source),
      source.snippet ? h("p", { class: "source__snippet" }, source.snippet) : null),
    score(source),
    source.score_breakdown ? breakdown(source) : null);
}

function meta(source) {
  const warnings = (source.warnings ?? []).map((code) => h("span", { class: "is-warning" }, WARNINGS[code] ?? code.replaceAll("_", " ")));
  const date = day(source.published_at);
  return h("div", { class: "source__meta" },
    h("span", {}, source.domain || "unknown site"),
    date ? h("time", { datetime: source.published_at }, date) : null,
    source.method ? h("span", {}, METHODS[source.method] ?? source.method) : null,
    ...warnings);
}

function score(source) {
  if (source.relevance_score === null || source.relevance_score === undefined) return h("div", { class: "score" }, h("span", {}, "unscored"));
  const text = source.relevance_score.toFixed(2);
  return h("div", { class: "score" },
    h("span", {}, h("span", { class: "hidden" }, "Relevance "), text), bar(source.relevance_score));
}

function breakdown(source) {
  const rows = PARTS.flatMap(([key, label, tone]) => {
    const value = source.score_breakdown[key];
    return [h("dt", {}, label), h("dd", {}, bar(value, tone), h("span", {}, value.toFixed(2)))];
  });
  const found = source.providers?.length ? h("p", { class: "facts" }, `Found by ${source.providers.join(", ")}`) : null;
  return h("details", {}, h("summary", {}, "How it scored"), h("dl", { class: "parts" }, ...rows), found);
}
