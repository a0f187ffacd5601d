// Talks to the gateway. Paths are relative, so the page works behind a path prefix too.

import { readEvents } from "./sse.js";

const KEY = "pellucid-key";

/** What the server said instead of an answer. */
export class Problem extends Error {
  constructor({ status = 0, code = "INTERNAL", detail = "", errors = [], retryAfter = 0 }) {
    super(detail || "Something went wrong.");
    Object.assign(this, { status, code, errors, retryAfter });
  }
}

export const useKey = (key) => sessionStorage.setItem(KEY, key);

function headers() {
  const key = sessionStorage.getItem(KEY);
  const fields = { "Content-Type": "application/json" };
  if (key) fields.Authorization = `Bearer ${key}`;
  return fields;
}

async function send(path, body, signal) {
  let response;
  try {
    response = await fetch(path, { method: "POST", headers: headers(), body: JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ code: "UNREACHABLE", detail: "The server cannot be reached. Check that it is running, then try again." });
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function problemOf(response) {
  const document = await response.json().catch(() => ({}));
  return new Problem({ ...document, status: response.status, retryAfter: Number(response.headers.get("Retry-After")) || 0 });
}

/** Asks one question and yields its events; throws a Problem when it is refused or breaks off. */
export async function* ask(request, signal) {
  const response = await send("v1/chat", { ...request, stream: true }, signal);
  for await (const { event, data } of readEvents(response.body)) {
    yield { event, data };
    if (event === "done" || event === "error") return;
  }
  throw new Problem({ code: "INTERRUPTED", detail: "The connection broke off before the answer was complete." });
}

export async function version() {
  const response = await fetch("v1/version", { headers: headers() }).catch(() => null);
  return response?.ok ? response.json() : { features: [] };
}

export const rate = (id, rating) => send("v1/feedback", { id, rating });
