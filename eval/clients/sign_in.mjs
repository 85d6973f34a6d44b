// With the sign-in (OAuth 2.1) as a hosted client does it, the person's part on the consent page done by this script:
// ECHO_MCP_TOKEN=… node sign_in.mjs URL
import assert from "node:assert/strict";
import { converse, report } from "./connections.mjs";

const url = new URL(process.argv[2]);
const CALLBACK = "http://127.0.0.1:33418/callback";

// What a client keeps of its sign-in; its person's browser is `approved`.
class Keeper {
  redirectUrl = CALLBACK;
  clientMetadata = {
    client_name: "echo-clients",
    redirect_uris: [CALLBACK],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  kept = {};
  state = () => "a-state-of-the-client";
  clientInformation = () => this.kept.client;
  saveClientInformation = (client) => void (this.kept.client = client);
  tokens = () => this.kept.tokens;
  saveTokens = (tokens) => void (this.kept.tokens = tokens);
  codeVerifier = () => this.kept.verifier;
  saveCodeVerifier = (verifier) => void (this.kept.verifier = verifier);
  discoveryState = () => this.kept.discovery;
  saveDiscoveryState = (found) => void (this.kept.discovery = found);
  redirectToAuthorization = (page) => void (this.page = page);
}

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'" };
const plain = (text) => text.replace(/&(#?\w+);/g, (whole, name) => ENTITIES[name] ?? whole);

function attributes(tag) {
  const pairs = [...tag.matchAll(/([\w-]+)(?:\s*=\s*"([^"]*)")?/g)];
  return Object.fromEntries(pairs.map(([, name, value]) => [name, plain(value ?? "")]));
}

// Fill in the consent page's form as a person does, and send it; where the browser is then sent.
async function approved(page, secret) {
  const shown = await fetch(page);
  assert.equal(shown.status, 200, `the consent page answers ${shown.status}`);
  const [, head, inside] = (await shown.text()).match(/<form([^>]*)>([\s\S]*?)<\/form>/);
  const fields = new URLSearchParams();
  for (const [, tag] of inside.matchAll(/<input([^>]*)>/g)) {
    const { name, type, value } = attributes(tag);
    if (name) fields.set(name, type === "password" ? secret : value);
  }
  const answer = [...inside.matchAll(/<button([^>]*)>/g)].map(([, tag]) => attributes(tag));
  const yes = answer.find(({ name, value }) => name && !/deny|cancel|refuse|no/.test(value));
  if (yes) fields.set(yes.name, yes.value);
  const cookies = shown.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
  const sent = await fetch(new URL(attributes(head).action || shown.url, shown.url), {
    method: "POST",
    body: fields,
    headers: { Cookie: cookies.join("; "), Origin: new URL(shown.url).origin },
    redirect: "manual",
  });
  return sent.headers.get("Location") ?? "";
}

await report("sign-in", async (way) => {
  const keeper = new Keeper();
  const connected = async () => {
    const client = way.client();
    await client.connect(way.transport(url, { authProvider: keeper }));
    return client;
  };
  await assert.rejects(connected(), "without a grant it connects");
  assert.ok(keeper.page, "it is not sent to sign in");
  const target = await approved(keeper.page, process.env.ECHO_MCP_TOKEN);
  assert.ok(target.startsWith(`${CALLBACK}?`), `approval leads to ${target || "no address"}`);
  const parameters = new URL(target).searchParams;
  assert.equal(parameters.get("state"), keeper.state());
  await way.finish(way.transport(url, { authProvider: keeper }), parameters);
  const client = await connected();
  await converse(client, way, `Made with ${way.name} and a sign-in`);
  await client.close();

  const { refresh_token: before } = keeper.kept.tokens;
  keeper.kept.tokens = { ...keeper.kept.tokens, access_token: "worn-out" };
  await (await connected()).close();
  assert.notEqual(keeper.kept.tokens.access_token, "worn-out", "it is not renewed");
  assert.notEqual(keeper.kept.tokens.refresh_token, before, "the refresh token does not rotate");
});
