// The official TypeScript clients, each as a way to connect, and what is tried with every one of them.
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const NAME = { name: "echo-clients", version: "1.0.0" };
const NEWER = "2026-07-28";

// Clients before 2.x say which version they agreed on through their transport only.
const agreed = (client) =>
  client.getNegotiatedProtocolVersion?.() ?? client.transport.protocolVersion;

const newer = (name, era, mode) => ({
  name,
  era,
  client: () => new Client(NAME, { versionNegotiation: { mode } }),
  transport: (url, options) => new StreamableHTTPClientTransport(url, options),
  finish: (transport, parameters) => transport.finishAuth(parameters),
});

export const WAYS = [
  {
    name: "sdk 1.32",
    era: "2025-11-25",
    client: () => new OlderClient(NAME),
    transport: (url, options) => new OlderTransport(url, options),
    finish: (transport, parameters) => transport.finishAuth(parameters.get("code")),
  },
  newer("client 2.4, legacy", "2025-11-25", "legacy"),
  newer("client 2.4, auto", NEWER, "auto"),
  newer("client 2.4, pinned", NEWER, { pin: NEWER }),
];

// What a conversation does: list, write, find again, and a mistake that is told as a result.
export async function converse(client, way, title) {
  assert.equal(agreed(client), way.era);
  assert.equal(client.getServerVersion().name, "echo-mcp");
  assert.match(client.getInstructions(), /echo_load/);
  const { tools } = await client.listTools();
  assert.ok(tools.length >= 14 && tools.every((tool) => tool.outputSchema));
  const call = (name, given) => client.callTool({ name, arguments: given });
  const made = await call("echo_capture", { title, kind: "concept", body: "Brass gears." });
  assert.match(made.structuredContent.action, /^(created|unchanged)$/);
  const found = await call("echo_recall", { query: title });
  assert.equal(found.structuredContent.primary[0].path, made.structuredContent.path);
  assert.ok(found.content[0].text.includes(made.structuredContent.path));
  const missing = await call("echo_get_note", { path: "nothing" });
  assert.equal(missing.isError, true);
  assert.match(missing.content[0].text, /^not-found/);
  const refused = await call("echo_recall", { query: "gears", limit: "many" });
  assert.match(refused.content[0].text, /^bad-request \(limit\)/);
}

// One line for each way: what it is, and what went wrong, if anything did.
export async function report(kind, trial) {
  for (const way of WAYS) {
    let fault = "";
    try {
      await trial(way);
    } catch (error) {
      fault = String(error?.message ?? error).replace(/\s+/g, " ").slice(0, 300);
      process.exitCode = 1;
    }
    console.log(JSON.stringify({ client: `${way.name}, ${kind}`, era: way.era, fault }));
  }
}
