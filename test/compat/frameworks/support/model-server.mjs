// The scripted model: one local HTTP server that speaks OpenAI chat completions, OpenAI responses and Anthropic
// messages, each whole or streamed. What it says is decided from the conversation alone, so it has no state that two
// runs could share (but for items of the Responses API that a client later refers to by id). The scenario is the first
// part of the path: http://127.0.0.1:PORT/S1/v1 is the base URL of a model that plays S1.
import { createServer } from "node:http";
import { answerChat, readChat } from "./protocols/chat-completions.mjs";
import { newId } from "./protocols/events.mjs";
import { answerMessages, readMessages } from "./protocols/messages.mjs";
import { answerResponses, readResponses } from "./protocols/responses.mjs";
import { agentOf, SCENARIOS } from "./scenarios.mjs";

/** @returns {Promise<{ url: string, close: () => Promise<void> }>} */
export async function startModelServer() {
  const items = new Map();
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (part) => {
      text += part;
    });
    request.on("end", () => {
      try {
        route(request.url, text, response, items);
      } catch (error) {
        response.writeHead(500, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message: String(error?.stack ?? error), type: "scripted_model" } }));
      }
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}

function route(url, text, response, items) {
  const [, scenario, ...rest] = new URL(url, "http://localhost").pathname.split("/");
  const path = rest.join("/").replace(/^v1\//, "");
  const script = SCENARIOS[scenario];
  const protocol = {
    "chat/completions": [readChat, answerChat],
    responses: [readResponses, answerResponses],
    messages: [readMessages, answerMessages],
  }[path];
  if (script === undefined || protocol === undefined) {
    response.writeHead(404, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `the scripted model does not know ${url}`, type: "not_found" } }));
    return;
  }
  const [read, answer] = protocol;
  const body = JSON.parse(text);
  const conversation = read(body, items);
  answer(response, body, turnOf(script, conversation), items);
}

/**
 * What the model says next.
 *
 * @param {{ instructions: string, question: string, calls: string[], tools: { name: string, schema?: object }[], text: string }} conversation
 * @returns {{ text: string } | { calls: { id: string, name: string, args: object }[] }}
 */
function turnOf(script, conversation) {
  const name = agentOf(conversation.instructions);
  const agent = script.agents[name];
  if (agent === undefined) throw new Error(`no agent is told to act: ${conversation.instructions.slice(0, 200)}`);
  const own = [...agent.tools, ...(agent.delegates ?? [])];
  const said = conversation.calls.filter((called) => own.some((tool) => called === tool || called.endsWith(tool)));
  const entry = agent.says({ said: said.length, question: conversation.question, text: conversation.text });
  if (typeof entry === "string") return { text: entry };
  return { calls: entry.map((call) => ({ id: newId("call"), ...offered(call, conversation.tools) })) };
}

/** The tool call as the framework offers it: a delegation's tool has a name and arguments of the framework's making. */
function offered(call, tools) {
  if (!call.delegation) return { name: call.name, args: call.args };
  const found = tools.find((tool) => tool.name.endsWith(call.name));
  if (found === undefined) throw new Error(`no tool for ${call.name} among ${tools.map(({ name }) => name)}`);
  const { properties = {}, required = [] } = found.schema ?? {};
  const args = {};
  for (const field of required) if (properties[field]?.type === "string") args[field] = call.task;
  return { name: found.name, args };
}
