// Builds DOM nodes. A string child always becomes a text node, so nothing that came from a page or
// a model is ever parsed as markup.

import { icon } from "./icons.js";
import { pageLanguage, t } from "./words.js";

/** Creates an element: h("a", {href, class: "x", dataset: {n: 1}, style: {"--share": 0.5}, onclick}, …children). */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(node, name, value);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

function set(node, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name === "dataset") Object.assign(node.dataset, value);
  else if (name === "style") for (const [key, part] of Object.entries(value)) node.style.setProperty(key, part);
  else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
  else if (value === true) node.setAttribute(name, "");
  else node.setAttribute(name, value);
}

/** A button that says what it does beside its icon, or as its name where there is no room for words. */
export function button(label, { onclick, drawing, className = "quiet", ...attributes }) {
  if (!drawing) return h("button", { type: "button", class: className, onclick, ...attributes }, label);
  return h("button", { type: "button", class: `${className} icon`, "aria-label": label, title: label, onclick, ...attributes }, icon(drawing));
}

export async function copyText(text, announce) {
  await navigator.clipboard.writeText(text).then(() => announce(t("copied")), () => announce(t("notCopied")));
}

export const byId = (id) => document.getElementById(id);

/** A link that can only lead to a web page; anything else becomes plain text. */
export function safeLink(url, attributes, ...children) {
  if (!isWebAddress(url)) return h("span", { class: attributes.class }, ...children);
  return h("a", { ...attributes, href: url, target: "_blank", rel: "noopener noreferrer nofollow" }, ...children);
}

/** Whether this is the server's name for what a person attached; such an address leads nowhere. */
export const isAttachment = (url) => url.startsWith("https://attachment.invalid/");

export function isWebAddress(url) {
  try {
    return !isAttachment(url) && ["http:", "https:"].includes(new URL(url).protocol);
  } catch {
    return false;
  }
}

/** Letter icon of a domain; its hue is stable, so that the same site always looks the same. */
export function letterIcon(domain, extra = "") {
  const name = (domain || "?").replace(/^www\./, "");
  let hash = 7;
  for (const letter of name) hash = (hash * 31 + letter.codePointAt(0)) % 360;
  const first = [...name][0].toUpperCase();
  return h("span", { class: `letter ${extra}`, "aria-hidden": "true", style: { "--hue": String(hash) } }, first);
}

/** A bar from 0 to 1; the number stands beside it, so it is hidden from screen readers. */
export function bar(share, tone) {
  const style = { "--share": String(Math.min(1, Math.max(0, share))) };
  if (tone) style["--tone"] = tone;
  return h("span", { class: "bar", "aria-hidden": "true" }, h("i", { style }));
}

export const percent = (share) => `${Math.round(share * 100)} %`;

export function seconds(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export function day(iso) {
  const date = iso ? new Date(iso) : null;
  if (!date || Number.isNaN(date.getTime())) return "";
  return date.toLocaleDateString(pageLanguage, { year: "numeric", month: "short", day: "numeric", timeZone: "UTC" });
}
