// Files that go along with a question: chosen, dropped or pasted. They stay in this tab alone and are
// sent with every question of the conversation, since the server keeps nothing of them.

import { button, byId, h, isAttachment } from "./dom.js";
import { t } from "./words.js";

const MOST_BYTES = 10 * 1024 * 1024; // of all together; the server's limit
const MOST_FILES = 3;
const ADDRESS = /\s*(https:\/\/attachment\.invalid\/\w+)/g;

/** The text of a message without the addresses by which the server calls what was attached. */
export const withoutAddresses = (text) => text.replace(ADDRESS, "");
export const addressesIn = (text) => [...text.matchAll(ADDRESS)].map(([, url]) => url);
export const addressesOf = ({ url_contents: pages = [] }) => pages.map(({ url }) => url).filter(isAttachment);

/** Names of files; with `onRemove(index)` each can be taken away. */
export function fileList(names, onRemove) {
  if (!names.length) return null;
  return h("ul", { class: "files", "aria-label": t("attachments") }, ...names.map((name, index) =>
    h("li", { dir: "auto" }, h("span", {}, name), onRemove && button(t("removeNamed", { name }), { drawing: "close", onclick: () => onRemove(index) }))));
}

/** The newest files, as many as the server takes together. */
export function newest(files) {
  let left = MOST_BYTES;
  const fitting = files.toReversed().filter(({ size }) => {
    left -= size;
    return left >= 0;
  });
  return fitting.slice(0, MOST_FILES).reverse();
}

/** Files of the question that is being written; `tell(text)` says why one cannot go along. */
export class Attachments {
  constructor(form, tell) {
    Object.assign(this, { tell, files: [] });
    const chooser = byId("files");
    byId("attach").addEventListener("click", () => chooser.click());
    chooser.addEventListener("change", () => this.add([...chooser.files]).then(() => { chooser.value = ""; }));
    form.addEventListener("dragover", (event) => event.preventDefault());
    for (const [kind, data] of [["drop", "dataTransfer"], ["paste", "clipboardData"]]) {
      form.addEventListener(kind, (event) => {
        if (!event[data].files.length) return;
        event.preventDefault();
        this.add([...event[data].files]);
      });
    }
  }

  async add(chosen) {
    const all = [...this.files, ...await Promise.all(chosen.map(read))];
    const tooMany = all.length > MOST_FILES;
    const tooLarge = all.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES;
    this.tell(tooMany ? t("tooManyFiles", { most: MOST_FILES }) : tooLarge ? t("tooLargeFiles", { most: MOST_BYTES / 2 ** 20 }) : "");
    if (!tooMany && !tooLarge) this.show(all);
  }

  show(files) {
    this.files = files;
    byId("attached").replaceChildren(...[fileList(files.map(({ name }) => name), (index) => {
      this.show(files.toSpliced(index, 1));
      byId("attach").focus();
    })].filter(Boolean));
  }

  /** Hands the files over to a question. */
  take() {
    const { files } = this;
    this.show([]);
    return files;
  }
}

function read(file) {
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.onload = () => resolve({ name: file.name, size: file.size, data: reader.result.slice(reader.result.indexOf(",") + 1) });
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
