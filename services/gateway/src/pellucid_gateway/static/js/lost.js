// What a turn had to do without.

const NAMES = {
  decision: "the decision service", search: "web search", scorer: "the relevance scorer", fetcher: "page reading", browser: "the browser",
  llm: "the language model", store: "the store", budget: "the search budget", deadline: "time", citations: "the citation check",
};
const WEB_LOST = new Set(["web_unavailable", "search_unavailable"]);

/** Whether a notice says that the web could not be searched. */
export const lacksWeb = (result) => result.notices.some(({ code }) => WEB_LOST.has(code));

/** Names of the lost parts, without those that a notice tells of already. */
export function lostParts(result) {
  const parts = (result.degraded ?? []).map((part) => part.component ?? part);
  const untold = lacksWeb(result) ? parts.filter((name) => name !== "search" && !name.startsWith("provider:")) : parts;
  return [...new Set(untold.map((name) => NAMES[name] ?? name.replace(/^provider:/, "provider ")))];
}
