// Splits light Markdown into blocks. Every block keeps its offsets into the text (UTF-16), because
// citations point at offsets.

import { nestedList } from "./lists.js";
import { table } from "./tables.js";

const HEADING = /^(#{1,6})\s+/;
const FENCE = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/;
const QUOTE = /^\s*>\s?/;
const RULE = /^\s*(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;

function linesOf(text) {
  const lines = [];
  let start = 0;
  for (const raw of text.split("\n")) {
    lines.push({ raw, start, end: start + raw.length });
    start += raw.length + 1;
  }
  return lines;
}

/** Returns [{type, start, end, parts: [{start, end}], …}] in the order of the text. */
export function blocksOf(text) {
  const lines = linesOf(text);
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    if (!lines[at].raw.trim()) {
      at += 1;
      continue;
    }
    const [block, next] = KINDS.find((kind) => kind.begins(lines, at)).read(lines, at);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

const fence = {
  begins: (lines, at) => FENCE.test(lines[at].raw),
  read(lines, at) {
    const [, marks, language] = FENCE.exec(lines[at].raw);
    const closes = ({ raw }) => raw.trim().startsWith(marks) && !raw.trim().replaceAll(marks[0], "");
    let end = at + 1;
    while (end < lines.length && !closes(lines[end])) end += 1;
    const inner = lines.slice(at + 1, end);
    const part = inner.length ? { start: inner[0].start, end: inner.at(-1).end } : { start: lines[at].end, end: lines[at].end };
    const last = Math.min(end, lines.length - 1);
    const indent = lines[at].raw.search(/\S/);
    return [{ type: "code", language, indent, start: lines[at].start, end: lines[last].end, parts: [part] }, end + 1];
  },
};

const heading = {
  begins: (lines, at) => HEADING.test(lines[at].raw),
  read(lines, at) {
    const line = lines[at];
    const [marks, { length: level }] = HEADING.exec(line.raw);
    const part = { start: line.start + marks.length, end: line.end };
    return [{ type: "heading", level, start: line.start, end: line.end, parts: [part] }, at + 1];
  },
};

const rule = {
  begins: (lines, at) => RULE.test(lines[at].raw),
  read: (lines, at) => [{ type: "rule", start: lines[at].start, end: lines[at].end, parts: [] }, at + 1],
};

const quote = {
  begins: (lines, at) => QUOTE.test(lines[at].raw),
  read(lines, at) {
    const block = { type: "quote", start: lines[at].start, parts: [] };
    while (at < lines.length && QUOTE.test(lines[at].raw)) {
      const line = lines[at];
      block.parts.push({ start: line.start + QUOTE.exec(line.raw)[0].length, end: line.end });
      block.end = line.end;
      at += 1;
    }
    return [block, at];
  },
};

const paragraph = {
  begins: () => true,
  read(lines, at) {
    const start = lines[at].start;
    let end = at + 1;
    const others = KINDS.slice(0, -1);
    while (end < lines.length && lines[end].raw.trim() && !others.some((kind) => kind.begins(lines, end))) end += 1;
    const part = { start, end: lines[end - 1].end };
    return [{ type: "paragraph", start, end: part.end, parts: [part] }, end];
  },
};

const KINDS = [fence, heading, rule, nestedList(fence), quote, table, paragraph];
