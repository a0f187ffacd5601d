// An answer and a conversation as Markdown files: citations as numbers, sources as links.

import { day, isAttachment } from "./dom.js";
import { chipPlace, utf16Offset } from "./places.js";
import { t } from "./words.js";

const escaped = (text) => text.replace(/[\\[\]*_`<>|]/g, "\\$&").replace(/\s+/g, " ");
const address = (url) => `<${url.replaceAll(/[<>\s]/g, encodeURIComponent)}>`;

/** The text with a [number] behind each claim, then the sources that it cites. */
export function answerMarkdown({ answer, citations, sources }) {
  const cited = sources.filter(({ n }) => citations.some(({ source }) => source === n));
  const list = cited.map(({ n, url, title, domain, published_at: date }) =>
    `${n}. ${isAttachment(url) ? escaped(title) : `[${escaped(title || url)}](${address(url)})`} (${[domain || t("attachment"), day(date)].filter(Boolean).join(", ")})`);
  return [numbered(answer, citations), ...(list.length ? [`${t("sources")}:\n\n${list.join("\n")}`] : [])].join("\n\n");
}

/** Questions and answers of a conversation, one after the other. */
export function conversationMarkdown(turns) {
  const told = turns.map(({ question, result }) => `## ${escaped(question)}\n\n${answerMarkdown(result)}`);
  return [`# ${escaped(turns[0].question)}`, ...told, ""].join("\n\n");
}

function numbered(answer, citations) {
  const marks = new Map();
  for (const { end, source } of citations) {
    const place = chipPlace(answer, utf16Offset(answer, end));
    marks.set(place, new Set([...(marks.get(place) ?? []), source]));
  }
  let text = answer.trimEnd();
  for (const place of [...marks.keys()].sort((a, b) => b - a)) {
    const numbers = [...marks.get(place)].sort((a, b) => a - b).map((n) => `[${n}]`).join("");
    text = `${text.slice(0, place)}${numbers}${text.slice(place)}`;
  }
  return text;
}
