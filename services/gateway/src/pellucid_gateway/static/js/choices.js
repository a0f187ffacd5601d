// The settings dialog: what the person chooses for this browser.

import { deleteEverything, models } from "./api.js";
import { byId, h } from "./dom.js";
import { showPreferences } from "./preferences.js";
import { choose, settings } from "./settings.js";
import { LANGUAGES, t } from "./words.js";

const option = ([value, label]) => h("option", { value }, label);

function fill(id, key, pairs, then = () => {}) {
  const field = byId(id);
  field.replaceChildren(...pairs.map(option));
  field.value = settings[key];
  field.onchange = () => {
    choose({ [key]: field.value });
    then();
  };
}

/** `chat` tells which features the server has. */
export function wireChoices(chat) {
  const dialog = byId("settings");
  const languages = Object.entries(LANGUAGES);
  fill("set-page", "page", [["", t("likeBrowser")], ...languages], () => location.reload());
  fill("set-language", "language", [["auto", t("likeQuestion")], ...languages]);
  fill("set-style", "style", [["natural", t("styleNamed")], ["none", t("styleNumbers")]]);
  byId("set-keys").checked = settings.keys;
  byId("set-keys").onchange = () => choose({ keys: byId("set-keys").checked });
  byId("forget").onclick = () => ask(true);
  byId("forget-no").onclick = () => ask(false);
  byId("forget-yes").onclick = () => forget(chat);
  byId("settings-open").addEventListener("click", () => open(dialog, chat));
}

/** Shows the question whether everything is to be deleted, or takes it back. */
function ask(isAsked) {
  byId("forget").hidden = isAsked;
  byId("forget-ask").hidden = !isAsked;
  byId(isAsked ? "forget-no" : "forget").focus();
}

async function forget(chat) {
  try {
    await deleteEverything();
    byId("settings").close();
    chat.startOver();
    chat.announce(t("deleted"));
  } catch (problem) {
    byId("forget-told").textContent = problem.message;
  }
}

async function open(dialog, chat) {
  dialog.showModal();
  byId("forget-part").hidden = !chat.features.includes("source_preferences");
  ask(false);
  byId("set-page").focus();
  showPreferences(chat.features);
  if (!chat.features.includes("model")) return;
  const served = await models().catch(() => []);
  byId("set-model-row").hidden = served.length < 2;
  fill("set-model", "model", [["", t("serversModel")], ...served.map((name) => [name, name])]);
}
