// One question of the person: how it is shown, edited and sent again.

import { fileList } from "./attachments.js";
import { button, h } from "./dom.js";
import { t } from "./words.js";

export class QuestionView {
  /** `files` are names of what was attached. */
  constructor(text, { onResend, files }) {
    Object.assign(this, { text, onResend, files });
    this.root = h("div", { class: "asked" });
    this.show();
  }

  show() {
    this.edit = button(t("edit"), { drawing: "edit", className: "quiet asked__edit", onclick: () => this.change() });
    this.root.replaceChildren(this.edit, h("div", { class: "asked__part" }, h("p", { class: "question", dir: "auto" }, this.text), fileList(this.files)));
  }

  /** Turns the question into a field. */
  change() {
    const field = h("textarea", { class: "asked__field", "aria-label": t("editQuestion"), rows: 2, dir: "auto" });
    field.value = this.text;
    const form = h("form", { class: "asked__form", onsubmit: (event) => this.send(event, field.value) }, field,
      h("div", { class: "actions" }, h("small", {}, t("editNote")), button(t("cancel"), { onclick: () => this.giveUp() }), h("button", { type: "submit", class: "solid" }, t("send"))));
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.giveUp();
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.target !== field) return;
      event.preventDefault();
      form.requestSubmit();
    });
    this.root.replaceChildren(form);
    field.focus();
  }

  send(event, text) {
    event.preventDefault();
    if (text.trim()) this.onResend(text.trim());
  }

  giveUp() {
    this.show();
    this.edit.focus();
  }
}
