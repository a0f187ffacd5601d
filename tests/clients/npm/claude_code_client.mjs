// Claude Code with the gateway as its API: a question, and its own web search, which asks us to search.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ANSWER, base, holds, QUESTION, run } from "./checking.mjs";

const CLAUDE = join(import.meta.dirname, "node_modules/.bin/claude");

function asked(...more) {
  const home = mkdtempSync(join(tmpdir(), "claude-check-"));
  try {
    const { status, stdout, stderr } = spawnSync(
      CLAUDE,
      ["-p", QUESTION, "--output-format", "stream-json", "--verbose", "--max-turns", "3", ...more],
      {
        cwd: home,
        encoding: "utf8",
        env: {
          ...process.env,
          ANTHROPIC_API_KEY: "any",
          ANTHROPIC_BASE_URL: base,
          ANTHROPIC_MODEL: "claude-opus-4-5",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          DISABLE_AUTOUPDATER: "1",
          HOME: home,
        },
        input: "",
        timeout: 120_000,
      },
    );
    holds(status === 0, stdout + stderr);
    return stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

await run({
  "a question": () => {
    const told = asked("--tools", "").find((event) => event.type === "result");
    holds(!told.is_error && told.result.includes(ANSWER), JSON.stringify(told));
  },
  "its web search": () => {
    const events = asked("--tools", "WebSearch", "--allowedTools", "WebSearch");
    const results = events.filter((event) => event.type === "user");
    holds(JSON.stringify(results).includes("post.example"), JSON.stringify(events));
    holds(events.at(-1).result.includes(ANSWER), JSON.stringify(events.at(-1)));
  },
});
