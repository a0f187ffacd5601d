// Talks to the gateway. Paths are relative, so the page works behind a path prefix too.

import { readEvents } from "./sse.js";
import { t } from "./words.js";

const KEY = "pellucid-key";

/** What the server said instead of an answer. */
export class Problem extends Error {
  constructor({ status = 0, code = "INTERNAL", detail = "", errors = [], retryAfter = 0, challenge = null }) {
    super(detail || t("wentWrong"));
    Object.assign(this, { status, code, errors, retryAfter, challenge });
  }
}

export const useKey = (key) => sessionStorage.setItem(KEY, key);

function headers(own) {
  const key = sessionStorage.getItem(KEY);
  const fields = { "Content-Type": "application/json", ...own };
  if (key) fields.Authorization = `Bearer ${key}`;
  return fields;
}

async function send(method, path, body, { signal, fields } = {}) {
  let response;
  try {
    response = await fetch(path, { method, headers: headers(fields), body: body && JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ code: "UNREACHABLE", detail: t("unreachable") });
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function problemOf(response) {
  const document = await response.json().catch(() => ({}));
  return new Problem({ ...document, status: response.status, retryAfter: Number(response.headers.get("Retry-After")) || 0 });
}

/** Asks one question and yields its events; `solved` is the answer of a challenge. Throws a Problem when it is refused or breaks off. */
export async function* ask(request, signal, solved) {
  const fields = solved ? { "X-Pellucid-Challenge": solved } : {};
  const response = await send("POST", "v1/chat", { ...request, stream: true }, { signal, fields });
  for await (const { event, data } of readEvents(response.body)) {
    yield { event, data };
    if (event === "done" || event === "error") return;
  }
  throw new Problem({ code: "INTERRUPTED", detail: t("interrupted") });
}

const json = async (method, path, body) => (await send(method, path, body)).json();
const conversationPath = (id) => `v1/conversations/${encodeURIComponent(id)}`;

export const version = () => json("GET", "v1/version");
export const rate = (id, rating) => send("POST", "v1/feedback", { id, rating });
export const evidence = (id) => json("GET", `v1/evidence/${encodeURIComponent(id)}`);
export const conversations = async () => (await json("GET", "v1/conversations")).conversations;
export const conversation = (id) => json("GET", conversationPath(id));
export const renameConversation = (id, title) => send("POST", conversationPath(id), { title });
export const deleteConversation = (id) => send("DELETE", conversationPath(id));
export const deleteEverything = () => send("DELETE", "v1/users/me/data");
export const deleteTurn = (id, turn) => send("DELETE", `${conversationPath(id)}/turns/${encodeURIComponent(turn)}`);

/** Names of the models that answer, without the gateway's own name for its choice. */
export const models = async () => (await json("GET", "v1/models")).data.map(({ id }) => id).filter((id) => id !== "pellucid");

export const preferences = async () => (await json("GET", "v1/source-preferences")).sources;
export const prefer = (domain, stance) => send("POST", "v1/source-preferences", { domain, stance });
export const withoutPreference = (domain) => send("DELETE", `v1/source-preferences/${encodeURIComponent(domain)}`);

/** The text that a model writes, without a search. */
export const complete = async (request) => (await json("POST", "v1/chat/completions", request)).choices[0].message.content;
