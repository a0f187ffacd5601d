// The live steps of one turn: a line that says what happens now, and a list of what happened.

import { h, plural, seconds } from "./dom.js";
import { searchedWhere } from "./lost.js";

export class Steps {
  constructor() {
    this.state = h("span", { class: "steps__state" }, "Thinking…");
    this.list = h("ol");
    const summary = h("summary", {}, h("span", { class: "steps__dot", "aria-hidden": "true" }), this.state);
    this.root = h("details", { class: "steps" }, summary, this.list);
    this.queries = new Set();
    this.pages = 0;
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

  decided(decision) {
    this.now(decision.action === "answer" ? "Answering…" : decision.action === "fetch" ? "Reading the page…" : "Searching the web…");
    if (decision.reason) this.add(decision.reason);
  }

  urlFetched({ url, success, error }) {
    this.pages += success ? 1 : 0;
    this.add(success ? `Read ${hostOf(url)}` : `Could not read ${hostOf(url)}${error ? `: ${error}` : ""}`);
  }

  progress(event, data) {
    this.now(data.message);
    if (data.query && !this.queries.has(data.query)) {
      this.queries.add(data.query);
      this.add("Searched for ", h("q", {}, data.query));
    }
    if (event === "web_search_fetching" && data.count) {
      this.pages += data.count;
      this.add(`Reading ${plural(data.count, "page")}`);
    }
    if (event === "web_search_extracting" && data.count) this.add(`Taking key facts from ${plural(data.count, "page")}`);
    if (event === "web_search_reflecting") this.add("Checking whether this is enough");
    if (event === "web_search_complete") this.add(`${plural(data.results_count ?? 0, "relevant result")} found`);
  }

  /** Folds the list into one line that sums the turn up. */
  finish(result) {
    const parts = [];
    const read = (result.url_contents ?? []).filter(({ success }) => success).length;
    if (result.decision.action === "search") parts.push(searchedWhere(result), plural(result.decision.queries.length, "query", "queries"));
    else if (read) parts.push(`Read ${plural(read, "page")}`);
    else parts.push("Answered without the web");
    if (result.sources.length) parts.push(plural(result.sources.length, "source"));
    if (result.timings_ms.total) parts.push(seconds(result.timings_ms.total));
    this.fold(parts.join(" · "));
  }

  fold(text) {
    this.root.open = false;
    this.now(text);
  }
}

function hostOf(url) {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}
