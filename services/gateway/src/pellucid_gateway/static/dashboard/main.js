// Asks for the numbers every few seconds while somebody looks, and shows them.

import { byId } from "../js/dom.js";
import { wireTheme } from "../js/theme.js";
import { pageLanguage, t, translate } from "../js/words.js";
import { behind, charts, tables, tiles } from "./numbers.js";

const EVERY_MS = 10_000;
// The chat page keeps it there too.
const KEY = "pellucid-key";

let timer = 0;
let listed = "slow";

function headers() {
  const key = sessionStorage.getItem(KEY);
  return key ? { Authorization: `Bearer ${key}` } : {};
}

async function load(path) {
  const response = await fetch(path, { headers: headers() });
  if (response.ok) return response;
  const refused = [401, 403].includes(response.status);
  const problem = await response.json().catch(() => ({}));
  throw Object.assign(new Error(problem.detail ?? t("noNumbers")), { refused });
}

async function refresh() {
  clearTimeout(timer);
  try {
    show(await (await load("v1/stats")).json());
    await list(listed);
    tell("");
  } catch (error) {
    byId("key-form").hidden = !error.refused;
    tell(error instanceof TypeError ? t("unreachable") : error.message);
    if (error.refused) return;
  }
  if (!document.hidden) timer = setTimeout(refresh, EVERY_MS);
}

function show(stats) {
  byId("numbers").hidden = false;
  byId("key-form").hidden = true;
  byId("tiles").replaceChildren(...tiles(stats));
  byId("charts").replaceChildren(...charts(stats));
  replaceTables(tables(stats));
  byId("when").textContent = t("asOf", { time: new Date(stats.to).toLocaleTimeString(pageLanguage) });
  const pulse = byId("pulse");
  pulse.classList.remove("live");
  requestAnimationFrame(() => pulse.classList.add("live"));
}

/** Lists the turns behind a number, unless somebody is just choosing. */
async function list(of) {
  const { turns } = await (await load(`v1/stats/turns?of=${of}`)).json();
  if (document.activeElement?.id === "behind-of" && of === listed && byId("behind").hasChildNodes()) return;
  listed = of;
  byId("behind").replaceChildren(behind(turns, of, list, save));
}

/** A link cannot carry the key, so the file is loaded here and saved from memory. */
async function save() {
  const href = URL.createObjectURL(await (await load(`v1/stats/turns?of=${listed}&format=csv`)).blob());
  Object.assign(document.createElement("a"), { href, download: `pellucid-${listed}.csv` }).click();
  URL.revokeObjectURL(href);
}

/** Replaces the tables without taking the focus from somebody who is in one. */
function replaceTables(fresh) {
  const place = byId("tables");
  const focused = [...place.querySelectorAll(".scroll")].indexOf(document.activeElement);
  place.replaceChildren(...fresh);
  if (focused >= 0) place.querySelectorAll(".scroll")[focused]?.focus({ preventScroll: true });
}

function tell(text) {
  const trouble = byId("trouble");
  trouble.hidden = !text;
  if (trouble.textContent !== text) trouble.textContent = text;
}

/** A link cannot carry the key, so with a key the report is loaded here and opened from memory. */
async function openReport(event) {
  if (!sessionStorage.getItem(KEY)) return;
  event.preventDefault();
  try {
    const page = await (await load("v1/reports/weekly?format=html")).blob();
    window.open(URL.createObjectURL(page), "_blank", "noopener");
  } catch (error) {
    tell(error.message);
  }
}

byId("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, byId("key").value.trim());
  refresh();
});
byId("report").addEventListener("click", openReport);
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
translate();
document.title = `${t("dashboardTitle")} · Pellucid`;
wireTheme();
refresh();
