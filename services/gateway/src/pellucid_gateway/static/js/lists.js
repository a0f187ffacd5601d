// Lists of a Markdown text: items with lists and code blocks inside.

const ITEM = /^(\s*)(?:[-*+•]|(\d{1,3})[.)])\s+/;
const NESTED = 2; // characters of indent more than the list's own

const itemOf = ({ raw }) => ITEM.exec(raw);
const indentOf = ({ raw }) => raw.search(/\S/);
const isBlank = ({ raw }) => !raw.trim();

/** A list as a kind of block; `fence` reads the code blocks in its items. */
export function nestedList(fence) {
  return { begins: (lines, at) => Boolean(itemOf(lines[at])), read };

  function read(lines, at) {
    const first = itemOf(lines[at]);
    const indent = first[1].length;
    const block = { type: "list", ordered: first[2] !== undefined, first: Number(first[2] ?? 1), start: lines[at].start, items: [] };
    const isSibling = (line) => {
      const item = itemOf(line);
      return item && indentOf(line) < indent + NESTED && indentOf(line) > indent - NESTED && (item[2] !== undefined) === block.ordered;
    };
    while (at < lines.length) {
      const next = pastBlanks(lines, at);
      const line = lines[next];
      if (!line) break;
      if (isSibling(line)) {
        block.items.push({ part: { start: line.start + itemOf(line)[0].length, end: line.end }, inside: [] });
        at = next + 1;
      } else if (indentOf(line) >= indent + NESTED) at = addInside(block.items.at(-1), lines, next, next > at);
      else break;
      block.end = lines[at - 1]?.end ?? lines.at(-1).end;
    }
    block.parts = block.items.flatMap(({ part, inside }) => [part, ...inside.flatMap(({ parts }) => parts)]);
    return [block, at];
  }

  function addInside(item, lines, at, isApart) {
    const kind = [fence, { begins: (all, index) => Boolean(itemOf(all[index])), read }].find(({ begins }) => begins(lines, at));
    if (kind) {
      const [inner, next] = kind.read(lines, at);
      item.inside.push(inner);
      return next;
    }
    if (isApart || item.inside.length) {
      const { start, end } = lines[at];
      item.inside.push({ type: "paragraph", start, end, parts: [{ start: start + indentOf(lines[at]), end }] });
    } else item.part.end = lines[at].end;
    return at + 1;
  }
}

function pastBlanks(lines, at) {
  while (at < lines.length && isBlank(lines[at])) at += 1;
  return at;
}
