// Vercel's AI SDK 6.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createPerplexity } from "@ai-sdk/perplexity";
import { APICallError, generateText, Output, stepCountIs as isStepCount, streamText, tool } from "ai";
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
