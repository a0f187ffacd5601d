// Tables of a Markdown text: a row of heads, a row of dashes, then rows of cells.

const DASHES = /^\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?\s*)?$/;

export const table = {
  begins: (lines, at) => lines[at].raw.includes("|") && at + 1 < lines.length && DASHES.test(lines[at + 1].raw)
    && cells(lines[at]).length === cells(lines[at + 1]).length,
  read(lines, at) {
    const start = lines[at].start;
    const aligned = cells(lines[at + 1]).map(({ text }) => (text.endsWith(":") ? (text.startsWith(":") ? "center" : "end") : "start"));
    const rows = [cells(lines[at])];
    let next = at + 2;
    while (next < lines.length && lines[next].raw.includes("|")) {
      rows.push(cells(lines[next]).slice(0, aligned.length));
      next += 1;
    }
    return [{ type: "table", start, end: lines[next - 1].end, rows, aligned, parts: rows.flat() }, next];
  },
};

/** Cells of a line with their places in the text; a bar behind a backslash divides nothing. */
function cells({ raw, start }) {
  const found = [];
  let from = 0;
  const bars = [...raw.matchAll(/(?<!\\)\|/g)].map(({ index }) => index);
  for (const bar of [...bars, raw.length]) {
    const text = raw.slice(from, bar).trim();
    const at = start + from + (text ? raw.slice(from, bar).search(/\S/) : 0);
    const isEdge = !text && (from === 0 || bar === raw.length);
    if (!isEdge) found.push({ start: at, end: at + text.length, text });
    from = bar + 1;
  }
  return found;
}
