// Sources of an answer, and the card of a forced search.

import { bar, day, h, isAttachment, letterIcon, safeLink } from "./dom.js";
import { t, tCode } from "./words.js";

const PARTS = ["semantic", "trust", "freshness", "quality"];

/** The list under an answer; `stance(domain)` makes what a person may say of a site, if they may. */
export function sourceList(sources, stance) {
  const cited = sources.filter((source) => source.cited).length;
  return h("div", { class: "sources", role: "group", "aria-label": t("sources") },
    h("h3", { class: "sources__head" }, t("sources"), h("small", {}, cited ? t("citedOf", { cited, all: sources.length }) : String(sources.length))),
    h("ol", {}, ...sources.map((source) => sourceItem(source, stance))));
}

/** Results without an answer. */
export function resultsCard(query, sources, stance) {
  const list = sources.length
    ? h("ol", {}, ...sources.map((source) => sourceItem(source, stance)))
    : h("p", { class: "results__empty" }, t("nothingFound"));
  return h("div", { class: "sources results", role: "group", "aria-label": t("searchResults") },
    h("h3", { class: "sources__head" }, query || t("results"), h("small", {}, t("resultCount", { n: sources.length }))), list);
}

function sourceItem(source, stance) {
  return h("li", { class: "source", dataset: { n: source.n } },
    letterIcon(source.domain || source.title),
    h("div", {},
      safeLink(source.url, { class: "source__title" },
        h("span", { class: "source__number" }, `${source.n}. `), source.title || source.url),
      meta(source),
      source.summary ? h("p", { class: "source__snippet" }, source.summary) : null,
      source.snippet ? h("p", { class: "source__snippet" }, source.snippet) : null),
    score(source),
    source.score_breakdown ? breakdown(source, stance) : null);
}

function meta(source) {
  const warnings = (source.warnings ?? []).map((code) => h("span", { class: "is-warning" }, tCode("warning", code)));
  const date = day(source.published_at);
  return h("div", { class: "source__meta" },
    h("span", {}, source.domain || t(isAttachment(source.url) ? "attachment" : "unknownSite")),
    date ? h("time", { datetime: source.published_at, class: source.recent && "is-recent" }, date) : null,
    source.method && source.domain ? h("span", {}, tCode("method", source.method)) : null,
    ...warnings);
}

function score(source) {
  if (isAttachment(source.url)) return null;
  if (source.relevance_score === null || source.relevance_score === undefined) return h("div", { class: "score" }, h("span", {}, t("unscored")));
  const text = source.relevance_score.toFixed(2);
  return h("div", { class: "score" },
    h("span", {}, h("span", { class: "hidden" }, `${t("relevance")} `), text), bar(source.relevance_score));
}

function breakdown(source, stance) {
  const rows = PARTS.flatMap((key) => {
    const value = source.score_breakdown[key];
    return [h("dt", {}, t(`part_${key}`)), h("dd", {}, bar(value, `var(--part-${key})`), h("span", {}, value.toFixed(2)))];
  });
  const found = source.providers?.length ? h("p", { class: "facts" }, t("foundBy", { names: source.providers.join(", ") })) : null;
  return h("details", {}, h("summary", {}, t("howScored")), h("dl", { class: "parts" }, ...rows), found, stance?.(source.domain));
}
