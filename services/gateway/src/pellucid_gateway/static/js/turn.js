// One turn on the page: takes the events of the server and keeps the view right.

import { rate } from "./api.js";
import { h } from "./dom.js";
import { openEvidence } from "./evidence.js";
import { lostParts } from "./lost.js";
import { makeChip } from "./passage.js";
import { Prose } from "./prose.js";
import { resultsCard, sourceList } from "./sources.js";
import { Steps } from "./steps.js";

export class TurnView {
  constructor(question, { announce, onRetry, features }) {
    Object.assign(this, { announce, onRetry, features });
    this.sources = new Map();
    this.steps = new Steps();
    this.notes = h("div");
    this.body = h("div", { class: "prose", dir: "auto" });
    this.extra = h("div");
    this.after = h("div");
    this.foot = h("div");
    this.article = h("article", { class: "answer", "aria-label": "Answer", "aria-busy": "true" }, this.steps.root, this.notes, this.body, this.after, this.extra, this.foot);
    this.root = h("li", { class: "turn" }, h("h2", { class: "hidden" }, "Question"), h("p", { class: "question", dir: "auto" }, question), this.article);
    this.prose = new Prose(this.body, { makeChip: (citation) => makeChip(citation, (n) => this.sources.get(n), this.root) });
  }

  /** Applies one event; unknown ones are ignored, so that the server may grow. */
  apply(event, data) {
    if (event.startsWith("web_search_") && event !== "web_search_results") return this.progress(event, data);
    const handlers = {
      decision: () => this.steps.decided(data),
      url_fetch: () => this.steps.urlFetched(data),
      web_search_results: () => this.results(data),
      sources: () => this.take(data.sources),
      notice: () => this.note(data.text),
      delta: () => this.write(data.text),
      citation: () => this.prose.cite(data),
      done: () => this.finish(data),
      error: () => this.fail(data),
    };
    return handlers[event]?.();
  }

  /** The steps fold before the first word, so that the text never jumps while it is read. */
  write(text) {
    if (!this.prose.text) this.steps.fold("Answering…");
    this.prose.append(text);
  }

  progress(event, data) {
    this.steps.progress(event, data);
    if (data.message) this.announce(data.message);
  }

  take(sources) {
    for (const source of sources) this.sources.set(source.n, source);
    this.prose.allow(sources.map(({ url }) => url));
  }

  results({ query, results }) {
    this.extra.replaceChildren(resultsCard(query, results));
  }

  /** Shows a notice once; above the text as long as there is none, then below it. */
  note(text) {
    if ([...this.notes.children, ...this.after.children].some((child) => child.textContent === text)) return;
    (this.prose.text ? this.after : this.notes).append(h("p", { class: "note" }, text));
  }

  finish(result) {
    this.take(result.sources);
    this.prose.settle(result.answer, result.citations, result.unsupported);
    this.steps.finish(result);
    this.degraded(lostParts(result));
    for (const { text } of result.notices) this.note(text);
    if (result.answer_kind === "results") this.results({ query: result.decision.queries[0], results: result.sources });
    else if (result.sources.length) this.extra.replaceChildren(sourceList(result.sources));
    this.foot.replaceChildren(this.footer(result));
    this.settle(result.answer_kind === "results" ? `${result.sources.length} results` : `Answer ready with ${result.sources.length} sources`);
  }

  degraded(names) {
    if (!names.length) return;
    this.after.prepend(h("p", { class: "note note--warn" }, `This answer had to do without ${names.join(", ")}.`));
  }

  footer(result) {
    const why = h("button", { type: "button", class: "quiet", "aria-haspopup": "dialog", onclick: () => openEvidence(result) }, "Why this answer");
    const copy = h("button", { type: "button", class: "quiet", onclick: () => this.copy(result.answer) }, "Copy");
    return h("div", { class: "answer__foot" }, h("span", { class: "answer__label" }, result.model_label),
      why, result.answer ? copy : null, ...(this.features.includes("feedback") ? this.thumbs(result.id) : []));
  }

  async copy(text) {
    await navigator.clipboard.writeText(text).then(() => this.announce("Copied"), () => this.announce("Copying was not allowed"));
  }

  thumbs(id) {
    const make = (rating, label, path) => {
      const button = h("button", { type: "button", class: "quiet icon", "aria-pressed": "false", "aria-label": label, onclick: () => this.vote(id, rating, [up, down], button) });
      const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      icon.setAttribute("viewBox", "0 0 24 24");
      icon.setAttribute("aria-hidden", "true");
      icon.append(document.createElementNS("http://www.w3.org/2000/svg", "path"));
      icon.firstChild.setAttribute("d", path);
      button.append(icon);
      return button;
    };
    const up = make("up", "Good answer", "M7 11v9H4v-9zm0 0 4-7c1.5 0 2.3 1.2 2 2.6L12.4 10H18a2 2 0 0 1 2 2.4l-1.2 6A2 2 0 0 1 16.800 20H7");
    const down = make("down", "Bad answer", "M17 13V4h3v9zm0 0-4 7c-1.500 0-2.300-1.200-2-2.600l.6-3.400H6a2 2 0 0 1-2-2.400l1.200-6A2 2 0 0 1 7.200 4H17");
    return [up, down];
  }

  async vote(id, rating, buttons, pressed) {
    try {
      await rate(id, rating);
      for (const button of buttons) button.setAttribute("aria-pressed", String(button === pressed));
      this.announce("Thank you");
    } catch (problem) {
      this.announce(problem.message);
    }
  }

  stopped() {
    this.prose.draw();
    this.steps.fold("Stopped");
    this.settle("Stopped");
  }

  fail(problem) {
    this.prose.draw();
    this.steps.fold("No complete answer");
    const text = problem.detail || problem.message || "Something went wrong.";
    const fields = (problem.errors ?? []).map(({ field, message }) => `${field}: ${message}`).filter((line) => !text.includes(line));
    const wait = problem.retryAfter ? ` Try again in ${problem.retryAfter} s.` : "";
    const retry = h("button", { type: "button", class: "solid", onclick: () => this.onRetry(this) }, "Try again");
    this.foot.replaceChildren(h("div", { class: "note note--bad" }, h("span", {}, [text, ...fields].join(" ") + wait), retry));
    this.settle(text);
  }

  settle(announcement) {
    this.article.setAttribute("aria-busy", "false");
    this.announce(announcement);
  }
}
