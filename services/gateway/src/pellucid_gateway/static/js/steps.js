// The live steps of one turn: a line that says what happens now, and a list of what happened.

import { h, isAttachment, seconds } from "./dom.js";
import { t, tCode } from "./words.js";

// Codes of notices that tell why the web could not be searched.
const WEB_LOST = new Set(["web_unavailable", "search_unavailable", "search_busy", "search_quota_spent", "search_budget_spent", "search_not_configured"]);
const TOLD = { simple_decision: "decision", unranked: "scorer", model_failed: "llm", model_silent: "llm" }; // what a notice says of a part
const LOCAL = "local"; // the provider of the installation's own documents

export class Steps {
  constructor() {
    this.state = h("span", { class: "steps__state" }, t("thinking"));
    this.list = h("ol");
    const summary = h("summary", {}, h("span", { class: "steps__dot", "aria-hidden": "true" }), this.state);
    this.root = h("details", { class: "steps" }, summary, this.list);
    this.queries = new Set();
    this.root.addEventListener("toggle", () => { if (!this.list.children.length) this.root.open = false; });
  }

  now(text) {
    if (text) this.state.textContent = text;
  }

  add(...children) {
    this.list.append(h("li", {}, ...children));
    this.root.classList.add("has-steps");
    this.root.open = true;
  }

  decided({ action, reason }) {
    this.now(t({ answer: "answering", fetch: "readingPage" }[action] ?? "searching"));
    if (reason) this.add(reason);
  }

  urlFetched({ url, title, success, error }) {
    const host = isAttachment(url) ? title || t("attachment") : hostOf(url);
    this.add(success ? t("readHost", { host }) : t("couldNotRead", { host: error ? `${host}: ${error}` : host }));
  }

  progress(event, data) {
    this.now(data.message);
    if (data.query && !this.queries.has(data.query)) {
      this.queries.add(data.query);
      this.add(`${t("searchedFor")} `, h("q", {}, data.query));
    }
    if (event === "web_search_fetching" && data.count) this.add(t("readingPages", { n: data.count }));
    if (event === "web_search_extracting" && data.count) this.add(t("takingFacts", { n: data.count }));
    if (event === "web_search_reflecting") this.add(t("isEnough"));
    if (event === "web_search_complete") this.add(t("relevantFound", { n: data.results_count ?? 0 }));
  }

  /** Folds the list into one line that sums the turn up. */
  finish(result) {
    const parts = [whatHappened(result)];
    if (result.iterations) parts.push(t("queryCount", { n: this.queries.size || result.decision.queries.length }));
    if (result.sources.length) parts.push(t("sourceCount", { n: result.sources.length }));
    if (result.timings_ms?.total) parts.push(seconds(result.timings_ms.total));
    this.fold(parts.join(" · "));
  }

  fold(text) {
    this.root.open = false;
    this.now(text);
  }
}

/** What the turn did to answer, by what its providers and pages report. */
function whatHappened({ iterations, providers = [], url_contents: pages = [], sources }) {
  const answered = providers.filter(({ status }) => ["ok", "cached"].includes(status)).map(({ name }) => name);
  if (answered.some((name) => name !== LOCAL)) return t("searchedWeb");
  if (answered.includes(LOCAL)) return t("searchedLocal");
  if (iterations) return t("searchFailed");
  const read = pages.filter(({ success }) => success);
  if (read.length && read.every(({ url }) => isAttachment(url))) return t("readHost", { host: read.map(({ title }) => title).join(", ") });
  if (read.length) return t("readPages", { n: read.length });
  return t(sources.length ? "earlierSources" : "withoutSearch");
}

/** Names of what the turn had to do without, except for what one of its notices already says. */
export function missingParts({ degraded = [], notices, answer_kind: kind }) {
  const isWebTold = notices.some(({ code }) => WEB_LOST.has(code));
  const told = new Set(notices.map(({ code }) => TOLD[code]));
  const isTold = (name) => told.has(name) || (isWebTold && (name === "search" || name.startsWith("provider:")));
  const names = degraded.map((part) => part.component ?? part).filter((name) => !isTold(name));
  // Where the model wrote the answer, what failed was a call that prepares the search.
  const label = (name) => (name === "llm" && kind === "model" ? t("part_llm_search") : tCode("part", name));
  return [...new Set(names.map((name) => (name.startsWith("provider:") ? t("part_provider", { name: name.slice(9) }) : label(name))))];
}

function hostOf(url) {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}
