// Vercel's AI SDK 7.
import { createAnthropic } from "ai-7-anthropic";
import { createOpenAI } from "ai-7-openai";
import { createOpenAICompatible } from "ai-7-openai-compatible";
import { createPerplexity } from "ai-7-perplexity";
import { APICallError, generateText, Output, isStepCount, streamText, tool } from "ai-7";
import { checksOf } from "./ai_sdk_checks.mjs";
import { run } from "./checking.mjs";

await run(
  checksOf({
    APICallError,
    createAnthropic,
    createOpenAI,
    createOpenAICompatible,
    createPerplexity,
    generateText,
    isStepCount,
    Output,
    streamText,
    tool,
  }),
);
