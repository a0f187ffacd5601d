// The evidence drawer: everything behind one answer.

import { withoutAddresses } from "./attachments.js";
import { bar, byId, h, isAttachment, percent, seconds } from "./dom.js";
import { t, tCode } from "./words.js";

const STAGES = ["decision", "search", "fetch", "score", "first_token", "generate", "total"];

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
  return section(t("decision"),
    h("p", { class: "verdict" }, tCode("action", made.action), h("span", {}, t("decidedBy", { stage: tCode("stage", made.stage), share: percent(made.confidence) }))),
    made.reason ? h("p", {}, made.reason) : null,
    signals(made.signals ?? []),
    pairs([
      [t("question"), withoutAddresses(made.standalone_question)], [t("queries"), made.queries.join(" | ")], [t("sourceType"), made.intent], [t("category"), made.category],
      [t("age"), made.freshness === "none" ? t("anyAge") : made.freshness], [t("mustContain"), made.target_info], [t("addresses"), made.urls.map((url) => (isAttachment(url) ? t("attachment") : url))],
      [t("notRead"), made.ignored_urls], [t("language"), made.language],
    ]));
}

function signals(list) {
  if (!list.length) return null;
  return h("ul", { class: "signals", "aria-label": t("signals") }, ...list.map(({ name, weight, evidence }) =>
    h("li", { class: weight < 0 ? "is-against" : "" },
      h("span", {}, name.replaceAll("_", " "), evidence ? h("q", {}, evidence) : null),
      bar(Math.abs(weight)), h("span", {}, (weight > 0 ? "+" : "") + weight.toFixed(2)))));
}

function left(outbound) {
  if (!outbound?.length) return section(t("whatLeft"), h("p", {}, t("nothingLeft")));
  return section(t("whatLeft"), h("p", {}, t("textsLeft", { n: outbound.length })),
    h("ul", { class: "left" }, ...outbound.map(({ to, kind, text }) =>
      h("li", {}, h("b", {}, to), ` · ${tCode("sent", kind)}`, text ? h("code", {}, text) : null))));
}

function providers(list) {
  if (!list?.length) return section(t("providers"), h("p", {}, t("noProvider")));
  const rows = list.map(({ name, status, latency_ms, results, error_code }) => h("tr", {},
    h("td", {}, name), h("td", { class: ["ok", "cached", "skipped"].includes(status) ? "" : "is-bad" }, [tCode("status", status), error_code].filter(Boolean).join(": ")),
    h("td", { class: "is-number" }, String(results)), h("td", { class: "is-number" }, seconds(latency_ms))));
  return section(t("providers"), table([t("name"), t("status"), t("results"), t("time")], rows));
}

function table(heads, rows) {
  const cells = heads.map((name, index) => h("th", { scope: "col", class: index > 1 ? "is-number" : "" }, name));
  return h("table", { class: "grid" }, h("thead", {}, h("tr", {}, ...cells)), h("tbody", {}, ...rows));
}

function citations({ citation_report: report, citations: list }) {
  if (!report?.checked && !report?.added) return section(t("citations"), h("p", {}, t("noClaims")));
  const counts = ["supported", "matched", "unchecked", "added", "kept", "rebound", "dropped", "uncited_sentences"];
  return section(t("citations"),
    h("p", {}, t("citationsChecked", { n: report.checked + report.added, shown: list.length })),
    pairs(counts.map((name) => [t(`report_${name}`), String(report[name])])));
}

function times(timings) {
  const known = STAGES.filter((key) => timings?.[key] > 0);
  if (!known.length) return section(t("time"), h("p", {}, t("tooQuick")));
  const whole = Math.max(...known.map((key) => timings[key]), 1);
  return section(t("time"), h("dl", { class: "times" }, ...known.flatMap((key) =>
    [h("dt", {}, t(`time_${key}`)), h("dd", {}, bar(timings[key] / whole), h("span", {}, seconds(timings[key])))])));
}

function rest(result) {
  const { usage = {} } = result;
  const lost = (result.degraded ?? []).map((part) => part.component ?? part);
  const link = result.evidence_id
    ? h("p", {}, h("a", { href: `v1/evidence/${encodeURIComponent(result.evidence_id)}`, target: "_blank", rel: "noopener" }, t("wholeRecord"))) : null;
  return section(t("more"),
    pairs([
      [t("answeredBy"), result.model_label], [t("rounds"), String(result.iterations)], [t("degraded"), lost],
      [t("providerCalls"), String(usage.searches ?? 0)], [t("cost"), usage.cost_usd ? `${usage.cost_usd.toFixed(4)} USD` : t("none")],
      [t("tokens"), usage.prompt_tokens ? t("tokensUsed", { sent: usage.prompt_tokens, got: usage.completion_tokens }) : ""],
    ]), link);
}
