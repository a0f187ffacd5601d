// The scenarios of MCP's conformance suite that a server of read-only tools without sessions can pass.
// The others need the suite's own test tools, prompts, resources, completions or logging.
import { spawnSync } from "node:child_process";
import { base, holds, run } from "./checking.mjs";

const NODE = "node_modules/node/bin/node"; // the suite needs Node 22
const SCENARIOS = [
  "server-initialize",
  "ping",
  "tools-list",
  "tools-call-error",
  "dns-rebinding-protection",
];

const checks = {};
for (const scenario of SCENARIOS) {
  checks[scenario] = () => {
    const suite = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
    const asked = [suite, "server", "--url", `${base}/mcp`, "--scenario", scenario];
    const { status, stdout } = spawnSync(NODE, asked, { cwd: import.meta.dirname, encoding: "utf8" });
    holds(status === 0 && /Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/.test(stdout), stdout);
  };
}

await run(checks);
