// Splits light Markdown into blocks. Every block keeps its offsets into the text (UTF-16), because
// citations point at offsets.

const HEADING = /^(#{1,6})\s+/;
const ITEM = /^\s*(?:[-*+•]|(\d{1,3})[.)])\s+/;
const FENCE = /^\s*```/;
const QUOTE = /^\s*>\s?/;

function linesOf(text) {
  const lines = [];
  let start = 0;
  for (const raw of text.split("\n")) {
    lines.push({ raw, start, end: start + raw.length });
    start += raw.length + 1;
  }
  return lines;
}

/** Returns [{type, start, end, parts: [{start, end}], ordered?, first?}] in the order of the text. */
export function blocksOf(text) {
  const lines = linesOf(text);
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    if (!lines[at].raw.trim()) {
      at += 1;
      continue;
    }
    const take = [fence, heading, list, quote, paragraph].find((rule) => rule.matches(lines[at].raw));
    const [block, next] = take.read(lines, at);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

const fence = {
  matches: (raw) => FENCE.test(raw),
  read(lines, at) {
    let end = at + 1;
    while (end < lines.length && !FENCE.test(lines[end].raw)) end += 1;
    const inner = lines.slice(at + 1, end);
    const part = inner.length ? { start: inner[0].start, end: inner.at(-1).end } : { start: lines[at].end, end: lines[at].end };
    const last = Math.min(end, lines.length - 1);
    return [{ type: "code", start: lines[at].start, end: lines[last].end, parts: [part] }, end + 1];
  },
};

const heading = {
  matches: (raw) => HEADING.test(raw),
  read(lines, at) {
    const line = lines[at];
    const part = { start: line.start + HEADING.exec(line.raw)[0].length, end: line.end };
    return [{ type: "heading", start: line.start, end: line.end, parts: [part] }, at + 1];
  },
};

const list = {
  matches: (raw) => ITEM.test(raw),
  read(lines, at) {
    const first = ITEM.exec(lines[at].raw)[1];
    const block = { type: "list", ordered: first !== undefined, first: Number(first ?? 1), start: lines[at].start, parts: [] };
    while (at < lines.length) {
      const { raw, start, end } = lines[at];
      const item = ITEM.exec(raw);
      if (item && (item[1] !== undefined) === block.ordered) block.parts.push({ start: start + item[0].length, end });
      else if (raw.trim() && /^\s{2,}/.test(raw)) block.parts.at(-1).end = end;
      else break;
      block.end = end;
      at += 1;
    }
    return [block, at];
  },
};

const quote = {
  matches: (raw) => QUOTE.test(raw),
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
  matches: () => true,
  read(lines, at) {
    const start = lines[at].start;
    let end = at + 1;
    const others = [fence, heading, list, quote];
    while (end < lines.length && lines[end].raw.trim() && !others.some((rule) => rule.matches(lines[end].raw))) end += 1;
    const part = { start, end: lines[end - 1].end };
    return [{ type: "paragraph", start, end: part.end, parts: [part] }, end];
  },
};
