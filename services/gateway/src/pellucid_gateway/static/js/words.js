// Words of the page in the reader's language: their choice, else the browser's, else English.

import { settings } from "./settings.js";
import english from "./words/en.js";

export const LANGUAGES = { de: "Deutsch", en: "English", es: "Español", fr: "Français", ja: "日本語", ko: "한국어", zh: "中文" };

const known = (tag) => (tag.slice(0, 2) in LANGUAGES ? tag.slice(0, 2) : "");
export const pageLanguage = known(settings.page) || navigator.languages.map(known).find(Boolean) || "en";

const words = pageLanguage === "en" ? english : (await import(`./words/${pageLanguage}.js`)).default;
const forms = new Intl.PluralRules(pageLanguage);

/** The words of a key, with {names} filled in; `n` chooses between singular and plural. */
export function t(key, values = {}) {
  const found = words[key] ?? english[key];
  const text = typeof found === "string" ? found : found[forms.select(values.n)] ?? found.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Words of a code of the server; the code itself where the page has none. */
export const tCode = (prefix, code) => (`${prefix}_${code}` in english ? t(`${prefix}_${code}`) : code.replaceAll("_", " "));

/** Fills elements that name their words: data-t (text), data-t-label (name for screen readers), data-t-hint. */
export function translate() {
  document.documentElement.lang = pageLanguage;
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const node of document.querySelectorAll("[data-t-label]")) node.setAttribute("aria-label", t(node.dataset.tLabel));
  for (const node of document.querySelectorAll("[data-t-hint]")) node.setAttribute("placeholder", t(node.dataset.tHint));
}
