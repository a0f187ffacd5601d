// Answers as the server kept them, in the shape of the response that each was.

import { evidence } from "./api.js";

/** The response of a kept turn: whole where there is a record of it, else its text alone. */
export async function keptResult(id, message) {
  const about = message.metadata;
  const record = about.evidence_id ? await evidence(about.evidence_id).catch(() => null) : null;
  return record && about.content_kept ? responseOf(record) : bareResponse(id, message);
}

function responseOf(record) {
  const source = (each) => ({ ...each, relevance_score: each.relevance, score_breakdown: each.breakdown, published_at: each.published?.time });
  return {
    ...record,
    sources: record.sources.map(source),
    decision: { ...record.decision, queries: record.decision.queries.map(({ text }) => text) },
    usage: { ...record.usage, cost_usd: record.usage.cost_micro_usd / 1e6 },
  };
}

function bareResponse(id, { content, metadata }) {
  return {
    id, answer: content, answer_kind: metadata.answer_kind, model_label: metadata.model_label, kept: metadata.content_kept,
    sources: [], citations: [], notices: [],
  };
}
