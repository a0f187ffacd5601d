// Turns each text of a file (one JSON string a line) into HTML as two readers of Markdown see it.
// usage: node markdown_readers.mjs texts.jsonl pages.jsonl   (needs npm's marked, micromark and
// micromark-extension-gfm where the output lies)
import { createRequire } from "node:module";
import { createReadStream, createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [, , from, to] = process.argv;
const near = createRequire(pathToFileURL(join(resolve(dirname(to)), "here.js")));
const load = async (name) => import(pathToFileURL(near.resolve(name)));
const { marked } = await load("marked");
const { micromark } = await load("micromark");
const { gfm, gfmHtml } = await load("micromark-extension-gfm");
const rules = {
  allowDangerousHtml: true,
  allowDangerousProtocol: true,
  extensions: [gfm()],
  htmlExtensions: [gfmHtml()],
};

const out = createWriteStream(to);
for await (const line of createInterface({ input: createReadStream(from) })) {
  const text = JSON.parse(line);
  const pages = { marked: marked.parse(text), micromark: micromark(text, rules) };
  out.write(JSON.stringify(pages) + "\n");
}
out.end();
