// Checks of Vercel's AI SDK with its providers for OpenAI (both APIs), Anthropic, Perplexity and servers like them.
import { z } from "zod";
import { ANSWER, base, holds, QUESTION } from "./checking.mjs";

export function checksOf({
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
}) {
  const openai = createOpenAI({ baseURL: `${base}/v1`, apiKey: "any" });
  const anthropic = createAnthropic({ baseURL: `${base}/v1`, apiKey: "any" });
  const like = createOpenAICompatible({
    name: "pellucid",
    baseURL: `${base}/v1`,
    apiKey: "any",
    supportsStructuredOutputs: true,
  });
  const perplexity = createPerplexity({ baseURL: `${base}/compat/perplexity`, apiKey: "any" });

  const MODELS = {
    default: (name) => openai(name),
    responses: (name) => openai.responses(name),
    chat: (name) => openai.chat(name),
    anthropic: (name) => anthropic(name),
    compatible: (name) => like(name),
  };
  const ALL = { ...MODELS, perplexity: (name) => perplexity(name) };

  const weather = tool({
    description: "Tell the weather.",
    inputSchema: z.object({ location: z.string() }),
    execute: async ({ location }) => `Rain in ${location}.`,
  });

  const checks = {};
  for (const [name, model] of Object.entries(ALL)) {
    checks[`${name} text`] = async () => {
      const { text } = await generateText({ model: model("m"), prompt: QUESTION });
      holds(text.includes(ANSWER), text);
    };
    checks[`${name} stream`] = async () => {
      const result = streamText({ model: model("m"), prompt: QUESTION, onError: () => {} });
      let text = "";
      for await (const piece of result.textStream) text += piece;
      holds(text.includes(ANSWER), text);
      holds((await result.finishReason) === "stop", "finished");
    };
    checks[`${name} errors`] = async () => {
      for (const [wrong, status] of [["unknown", 404], ["limited", 429]]) {
        try {
          await generateText({ model: model(wrong), prompt: QUESTION, maxRetries: 0 });
        } catch (error) {
          holds(APICallError.isInstance(error), error);
          holds(error.statusCode === status, error.statusCode);
          continue;
        }
        throw new Error("no error");
      }
    };
  }
  for (const [name, model] of Object.entries(MODELS)) {
    checks[`${name} a tool`] = async () => {
      const { text, steps } = await generateText({
        model: model("m"),
        prompt: "The weather in Paris?",
        tools: { weather },
        stopWhen: isStepCount(3),
      });
      holds(steps[0].toolCalls[0].input.location === "Paris", "called");
      holds(text.includes(ANSWER), text);
    };
    checks[`${name} JSON`] = async () => {
      const { output } = await generateText({
        model: model("m"),
        prompt: "Say it.",
        output: Output.object({ schema: z.object({ toll: z.string() }) }),
      });
      holds(output.toll === "4.50", output);
    };
  }
  checks["responses a second turn"] = async () => {
    const first = await generateText({ model: openai.responses("m"), prompt: QUESTION });
    const { text } = await generateText({
      model: openai.responses("m"),
      messages: [
        { role: "user", content: QUESTION },
        ...first.response.messages,
        { role: "user", content: "How many answers did you give?" },
      ],
    });
    holds(text.includes("1 so far"), text);
  };
  checks["responses the search tool"] = async () => {
    const { text, sources } = await generateText({
      model: openai.responses("m"),
      prompt: QUESTION,
      tools: { web_search: openai.tools.webSearch({}) },
    });
    holds(text.includes(ANSWER), text);
    holds(sources.length > 0, "sources");
  };
  checks["anthropic the search tool"] = async () => {
    const { text, sources } = await generateText({
      model: anthropic("m"),
      prompt: QUESTION,
      tools: { web_search: anthropic.tools.webSearch_20250305({ maxUses: 1 }) },
    });
    holds(text.includes(ANSWER), text);
    holds(sources.length > 0, "sources");
  };

  return checks;
}
