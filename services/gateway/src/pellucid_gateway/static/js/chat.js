// The conversation on the page: its turns, the request in hand, and where it is kept.

import { ask, conversation, deleteTurn, Problem } from "./api.js";
import { addressesIn, addressesOf, newest, withoutAddresses } from "./attachments.js";
import { byId } from "./dom.js";
import { keptResult } from "./kept.js";
import { settings } from "./settings.js";
import { TurnView } from "./turn.js";
import { t } from "./words.js";

const HISTORY_LIMIT = 20; // messages sent along; the server looks at the last 5 for its decisions
const HASH = "#c=";
const TITLE_CHARS = 60;

/** Id of the conversation that the address names; empty: none. */
export const namedInAddress = () => (location.hash.startsWith(HASH) ? decodeURIComponent(location.hash.slice(HASH.length)) : "");
export const addressOf = (id) => `${HASH}${encodeURIComponent(id)}`;

export class Chat {
  /**
   * @param announce says a sentence to screen readers
   * @param options returns the switches of the composer
   * @param askForKey asks for a key, then calls what it was given
   */
  constructor({ announce, options, askForKey }) {
    Object.assign(this, { announce, options, askForKey });
    this.features = [];
    this.fastModel = "";
    this.running = null;
    this.id = "";
    this.turns = [];
  }

  get finished() {
    return this.turns.filter(({ result }) => result);
  }

  request({ question, files, named }) {
    const messages = this.finished.flatMap(({ question: asked, named: pages, result }) =>
      [{ role: "user", content: [asked, ...pages].join("\n") }, ...(result.answer ? [{ role: "assistant", content: result.answer }] : [])]);
    const own = { role: "user", content: [question, ...named].join("\n") };
    const request = { ...this.options(), messages: [...messages.slice(-HISTORY_LIMIT), own] };
    request.attachments = newest([...this.turns.flatMap((turn) => turn.files), ...files]).map(({ name, data }) => ({ name, data }));
    if (this.id) request.conversation_id = this.id;
    if (settings.model) request.model = settings.model;
    request.language = settings.language;
    request.citation_style = settings.style;
    request.time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
    return request;
  }

  /** `files` were attached, `named` are addresses of what was. */
  add({ question, files, named, solved = "" }) {
    const turn = { question, files, named, result: null };
    const onResend = (text, answer) => this.resend(turn, text, answer);
    turn.view = new TurnView(question, {
      announce: this.announce, features: this.features, fastModel: this.fastModel, solved, onResend, onAsk: (text) => this.submit(text),
      files: files.length ? files.map(({ name }) => name) : named.map(() => t("attachment")),
    });
    this.turns.push(turn);
    byId("turns").append(turn.view.root);
    this.refresh();
    return turn;
  }

  async submit(question, files = [], named = [], solved = "") {
    if (this.running) return;
    const asked = { question, files, named, solved };
    const request = this.request(asked);
    const turn = this.add(asked);
    turn.view.root.scrollIntoView({ block: "start", behavior: "smooth" });
    this.announce(t("sent"));
    await this.run(turn, request, solved);
  }

  async run(turn, request, solved) {
    this.setRunning(new AbortController());
    const { signal } = this.running;
    try {
      for await (const { event, data } of ask(request, signal, solved)) {
        turn.view.apply(event, data);
        if (event === "done") this.remember(turn, data);
      }
    } catch (error) {
      this.fail(turn, error);
    } finally {
      this.setRunning(null);
    }
  }

  remember(turn, result) {
    turn.result = result;
    turn.named = addressesOf(result);
    this.id = result.conversation_id;
    if (this.features.includes("conversations")) history.replaceState(null, "", addressOf(this.id));
    this.refresh();
  }

  fail({ view, question }, error) {
    if (error.name === "AbortError") return view.stopped();
    if (!(error instanceof Problem)) {
      view.fail({ detail: t("notShown") });
      throw error;
    }
    if (error.status === 401) this.askForKey(() => view.onResend(question));
    return view.fail(error);
  }

  /** Asks again in the place of a turn, with the answer of a challenge if there was one; it and what followed it are forgotten. */
  async resend(turn, question, solved) {
    if (this.running || !this.turns.includes(turn)) return;
    const cut = this.turns.splice(this.turns.indexOf(turn));
    for (const { view } of cut) view.root.remove();
    if (this.features.includes("conversations")) await this.forget(cut);
    await this.submit(question, turn.files, turn.named, solved);
  }

  async forget(turns) {
    for (const { result } of turns) if (result) await deleteTurn(this.id, result.id).catch(() => {});
  }

  /** Shows a conversation that the server keeps. */
  async open(id) {
    this.clear();
    try {
      const { messages } = await conversation(id);
      this.id = id;
      await Promise.all(pairs(messages).map(([asked, answered]) => this.restore(asked, answered)));
      this.turns.at(-1)?.view.root.scrollIntoView({ block: "start" });
    } catch (problem) {
      if (problem.status === 401) return this.askForKey(() => this.open(id));
      this.announce(problem.message);
      this.leave();
    }
    return this.refresh();
  }

  async restore(asked, answered) {
    const turn = this.add({ question: withoutAddresses(asked.content), files: [], named: addressesIn(asked.content) });
    turn.result = await keptResult(asked.turn, answered);
    turn.view.show(turn.result);
  }

  /** Begins a new conversation. */
  startOver() {
    this.clear();
    this.leave();
    this.announce(t("newChat"));
  }

  leave() {
    if (location.hash) history.pushState(null, "", location.pathname + location.search);
  }

  clear() {
    this.running?.abort();
    this.id = "";
    this.turns = [];
    byId("turns").replaceChildren();
    this.refresh();
  }

  stop() {
    this.running?.abort();
  }

  setRunning(controller) {
    this.running = controller;
    byId("turns").classList.toggle("is-running", Boolean(controller));
    byId("send").hidden = Boolean(controller);
    byId("stop").hidden = !controller;
  }

  refresh() {
    const isEmpty = !this.turns.length;
    byId("welcome").hidden = !isEmpty;
    byId("new-chat").hidden = isEmpty;
    byId("share").hidden = !this.finished.length;
    document.title = isEmpty ? "Pellucid" : `${this.turns[0].question.slice(0, TITLE_CHARS)} · Pellucid`;
  }
}

/** Questions with their answers. */
const pairs = (messages) => messages.flatMap((message, index) => (message.role === "user" ? [[message, messages[index + 1]]] : []));
