// A challenge of hCaptcha, Turnstile or alike, where the server takes a person for a program.

import { button, h } from "./dom.js";
import { t } from "./words.js";

const LOAD_MS = 15_000;
const LOADED = "pellucidChallengeLoaded";

export class ChallengeView {
  /** `onSolved` gets the answer of the challenge, `onRetry` is called where there is none to show. */
  constructor({ script, site_key: siteKey }, { announce, onSolved, onRetry }) {
    Object.assign(this, { script, siteKey, announce, onSolved });
    this.text = h("p", { tabindex: "-1" });
    this.widget = h("div");
    this.again = button(t("tryAgain"), { className: "solid", onclick: () => (script ? this.show() : onRetry()) });
    this.root = h("section", { class: "note challenge", "aria-label": t("challenge") }, this.text, this.widget, this.again);
  }

  /** What is shown first; the answer that came with the message was refused, or there was none. */
  begin(wasRefused) {
    if (!this.script) this.tell(t("challengeWait"), true);
    else if (wasRefused) this.tell(t("challengeRefused"), true);
    else this.show();
  }

  async show() {
    this.tell(t("challengeWhy"), false);
    const lost = () => this.tell(t("challengeLost", { host: new URL(this.script).host }), true);
    try {
      const vendor = await load(this.script);
      const place = h("div");
      this.widget.append(place);
      vendor.render(place, {
        sitekey: this.siteKey, callback: this.onSolved, "error-callback": lost,
        "expired-callback": () => this.tell(t("challengeExpired"), true),
      });
    } catch {
      lost();
    }
  }

  /** Says how it stands, and goes there unless the person is writing elsewhere. */
  tell(text, mayRetry) {
    if (!this.root.isConnected) return;
    const isWriting = Boolean(document.activeElement.value);
    this.text.textContent = text;
    this.widget.replaceChildren();
    this.again.hidden = !mayRetry;
    if (isWriting) this.announce(text);
    else this.text.focus();
  }
}

/** What the vendor's script offers; hCaptcha and Turnstile tell by `onload` when it may be called. */
function load(address) {
  const known = () => window.turnstile ?? window.hcaptcha;
  return new Promise((resolve, reject) => {
    if (known()) return resolve(known());
    window[LOADED] = () => resolve(known());
    setTimeout(reject, LOAD_MS);
    const src = new URL(address);
    src.searchParams.set("render", "explicit");
    src.searchParams.set("onload", LOADED);
    return document.head.append(h("script", { src: src.href, onerror: reject }));
  });
}
