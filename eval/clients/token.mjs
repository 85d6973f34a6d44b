// With the server's token in a header: ECHO_MCP_TOKEN=… node token.mjs URL
import assert from "node:assert/strict";
import { converse, report } from "./connections.mjs";

const url = new URL(process.argv[2]);
const carrying = (token) => ({ requestInit: { headers: { Authorization: `Bearer ${token}` } } });

await report("token", async (way) => {
  const client = way.client();
  await client.connect(way.transport(url, carrying(process.env.ECHO_MCP_TOKEN)));
  await converse(client, way, `Made with ${way.name} and a token`);
  await client.close();
  await assert.rejects(way.client().connect(way.transport(url, carrying("x".repeat(40)))));
});
