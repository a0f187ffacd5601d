// Sources that the person prefers or avoids: in the settings, and beside each source.

import { preferences, prefer, withoutPreference } from "./api.js";
import { button, byId, h } from "./dom.js";
import { t } from "./words.js";

const STANCES = ["prefer", "avoid"];

/** Buttons that say what the person thinks of a site from now on. */
export function stanceButtons(domain, announce) {
  const all = STANCES.map((stance) => button(t(stance), {
    "aria-label": t(`named_${stance}`, { domain }), "aria-pressed": "false",
    onclick: async () => {
      try {
        await prefer(domain, stance);
        all.forEach((each, index) => each.setAttribute("aria-pressed", String(STANCES[index] === stance)));
        announce(t("saved"));
      } catch (problem) {
        announce(problem.message);
      }
    },
  }));
  return h("div", { class: "stances" }, ...all);
}

/** Fills the list of the settings, where the server keeps one. */
export async function showPreferences(features) {
  const part = byId("set-sources");
  part.hidden = !features.includes("source_preferences");
  if (part.hidden) return;
  byId("stance").replaceChildren(...STANCES.map((stance) => h("option", { value: stance }, t(stance))));
  byId("stance-add").onclick = add;
  byId("domain").onkeydown = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add();
  };
  await list();
}

async function list() {
  const found = await preferences().catch(() => []);
  byId("stances-note").textContent = "";
  byId("stances").replaceChildren(...found.map(({ domain, stance }) => h("li", {},
    h("b", {}, domain), h("span", {}, t(stance)),
    button(t("deleteNamed", { title: domain }), { drawing: "remove", onclick: () => withoutPreference(domain).then(list, tell) }))));
}

async function add() {
  const domain = byId("domain").value.trim();
  if (!domain) return;
  await prefer(domain, byId("stance").value).then(list, tell);
  byId("domain").select();
}

function tell(problem) {
  byId("stances-note").textContent = problem.message;
}
