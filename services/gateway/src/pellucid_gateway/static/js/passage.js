// The card with the cited passage: opens on hover and focus, stays on click, closes on Escape.

import { byId, day, h, letterIcon, percent, safeLink } from "./dom.js";
import { tCode, t } from "./words.js";

const CLOSE_AFTER_MS = 180;
const GAP = 8;

let anchor = null;
let closing = 0;

/** Builds the superscript chip of a citation. */
export function makeChip(citation, sourceOf, root) {
  const source = sourceOf(citation.source) ?? { domain: "", title: citation.title };
  const chip = h("button", {
    type: "button",
    class: citation.check === "supported" ? "cite" : "cite cite--open",
    title: tCode("check", citation.check),
    "aria-expanded": "false",
    "aria-label": t("sourceNumber", { number: citation.source, title: citation.title || source.domain }),
    onpointerenter: (event) => event.pointerType === "mouse" && open(),
    onpointerleave: (event) => event.pointerType === "mouse" && closeSoon(),
    onfocus: () => chip.matches(":focus-visible") && open(),
    onblur: (event) => !byId("passage").contains(event.relatedTarget) && closeSoon(),
    onclick: () => open(),
  }, String(citation.source));
  const open = () => show(chip, citation, source, root);
  return chip;
}

function show(chip, citation, source, root) {
  clearTimeout(closing);
  if (anchor === chip) return;
  hide();
  anchor = chip;
  chip.setAttribute("aria-expanded", "true");
  for (const claim of root.querySelectorAll(`[data-claims*=" ${citation.key} "]`)) claim.classList.add("is-lit");
  const card = byId("passage");
  card.replaceChildren(...cardOf(citation, source));
  // With its source named, the card comes right after the chip in the order of focus.
  card.showPopover({ source: chip });
  place(card, chip);
}

function cardOf(citation, source) {
  const when = day(source.published_at);
  return [
    h("div", { class: "passage__head" }, letterIcon(source.domain || source.title, "letter--small"),
      h("span", {}, [source.domain, when].filter(Boolean).join(" · "))),
    safeLink(citation.url, { class: "passage__title" }, citation.title || citation.url),
    citation.cited_text ? h("blockquote", {}, citation.cited_text) : null,
    h("p", { class: "passage__support" }, `${t("support", { share: percent(citation.support) })} ${tCode("check", citation.check)}`),
  ].filter(Boolean);
}

function place(card, chip) {
  const at = chip.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = card;
  const text = chip.closest(".answer").getBoundingClientRect();
  const wide = text.width > width;
  const leftmost = wide ? text.left : GAP;
  const rightmost = (wide ? text.right : document.documentElement.clientWidth - GAP) - width;
  const left = Math.min(Math.max(leftmost, at.left + at.width / 2 - width / 2), rightmost);
  const above = at.top - height - GAP;
  const below = at.bottom + GAP;
  // A narrow card is as wide as the text, so above it would hide the claim that it explains.
  const room = document.querySelector(".composer").getBoundingClientRect().top;
  const goesBelow = above < 56 || (innerWidth < 560 && below + height < room);
  card.style.left = `${left}px`;
  card.style.top = `${goesBelow ? below : above}px`;
}

/** Keeps the card at its chip while the page moves; a chip out of sight takes its card along. */
function follow() {
  if (!anchor) return;
  const { top, bottom } = anchor.getBoundingClientRect();
  if (bottom < 0 || top > innerHeight) hide();
  else place(byId("passage"), anchor);
}

function hide() {
  clearTimeout(closing);
  if (!anchor) return;
  anchor.setAttribute("aria-expanded", "false");
  anchor = null;
  byId("passage").hidePopover();
  for (const claim of document.querySelectorAll(".claim.is-lit")) claim.classList.remove("is-lit");
}

function closeSoon() {
  clearTimeout(closing);
  closing = setTimeout(hide, CLOSE_AFTER_MS);
}

/** Wires the shared card once. Returns nothing; the page calls it at the start. */
export function wirePassage() {
  const card = byId("passage");
  card.addEventListener("pointerenter", () => clearTimeout(closing));
  card.addEventListener("pointerleave", closeSoon);
  card.addEventListener("focusout", closeSoon);
  card.addEventListener("focusin", () => clearTimeout(closing));
  addEventListener("scroll", follow, { passive: true });
  addEventListener("resize", follow);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("pointerdown", (event) => {
    if (!card.contains(event.target) && !event.target.closest(".cite")) hide();
  });
}
