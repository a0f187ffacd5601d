// The page: its composer and dialogs, wired to the conversation.

import { useKey, version } from "./api.js";
import { Attachments } from "./attachments.js";
import { Chat, namedInAddress } from "./chat.js";
import { wireChoices } from "./choices.js";
import { button, byId, h } from "./dom.js";
import { wireEvidence } from "./evidence.js";
import { wireKeys } from "./keys.js";
import { conversationMarkdown } from "./markdown.js";
import { Menu } from "./menu.js";
import { wirePassage } from "./passage.js";
import { choose, settings } from "./settings.js";
import { wireTheme } from "./theme.js";
import { t, translate } from "./words.js";

const MOST_BYTES = 32 * 1024 - 256; // of a message; the limit of the server less what names attachments

const form = byId("composer");
const field = byId("question");

function announce(text) {
  byId("announcer").textContent = text;
}

function options() {
  const data = new FormData(form);
  return { web_mode: data.get("web_mode"), depth: data.get("depth"), force_search: data.get("force_search") === "on" };
}

function askForKey(then) {
  const dialog = byId("key-dialog");
  byId("key-form").onsubmit = () => {
    useKey(byId("key").value.trim());
    byId("key").value = "";
    then();
  };
  dialog.showModal();
}

/** Says above the field why what stands in it cannot be sent; an empty text takes that back. */
function tell(text) {
  byId("composer-note").hidden = !text;
  byId("composer-note").textContent = text;
}

/** Tells in words that a text is too long to be sent; it stays in the field. */
function tooLong(text) {
  const share = MOST_BYTES / new TextEncoder().encode(text).length;
  tell(share < 1 ? t("tooLong", { length: text.length.toLocaleString(), most: Math.floor(text.length * share).toLocaleString() }) : "");
  return share < 1;
}

function send() {
  const question = field.value.trim();
  if (!question || chat.running || tooLong(question)) return;
  field.value = "";
  fit();
  chat.submit(question, attachments.take());
}

/** Grows the field with its text where the browser cannot do it by itself. */
function fit() {
  if (CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

function startOver() {
  chat.startOver();
  field.focus();
}

function share() {
  const file = new Blob([conversationMarkdown(chat.finished)], { type: "text/markdown" });
  const link = h("a", { href: URL.createObjectURL(file), download: "pellucid.md" });
  link.click();
  URL.revokeObjectURL(link.href);
}

function wireComposer() {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  field.addEventListener("input", () => {
    fit();
    if (!byId("composer-note").hidden) tooLong(field.value);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  });
  form.elements.depth.value = settings.depth;
  for (const each of form.elements.depth) each.addEventListener("change", () => choose({ depth: each.value }));
  byId("stop").addEventListener("click", () => {
    chat.stop();
    field.focus();
  });
}

translate();
const chat = new Chat({ announce, options, askForKey });
const attachments = new Attachments(form, tell);
const menu = new Menu({ chat, announce });
wireComposer();
wireTheme();
wirePassage();
wireEvidence();
wireChoices(chat);
wireKeys({
  "/": () => field.focus(),
  n: startOver,
  c: () => menu.open(),
  s: () => byId("settings-open").click(),
  e: () => chat.turns.at(-1)?.view.question.change(),
  r: () => chat.finished.length && chat.resend(chat.turns.at(-1), chat.turns.at(-1).question),
});
for (const close of document.querySelectorAll("[data-closes]")) close.addEventListener("click", () => close.closest("dialog").close());
byId("new-chat").addEventListener("click", startOver);
byId("share").addEventListener("click", share);
addEventListener("hashchange", () => (namedInAddress() ? chat.open(namedInAddress()) : chat.clear()));
if (matchMedia("(pointer: fine)").matches) field.focus();
version().catch(() => ({})).then(({ features = [], examples = [], fast_model: fastModel = "" }) => {
  Object.assign(chat, { features, fastModel });
  const questions = examples.length ? examples : [1, 2, 3, 4].map((number) => t(`example_${number}`));
  byId("examples").append(...questions.map((text) => h("li", {}, button(text, { className: "", onclick: () => chat.submit(text) }))));
  if (namedInAddress()) chat.open(namedInAddress());
});
