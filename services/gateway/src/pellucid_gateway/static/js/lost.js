// What a turn had to do without.

const NAMES = {
  decision: "the decision service", search: "web search", scorer: "the relevance scorer", fetcher: "page reading", browser: "the browser",
  llm: "the language model", store: "the store", budget: "the search budget", deadline: "time", citations: "the citation check",
};
const LOCAL_ONLY = "web_unavailable";
const WEB_LOST = new Set([LOCAL_ONLY, "search_unavailable", "search_busy", "search_quota_spent", "search_budget_spent", "search_not_configured"]);

/** Whether a notice says that the web could not be searched. */
const lacksWeb = (result) => result.notices.some(({ code }) => WEB_LOST.has(code));

/** Where a turn searched, in words. */
export function searchedWhere(result) {
  if (result.notices.some(({ code }) => code === LOCAL_ONLY)) return "Searched local documents";
  return lacksWeb(result) ? "Could not search the web" : "Searched the web";
}

/** Names of the lost parts, without those that a notice tells of already. */
export function lostParts(result) {
  const parts = (result.degraded ?? []).map((part) => part.component ?? part);
  const untold = lacksWeb(result) ? parts.filter((name) => name !== "search" && !name.startsWith("provider:")) : parts;
  return [...new Set(untold.map((name) => NAMES[name] ?? name.replace(/^provider:/, "provider ")))];
}
