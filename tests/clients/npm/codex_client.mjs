// Codex with the gateway as its model provider: the scripted model calls a tool of Codex, then answers.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ANSWER, base, holds, QUESTION, run } from "./checking.mjs";

const CODEX = join(import.meta.dirname, "node_modules/@openai/codex/bin/codex.js");
const CONFIG = `model = "m"
model_provider = "pellucid"
[model_providers.pellucid]
name = "Pellucid"
base_url = "${base}/v1"
wire_api = "responses"
env_key = "PELLUCID_KEY"
request_max_retries = 0
stream_max_retries = 0
`;

await run({
  "a question, its search and a tool": () => {
    const home = mkdtempSync(join(homedir(), ".codex-check-")); // it refuses a home below /tmp
    try {
      const work = join(home, "work");
      mkdirSync(work);
      writeFileSync(join(home, "config.toml"), CONFIG);
      const asked = [CODEX, "exec", "--json", "--skip-git-repo-check", "--sandbox", "read-only", QUESTION];
      const { status, stdout, stderr } = spawnSync(process.execPath, asked, {
        cwd: work,
        encoding: "utf8",
        env: { ...process.env, CODEX_HOME: home, PELLUCID_KEY: "any" },
        input: "",
        timeout: 120_000,
      });
      holds(status === 0, stdout + stderr);
      const events = stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
      const items = events.filter((event) => event.type === "item.completed").map((event) => event.item);
      holds(items.some((item) => item.type === "web_search"), stdout);
      holds(items.some((item) => item.type === "agent_message" && item.text.includes(ANSWER)), stdout);
      holds(events.at(-1).type === "turn.completed", stdout);
    } finally {
      rmSync(home, { recursive: true });
    }
  },
});
