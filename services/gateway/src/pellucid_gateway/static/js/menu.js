// The drawer of conversations: open, rename and delete them; and the way to the other pages.

import { conversations, deleteConversation, renameConversation } from "./api.js";
import { addressOf } from "./chat.js";
import { button, byId, day, h } from "./dom.js";
import { t } from "./words.js";

export class Menu {
  constructor({ chat, announce }) {
    Object.assign(this, { chat, announce });
    this.drawer = byId("menu");
    byId("menu-open").addEventListener("click", () => this.open());
    byId("menu-close").addEventListener("click", () => this.drawer.close());
    this.drawer.addEventListener("click", (event) => event.target === this.drawer && this.drawer.close());
  }

  async open() {
    this.drawer.showModal();
    const list = byId("conversations");
    if (!this.chat.features.includes("conversations")) return list.replaceChildren(note(t("keepsNone")));
    try {
      const found = await conversations();
      list.replaceChildren(...(found.length ? found.map((head) => this.row(head)) : [note(t("noConversations"))]));
    } catch (problem) {
      if (problem.status === 401) {
        this.drawer.close();
        return this.chat.askForKey(() => this.open());
      }
      list.replaceChildren(note(problem.message));
    }
    return null;
  }

  row(head) {
    const item = h("li");
    const link = h("a", { class: "conversation", href: addressOf(head.id), onclick: () => this.drawer.close() }, h("b", { dir: "auto" }, head.title), h("small", {}, day(head.updated_at)));
    if (head.id === this.chat.id) link.setAttribute("aria-current", "page");
    const rename = button(t("renameNamed", { title: head.title }), { drawing: "edit", onclick: () => item.replaceChildren(this.naming(head, item)) });
    const remove = button(t("deleteNamed", { title: head.title }), { drawing: "remove", onclick: () => this.confirm(head, item) });
    item.replaceChildren(link, rename, remove);
    return item;
  }

  replace(item, head) {
    const row = this.row(head);
    item.replaceWith(row);
    row.querySelector("a").focus();
  }

  naming(head, item) {
    const field = h("input", { "aria-label": t("title"), maxlength: 80, dir: "auto" });
    field.value = head.title;
    queueMicrotask(() => field.select());
    return h("form", {
      class: "naming",
      onsubmit: (event) => {
        event.preventDefault();
        this.rename(head, field.value.trim(), item);
      },
    }, field, h("button", { type: "submit", class: "solid" }, t("save")), button(t("cancel"), { onclick: () => this.replace(item, head) }));
  }

  async rename(head, title, item) {
    if (!title) return;
    await this.change(item, async () => {
      await renameConversation(head.id, title);
      this.replace(item, { ...head, title });
    });
  }

  confirm(head, item) {
    const yes = button(t("delete"), { className: "solid", onclick: () => this.remove(head, item) });
    item.replaceChildren(h("p", { class: "naming", role: "alert" }, h("span", {}, t("deleteAsk")), yes, button(t("cancel"), { onclick: () => this.replace(item, head) })));
    yes.focus();
  }

  async remove(head, item) {
    await this.change(item, async () => {
      await deleteConversation(head.id);
      if (head.id === this.chat.id) this.chat.startOver();
      item.remove();
      const list = byId("conversations");
      if (!list.children.length) list.append(note(t("noConversations")));
      this.announce(t("deleted"));
      byId("menu-close").focus();
    });
  }

  async change(item, act) {
    await act().catch((problem) => item.append(h("p", { class: "empty", role: "alert" }, problem.message)));
  }
}

function note(text) {
  return h("li", { class: "empty" }, text);
}
