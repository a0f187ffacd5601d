// One turn on the page: takes the events of the server and keeps the view right.

import { rate } from "./api.js";
import { ChallengeView } from "./challenge.js";
import { button, copyText, h } from "./dom.js";
import { openEvidence } from "./evidence.js";
import { answerMarkdown } from "./markdown.js";
import { makeChip } from "./passage.js";
import { stanceButtons } from "./preferences.js";
import { Prose } from "./prose.js";
import { QuestionView } from "./question.js";
import { resultsCard, sourceList } from "./sources.js";
import { missingParts, Steps } from "./steps.js";
import { suggestions } from "./suggestions.js";
import { t } from "./words.js";

const TOLD_BY_ANSWER = "no_model"; // an answer without a model says so itself

export class TurnView {
  /** `onResend(question, solved)` asks again in the place of this turn, `onAsk(question)` after it; `solved` is the answer of a challenge that was sent along. */
  constructor(text, { announce, onResend, onAsk, features, fastModel, files, solved }) {
    Object.assign(this, { announce, onResend, onAsk, features, fastModel, solved });
    this.sources = new Map();
    this.stance = features.includes("source_preferences") ? (domain) => stanceButtons(domain, announce) : null;
    this.steps = new Steps();
    this.notes = h("div", { class: "notes" });
    this.body = h("div", { class: "prose", dir: "auto" });
    this.extra = h("div");
    this.after = h("div", { class: "notes" });
    this.foot = h("div");
    this.question = new QuestionView(text, { onResend, files });
    this.article = h("article", { class: "answer", "aria-label": t("answer"), "aria-busy": "true" }, this.steps.root, this.notes, this.body, this.after, this.extra, this.foot);
    this.root = h("li", { class: "turn" }, h("h2", { class: "hidden" }, t("question")), this.question.root, this.article);
    this.prose = new Prose(this.body, { announce, makeChip: (citation) => makeChip(citation, (n) => this.sources.get(n), this.root) });
  }

  /** Applies one event; unknown ones are ignored, so that the server may grow. */
  apply(event, data) {
    if (event.startsWith("web_search_") && event !== "web_search_results") return this.progress(event, data);
    const handlers = {
      decision: () => this.steps.decided(data),
      url_fetch: () => this.steps.urlFetched(data),
      web_search_results: () => this.results(data),
      sources: () => this.take(data.sources),
      notice: () => this.note(data),
      delta: () => this.write(data.text),
      citation: () => this.prose.cite(data),
      done: () => this.finish(data),
      error: () => this.fail(data),
    };
    return handlers[event]?.();
  }

  /** The steps fold before the first word, so that the text never jumps while it is read. */
  write(text) {
    if (!this.prose.text) this.steps.fold(t("answering"));
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
    this.extra.replaceChildren(resultsCard(query, results, this.stance));
  }

  /** Shows a notice once; above the text as long as there is none, then below it. */
  note({ code, text }) {
    if (code === TOLD_BY_ANSWER || this.prose.text.includes(text)) return;
    if ([...this.notes.children, ...this.after.children].some((child) => child.textContent === text)) return;
    (this.prose.text ? this.after : this.notes).append(h("p", {}, text));
  }

  finish(result) {
    this.show(result);
    this.settle(t(result.answer_kind === "results" ? "resultCount" : "answerReady", { n: result.sources.length }));
    suggestions(this.question.text, result, this.fastModel, this.onAsk).then((next) => next && this.foot.append(next));
  }

  /** Shows a whole response, just come or kept. */
  show(result) {
    this.take(result.sources);
    this.prose.settle(result.answer, result.citations, result.unsupported);
    for (const note of this.notes.children) note.hidden = result.answer.includes(note.textContent);
    if (result.decision) this.steps.finish(result);
    else this.steps.root.hidden = true;
    this.degraded(missingParts(result));
    if (result.kept === false) this.note({ text: t("notKept") });
    for (const notice of result.notices) this.note(notice);
    if (result.answer_kind === "results") this.results({ query: result.decision?.queries[0], results: result.sources });
    else if (result.sources.length) this.extra.replaceChildren(sourceList(result.sources, this.stance));
    this.foot.replaceChildren(this.footer(result));
    this.article.setAttribute("aria-busy", "false");
  }

  degraded(names) {
    if (!names.length) return;
    this.after.prepend(h("p", { class: "is-warning" }, t("without", { names: names.join(", ") })));
  }

  footer(result) {
    const again = button(t("regenerate"), { drawing: "regenerate", className: "quiet answer__again", onclick: () => this.onResend(this.question.text) });
    return h("div", { class: "answer__foot" }, h("span", { class: "answer__label" }, writer(result)),
      result.decision ? button(t("whyThis"), { "aria-haspopup": "dialog", onclick: () => openEvidence(result) }) : null,
      result.answer ? button(t("copy"), { drawing: "copy", onclick: () => copyText(answerMarkdown(result), this.announce) }) : null,
      again, ...(this.features.includes("feedback") ? this.thumbs(result.id) : []));
  }

  thumbs(id) {
    const both = ["up", "down"].map((rating) =>
      button(t(`thumb_${rating}`), { drawing: rating, "aria-pressed": "false", onclick: () => this.vote(id, rating, both) }));
    return both;
  }

  async vote(id, rating, [up, down]) {
    try {
      await rate(id, rating);
      up.setAttribute("aria-pressed", String(rating === "up"));
      down.setAttribute("aria-pressed", String(rating === "down"));
      this.announce(t("thanks"));
    } catch (problem) {
      this.announce(problem.message);
    }
  }

  stopped() {
    this.prose.draw();
    this.steps.fold(t("stopped"));
    this.foot.replaceChildren(h("div", { class: "answer__foot" }, button(t("tryAgain"), { onclick: () => this.onResend(this.question.text) })));
    this.settle(t("stopped"));
  }

  fail(problem) {
    this.prose.draw();
    this.steps.fold(t("noAnswer"));
    if (problem.challenge) return this.challenge(problem.challenge);
    const text = problem.detail || problem.message || t("wentWrong");
    const fields = (problem.errors ?? []).map(({ field, message }) => `${field}: ${message}`).filter((line) => !text.includes(line));
    const wait = problem.retryAfter ? ` ${t("tryAgainIn", { n: problem.retryAfter })}` : "";
    const retry = button(t("tryAgain"), { className: "solid", onclick: () => this.onResend(this.question.text) });
    this.foot.replaceChildren(h("div", { class: "note note--bad" }, h("span", {}, [text, ...fields].join(" ") + wait), retry));
    return this.settle(text);
  }

  challenge(challenge) {
    const { text } = this.question;
    const view = new ChallengeView(challenge, {
      announce: this.announce, onSolved: (answer) => this.onResend(text, answer), onRetry: () => this.onResend(text),
    });
    this.foot.replaceChildren(view.root);
    this.article.setAttribute("aria-busy", "false");
    view.begin(this.solved);
  }

  settle(announcement) {
    this.article.setAttribute("aria-busy", "false");
    this.announce(announcement);
  }
}

/** Who wrote the answer, for people. */
function writer({ answer_kind: kind, model_label: label }) {
  if (kind === "extractive") return t("quoted");
  return kind === "model" ? label.split(" + ").at(-1) : "";
}
