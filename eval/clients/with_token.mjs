// Preloaded (node --import) into a suite that has no option for headers: every request that it makes, by fetch, by undici
// or by node:http, carries the token of the environment.
import http from "node:http";
import { Agent, setGlobalDispatcher } from "undici";

const value = `Bearer ${process.env.ECHO_MCP_TOKEN}`;

function withToken(headers) {
  if (Array.isArray(headers)) return [...headers, "authorization", value];
  return { ...headers, authorization: value };
}

// What fetch and undici send goes through the global dispatcher.
const adding = (dispatch) => (options, handler) =>
  dispatch({ ...options, headers: withToken(options.headers) }, handler);
setGlobalDispatcher(new Agent().compose(adding));

const { request } = http;
http.request = (...words) => {
  const made = request(...words);
  made.setHeader("Authorization", value);
  return made;
};
