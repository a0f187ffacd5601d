// Dark and light: the system's choice until the person makes one. first-paint.js sets the first value.

import { t } from "./words.js";

const KEY = "pellucid-theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

const chosen = () => localStorage.getItem(KEY) ?? (prefersDark.matches ? "dark" : "light");

function apply() {
  const theme = chosen();
  document.documentElement.dataset.theme = theme;
  document.getElementById("theme")?.setAttribute("aria-label", t(theme === "dark" ? "toLight" : "toDark"));
}

export function wireTheme() {
  document.getElementById("theme").addEventListener("click", () => {
    localStorage.setItem(KEY, chosen() === "dark" ? "light" : "dark");
    apply();
  });
  apply();
}

prefersDark.addEventListener("change", apply);
apply();
