// Renders an answer: light Markdown with citation chips, as text nodes only. No images, no raw
// markup; a link is kept only when it leads to one of the answer's sources.

import { blocksOf } from "./blocks.js";
import { copyText, h, safeLink } from "./dom.js";
import { chipPlace, utf16Offset } from "./places.js";
import { t } from "./words.js";

const INLINE = /\\([!-/:-@[-`{-~])|&(lt|gt|amp);|(`+)([^`]+?)\3|\*\*([^*]+?)\*\*|(?<![\w*])\*([^*\s][^*]*?)\*(?![\w*])|(?<!\w)_([^_\s][^_]*?)_(?!\w)|!?\[((?:\\.|[^\]\\])+)\]\(([^()\s]+)\)/gu;

const SIGNS = { lt: "<", gt: ">", amp: "&" };

/** One answer on the page. Only blocks that changed are replaced, so nothing flickers. */
export class Prose {
  constructor(root, { makeChip, announce }) {
    Object.assign(this, { root, makeChip, announce });
    this.text = "";
    this.citations = [];
    this.unsupported = [];
    this.links = new Set();
    this.keys = [];
    this.frame = 0;
  }

  append(text) {
    this.text += text;
    this.schedule();
  }

  cite(citation) {
    const start = utf16Offset(this.text, citation.start);
    const end = utf16Offset(this.text, citation.end);
    this.citations.push({ ...citation, start, end, key: this.citations.length });
    this.schedule();
  }

  allow(urls) {
    for (const url of urls) this.links.add(url);
    this.schedule();
  }

  /** Puts the final text, citations and what no source says in place; the rest stays untouched. */
  settle(text, citations, unsupported = []) {
    this.text = text;
    this.unsupported = unsupported.map(({ start, end }) => ({ start: utf16Offset(text, start), end: utf16Offset(text, end) }));
    this.citations = [];
    for (const citation of citations) this.cite(citation);
    this.draw();
  }

  schedule() {
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const keys = [];
    blocksOf(this.text).forEach((block, index) => {
      const inside = this.citations.filter(({ start, end }) => end > block.start && start < block.end).map((citation) => this.placed(citation, block));
      keys.push(JSON.stringify([block.type, block.start, this.text.slice(block.start, block.end), inside, this.links.size, this.unsupported]));
      if (keys[index] === this.keys[index]) return;
      const node = this.block(block, inside);
      const shown = this.root.children[index];
      // A block that grows stays the same element.
      if (!shown) this.root.append(node);
      else if (shown.cloneNode().isEqualNode(node.cloneNode())) shown.replaceChildren(...node.childNodes);
      else shown.replaceWith(node);
    });
    while (this.root.children.length > keys.length) this.root.lastChild.remove();
    this.keys = keys;
  }

  /** The chip's place: behind its claim, in the last part of the block that the claim reaches into. */
  placed(citation, block) {
    const home = block.parts.findLast(({ start }) => start < citation.end);
    return { ...citation, home: home?.start, chip: Math.min(chipPlace(this.text, citation.end), home?.end ?? Infinity) };
  }

  block(block, citations) {
    const fill = (part) => new Line(this, citations, part).nodes();
    const [first] = block.parts;
    const makers = {
      code: () => this.code(block),
      heading: () => h("h3", { class: block.level > 2 ? "is-minor" : null }, ...fill(first)),
      list: () => h(block.ordered ? "ol" : "ul", block.ordered ? { start: block.first } : {}, ...block.items.map(({ part, inside }) =>
        h("li", {}, ...fill(part), ...inside.map((inner) => this.block(inner, citations))))),
      paragraph: () => h("p", {}, ...fill(first)),
      quote: () => h("blockquote", {}, ...block.parts.flatMap((part) => [...fill(part), "\n"])),
      rule: () => h("hr"),
      table: () => grid(block, fill),
    };
    return makers[block.type]();
  }

  code({ parts: [part], language, indent }) {
    const text = this.text.slice(part.start, part.end).split("\n").map((line) => line.slice(Math.min(indent, Math.max(0, line.search(/\S/))))).join("\n");
    const copy = h("button", { type: "button", class: "quiet", onclick: () => copyText(text, this.announce) }, t("copy"));
    return h("div", { class: "code" }, h("div", { class: "code__head" }, h("span", {}, language), copy),
      h("pre", { tabindex: 0, role: "region", "aria-label": t("code") }, h("code", {}, text)));
  }
}

function grid({ rows: [heads, ...rows], aligned }, fill) {
  const row = (cells, tag, extra = {}) => h("tr", {}, ...cells.map((cell, index) => h(tag, { class: `is-${aligned[index]}`, ...extra }, ...fill(cell))));
  return h("div", { class: "table", tabindex: 0, role: "region", "aria-label": t("table") },
    h("table", {}, h("thead", {}, row(heads, "th", { scope: "col" })), h("tbody", {}, ...rows.map((cells) => row(cells, "td")))));
}

/** The inline content of one part of a block. */
class Line {
  constructor(prose, citations, part) {
    this.prose = prose;
    this.part = part;
    this.citations = citations;
    this.waiting = citations.filter(({ home }) => home === part.start).sort((a, b) => a.chip - b.chip || a.source - b.source);
  }

  nodes() {
    const nodes = this.inline(this.part.start, this.part.end);
    return [...nodes, ...this.chips(this.part.end)];
  }

  inline(start, end) {
    const nodes = [];
    let at = start;
    for (const match of this.prose.text.slice(start, end).matchAll(INLINE)) {
      const from = start + match.index;
      nodes.push(...this.leaf(at, from), ...this.marked(match, from));
      at = from + match[0].length;
    }
    return [...nodes, ...this.leaf(at, end)];
  }

  marked(match, from) {
    const [whole, sign, entity, ticks, code, strong, em, emphasis, label, url] = match;
    if (sign !== undefined) return this.leaf(from + 1, from + 2);
    if (entity !== undefined) return [SIGNS[entity], ...this.chips(from + whole.length)];
    if (code !== undefined) return [h("code", {}, code), ...this.chips(from + whole.length)];
    if (strong !== undefined) return [h("strong", {}, ...this.inline(from + 2, from + whole.length - 2))];
    if (em !== undefined || emphasis !== undefined) return [h("em", {}, ...this.inline(from + 1, from + whole.length - 1))];
    const text = from + whole.indexOf("[") + 1;
    const inner = this.inline(text, text + label.length);
    return this.prose.links.has(url) ? [safeLink(url, {}, ...inner)] : inner;
  }

  /** Plain text, cut where a claim begins or ends; chips follow the end of their claim. */
  leaf(start, end) {
    if (start >= end) return [];
    const cuts = new Set([start, end]);
    for (const citation of this.citations) {
      for (const cut of [citation.start, citation.end, citation.chip]) if (cut > start && cut < end) cuts.add(cut);
    }
    for (const span of this.prose.unsupported) {
      for (const cut of [span.start, span.end]) if (cut > start && cut < end) cuts.add(cut);
    }
    const ordered = [...cuts].sort((a, b) => a - b);
    return ordered.slice(1).flatMap((to, index) => this.piece(ordered[index], to));
  }

  piece(from, to) {
    const text = this.prose.text.slice(from, to).replaceAll("\n", " ");
    const claims = this.citations.filter((citation) => citation.start <= from && citation.end >= to).map(({ key }) => key);
    const isOpen = this.prose.unsupported.some((span) => span.start <= from && span.end >= to);
    if (isOpen && !claims.length) return [h("span", { class: "unsupported", title: t("check_unsupported") }, text), ...this.chips(to)];
    const node = claims.length ? h("span", { class: "claim", dataset: { claims: ` ${claims.join(" ")} ` } }, text) : text;
    return [node, ...this.chips(to)];
  }

  chips(upTo) {
    const due = this.waiting.filter(({ chip }) => chip <= upTo);
    this.waiting = this.waiting.filter(({ chip }) => chip > upTo);
    if (!due.length) return [];
    // The word joiner keeps a chip on the line of its claim.
    return ["\u2060", h("sup", {}, ...due.map((citation) => this.prose.makeChip(citation)))];
  }
}
