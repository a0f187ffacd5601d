// The evidence drawer: everything behind one answer.

import { bar, byId, h, percent, plural, seconds } from "./dom.js";

const ACTIONS = { search: "Searched the web", fetch: "Read the pages you named", answer: "Answered without the web" };
const STAGES = {
  mode: "the web switch", url: "an address in the message", rule: "rules", matrix: "the keyword matrix",
  classifier: "the trained model", llm: "the language model", fallback: "best guess",
};
const TIMES = { decision: "Decision", search: "Search", fetch: "Pages", score: "Scoring", first_token: "First word", generate: "Answer", total: "Whole turn" };

/** Opens the drawer for the whole response of a turn. */
export function openEvidence(result) {
  byId("evidence-body").replaceChildren(
    decision(result.decision), left(result.outbound), providers(result.providers), citations(result), times(result.timings_ms), rest(result));
  byId("evidence-body").scrollTop = 0;
  byId("evidence").showModal();
}

export function wireEvidence() {
  const drawer = byId("evidence");
  byId("evidence-close").addEventListener("click", () => drawer.close());
  drawer.addEventListener("click", (event) => event.target === drawer && drawer.close());
}

const section = (title, ...children) => h("section", {}, h("h3", {}, title), ...children);

function pairs(rows) {
  const known = rows.filter(([, value]) => value !== "" && value !== null && value !== undefined && value.length !== 0);
  return h("dl", { class: "pairs" }, ...known.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, Array.isArray(value) ? value.join(", ") : String(value))]));
}

function decision(made) {
  return section("Decision",
    h("p", { class: "verdict" }, ACTIONS[made.action] ?? made.action, h("span", {}, `by ${STAGES[made.stage] ?? made.stage}, ${percent(made.confidence)} sure`)),
    made.reason ? h("p", {}, made.reason) : null,
    signals(made.signals ?? []),
    pairs([
      ["Question", made.standalone_question], ["Queries", made.queries.join(" | ")], ["Sort of sources", made.intent], ["Category", made.category],
      ["Age", made.freshness === "none" ? "any" : made.freshness], ["Must contain", made.target_info], ["Addresses", made.urls],
      ["Not read", made.ignored_urls], ["Language", made.language],
    ]));
}

function signals(list) {
  if (!list.length) return null;
  return h("ul", { class: "signals", "aria-label": "Signals" }, ...list.map(({ name, weight, evidence }) =>
    h("li", { class: weight < 0 ? "is-against" : "" },
      h("span", {}, name.replaceAll("_", " "), evidence ? h("q", {}, evidence) : null),
      bar(Math.abs(weight)), h("span", {}, (weight > 0 ? "+" : "") + weight.toFixed(2)))));
}

function left(outbound) {
  if (!outbound?.length) return section("What left this server", h("p", {}, "Nothing was sent out for this answer."));
  return section("What left this server", h("p", {}, `${plural(outbound.length, "text")}, exactly as sent:`),
    h("ul", { class: "left" }, ...outbound.map(({ to, kind, text }) => h("li", {}, h("b", {}, to), ` received a ${kind}`, h("code", {}, text)))));
}

function providers(list) {
  if (!list?.length) return section("Providers", h("p", {}, "No search provider was asked."));
  const rows = list.map(({ name, status, latency_ms, results, error_code }) => h("tr", {},
    h("td", {}, name), h("td", { class: ["ok", "cached", "skipped"].includes(status) ? "" : "is-bad" }, [status.replaceAll("_", " "), error_code].filter(Boolean).join(": ")),
    h("td", { class: "is-number" }, String(results)), h("td", { class: "is-number" }, seconds(latency_ms))));
  return section("Providers", table(["Name", "Status", "Results", "Time"], rows));
}

function table(heads, rows) {
  const cells = heads.map((name, index) => h("th", { scope: "col", class: index > 1 ? "is-number" : "" }, name));
  return h("table", { class: "grid" }, h("thead", {}, h("tr", {}, ...cells)), h("tbody", {}, ...rows));
}

function citations({ citation_report: report, citations: list }) {
  if (!report?.checked && !report?.added) return section("Citations", h("p", {}, "The answer made no claim that had to be checked."));
  return section("Citations",
    h("p", {}, `${plural(report.checked + report.added, "citation")} checked against the text of the sources; ${list.length} shown.`),
    pairs([["Found right by a judge", String(report.supported)], ["Figures, names and wording match", String(report.matched)], ["Not checked", String(report.unchecked)], ["Added", String(report.added)],
      ["Kept", String(report.kept)], ["Moved to a better source", String(report.rebound)], ["Removed", String(report.dropped)], ["Sentences without", String(report.uncited_sentences)]]));
}

function times(timings) {
  const known = Object.keys(TIMES).filter((key) => timings?.[key] > 0);
  if (!known.length) return section("Time", h("p", {}, "Too quick to measure."));
  const whole = Math.max(...known.map((key) => timings[key]), 1);
  return section("Time", h("dl", { class: "times" }, ...known.flatMap((key) =>
    [h("dt", {}, TIMES[key]), h("dd", {}, bar(timings[key] / whole), h("span", {}, seconds(timings[key])))])));
}

function rest(result) {
  const { usage = {} } = result;
  const lost = (result.degraded ?? []).map((part) => part.component ?? part);
  const link = result.evidence_id
    ? h("p", {}, h("a", { href: `v1/evidence/${encodeURIComponent(result.evidence_id)}`, target: "_blank", rel: "noopener" }, "The whole record as JSON")) : null;
  return section("More",
    pairs([
      ["Answered by", result.model_label], ["Rounds", String(result.iterations)], ["Lost parts", lost],
      ["Provider calls", String(usage.searches ?? 0)], ["Cost", usage.cost_usd ? `${usage.cost_usd.toFixed(4)} USD` : "none"],
      ["Tokens", usage.prompt_tokens ? `${usage.prompt_tokens} in, ${usage.completion_tokens} out` : ""],
    ]), link);
}
