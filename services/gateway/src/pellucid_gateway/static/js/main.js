// The page: composer, conversation and the life of one request.

import { Problem, ask, useKey, version } from "./api.js";
import { byId, h } from "./dom.js";
import { wireEvidence } from "./evidence.js";
import { EXAMPLES } from "./examples.js";
import { wirePassage } from "./passage.js";
import { wireTheme } from "./theme.js";
import { TurnView } from "./turn.js";

const HISTORY_LIMIT = 20; // messages sent along; the server looks at the last 5 for its decisions

const state = { messages: [], conversation: "", running: null, features: [] };

const form = byId("composer");
const field = byId("question");

function announce(text) {
  byId("announcer").textContent = text;
}

function options() {
  const data = new FormData(form);
  return { web_mode: data.get("web_mode"), depth: data.get("depth"), force_search: data.get("force_search") === "on" };
}

function requestFor(question) {
  const request = { ...options(), messages: [...state.messages.slice(-HISTORY_LIMIT), { role: "user", content: question }] };
  if (state.conversation) request.conversation_id = state.conversation;
  request.time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  return request;
}

function setRunning(controller) {
  state.running = controller;
  byId("send").hidden = Boolean(controller);
  byId("stop").hidden = !controller;
}

async function submit(question) {
  if (state.running) return;
  byId("welcome").hidden = true;
  byId("new-chat").hidden = false;
  const request = requestFor(question);
  const view = new TurnView(question, { announce, features: state.features, onRetry: (old) => { old.root.remove(); submit(question); } });
  byId("turns").append(view.root);
  view.root.scrollIntoView({ block: "start", behavior: "smooth" });
  announce("Question sent");
  await run(view, request, question);
}

async function run(view, request, question) {
  const controller = new AbortController();
  setRunning(controller);
  try {
    for await (const { event, data } of ask(request, controller.signal)) {
      view.apply(event, data);
      if (event === "done") remember(question, data);
    }
  } catch (error) {
    end(view, error, question);
  } finally {
    setRunning(null);
  }
}

function remember(question, result) {
  state.conversation = result.conversation_id;
  state.messages.push({ role: "user", content: question });
  if (result.answer) state.messages.push({ role: "assistant", content: result.answer });
}

function end(view, error, question) {
  if (error.name === "AbortError") return view.stopped();
  if (!(error instanceof Problem)) {
    view.fail({ detail: "The answer could not be shown completely." });
    throw error;
  }
  if (error.status === 401) askForKey(() => { view.root.remove(); submit(question); });
  return view.fail(error);
}

function askForKey(then) {
  const dialog = byId("key-dialog");
  byId("key-form").onsubmit = () => {
    useKey(byId("key").value.trim());
    byId("key").value = "";
    then();
  };
  byId("key-cancel").onclick = () => dialog.close();
  dialog.showModal();
}

function send() {
  const question = field.value.trim();
  if (!question || state.running) return;
  field.value = "";
  fit();
  submit(question);
}

/** Grows the field with its text where the browser cannot do it by itself. */
function fit() {
  if (CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

function startOver() {
  state.running?.abort();
  Object.assign(state, { messages: [], conversation: "" });
  byId("turns").replaceChildren();
  byId("welcome").hidden = false;
  byId("new-chat").hidden = true;
  field.focus();
  announce("New conversation");
}

function stop() {
  state.running?.abort();
  field.focus();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});
field.addEventListener("input", fit);
field.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  send();
});
byId("stop").addEventListener("click", stop);
byId("new-chat").addEventListener("click", startOver);
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, dialog");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    field.focus();
  }
});

byId("examples").append(...EXAMPLES.map(({ kind, text }) =>
  h("li", {}, h("button", { type: "button", onclick: () => submit(text) }, h("b", {}, kind), text))));
wireTheme();
wirePassage();
wireEvidence();
if (matchMedia("(pointer: fine)").matches) field.focus();
version().then(({ features = [] }) => { state.features = features; });
