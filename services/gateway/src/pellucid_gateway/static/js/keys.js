// Single keys outside of fields, which a setting turns off, and the list of them.

import { byId, h } from "./dom.js";
import { settings } from "./settings.js";
import { t } from "./words.js";

/** `actions` maps a key to what it does. */
export function wireKeys(actions) {
  const all = { ...actions, "?": () => byId("keys").showModal() };
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input:not([type=radio], [type=checkbox]), textarea, select, dialog[open]");
    if (!settings.keys || isTyping || event.ctrlKey || event.metaKey || event.altKey || !(event.key in all)) return;
    event.preventDefault();
    all[event.key]();
  });
  const rows = [["Enter", "send"], ["Shift Enter", "newLine"], ["Esc", "close"], ...Object.keys(all).map((key) => [key, KEYS[key]])];
  byId("keys-list").replaceChildren(...rows.flatMap(([key, word]) => [h("dt", {}, ...key.split(" ").map((part) => h("kbd", {}, part))), h("dd", {}, t(word))]));
  byId("keys-open").addEventListener("click", () => {
    byId("menu").close();
    byId("keys").showModal();
  });
}

const KEYS = { "/": "toQuestion", "?": "shortcuts", c: "conversations", e: "editLast", n: "newChat", r: "regenerate", s: "settings" };
