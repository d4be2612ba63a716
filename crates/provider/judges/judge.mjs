// The official clients for Node hold the conversation of judge.py with the scripted provider: they parse streams with code
// of their own, so what one of the two overlooks the other may refuse.
//
//     node judge.mjs PROVIDER_BINARY
//
// Each client starts the provider anew, because a failing line is played only once.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import Anthropic from "@anthropic-ai/sdk";
import { Ollama } from "ollama";
import OpenAI from "openai";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const KEY = "sk-judge";
const ASKED = { role: "user", content: "Sieh nach." };
const THOUGHT = "Zwei Befehle, würde ich sagen 🦀.";
const SAID = "Ich sehe nach: 中文 ✓ ";
const CALLS = [["shell", { command: 'ls "é"' }], ["shell", {}]];
const PARAMETERS = { type: "object", properties: { command: { type: "string" } } };
const FUNCTION = { type: "function", function: { name: "shell", description: "", parameters: PARAMETERS } };

/** An action must end with an error of this class, which `look` judges. */
async function raises(kind, action, look = () => {}) {
  const error = await action().then(() => assert.fail(`no ${kind.name} was raised`), (error) => error);
  assert.ok(error instanceof kind, `${error} instead of ${kind.name}`);
  look(error);
}

const mentions = (word) => (error) => assert.ok(error.message.includes(word), error.message);
const waitsFor7 = (error) => assert.equal(error.headers.get("retry-after"), "7");

async function chat(address) {
  const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: KEY, maxRetries: 0 });
  const models = [];
  for await (const model of client.models.list()) models.push(model.id);
  assert.deepEqual(models, ["scripted"]);
  const messages = [ASKED];

  async function turn() {
    const seen = { text: "", thought: "", calls: [], usage: undefined, finish: undefined };
    const asked = { model: "scripted", messages, tools: [FUNCTION], stream: true, stream_options: { include_usage: true } };
    for await (const chunk of await client.chat.completions.create(asked)) {
      seen.usage = chunk.usage ?? seen.usage;
      for (const { delta, finish_reason } of chunk.choices) {
        seen.finish = finish_reason ?? seen.finish;
        seen.text += delta.content ?? "";
        seen.thought += delta.reasoning_content ?? "";
        for (const piece of delta.tool_calls ?? []) {
          const call = (seen.calls[piece.index] ??= { id: "", name: "", arguments: "" });
          call.id += piece.id ?? "";
          call.name += piece.function?.name ?? "";
          call.arguments += piece.function?.arguments ?? "";
        }
      }
    }
    return seen;
  }

  function record({ text, calls }, thought) {
    const sent = calls.map(({ id, name, arguments: args }) => ({ id, type: "function", function: { name, arguments: args } }));
    messages.push({ role: "assistant", content: text, tool_calls: sent, reasoning_content: thought });
    messages.push(...calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "done" })));
  }

  const first = await turn();
  assert.deepEqual([first.text, first.thought, first.finish], [SAID, THOUGHT, "tool_calls"]);
  assert.deepEqual(first.calls.map((call) => [call.name, JSON.parse(call.arguments)]), CALLS);
  const { usage } = first;
  assert.deepEqual([usage.prompt_tokens, usage.completion_tokens], [130, 50]);
  assert.deepEqual([usage.prompt_tokens_details.cached_tokens, usage.completion_tokens_details.reasoning_tokens], [30, 10]);
  record(first, "");
  await raises(OpenAI.BadRequestError, turn, mentions("reasoning_content"));
  messages[1].reasoning_content = first.thought;
  const second = await turn();
  record(second, second.thought);
  await raises(OpenAI.RateLimitError, turn, waitsFor7);
  await raises(OpenAI.APIError, turn);
  const last = await turn();
  assert.deepEqual([last.text, last.calls, last.finish], ["Fertig.", [], "stop"]);
  const wrong = new OpenAI({ baseURL: `${address}/v1`, apiKey: "wrong", maxRetries: 0 });
  await raises(OpenAI.AuthenticationError, () => wrong.chat.completions.create({ model: "scripted", messages, stream: true }));
}

async function responses(address) {
  const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: KEY, maxRetries: 0 });
  const tools = [{ type: "function", name: "shell", parameters: PARAMETERS, strict: false }];
  const input = [ASKED];

  async function turn() {
    let text = "";
    const asked = { model: "scripted", input, tools, store: false, include: ["reasoning.encrypted_content"] };
    const stream = client.responses.stream(asked);
    for await (const event of stream) {
      if (event.type === "response.output_text.delta") text += event.delta;
    }
    const response = await stream.finalResponse();
    const parts = response.output.flatMap((item) => (item.type === "message" ? item.content : []));
    assert.equal(parts.map((part) => part.text).join(""), text);
    return { ...response, text };
  }

  function record({ output }) {
    input.push(...output.map(({ parsed_arguments, ...item }) => item));
    const calls = output.filter(({ type }) => type === "function_call");
    input.push(...calls.map(({ call_id }) => ({ type: "function_call_output", call_id, output: "done" })));
  }

  const first = await turn();
  assert.deepEqual(first.output.map(({ type }) => type), ["reasoning", "message", "function_call", "function_call"]);
  assert.deepEqual([first.output[0].summary[0].text, first.text], [THOUGHT, SAID]);
  assert.deepEqual(first.output.slice(2).map((item) => [item.name, JSON.parse(item.arguments)]), CALLS);
  assert.deepEqual([first.usage.input_tokens, first.usage.input_tokens_details.cached_tokens], [130, 30]);
  assert.deepEqual([first.usage.output_tokens, first.usage.output_tokens_details.reasoning_tokens], [50, 10]);
  record(first);
  const [kept] = input.splice(1, 1);
  await raises(OpenAI.BadRequestError, turn, mentions("reasoning"));
  input.splice(1, 0, kept);
  record(await turn());
  await raises(OpenAI.RateLimitError, turn, waitsFor7);
  // Its streams are rejected with the event itself.
  await raises(Object, turn, mentions("Overloaded"));
  assert.equal((await turn()).text, "Fertig.");
}

async function messages(address) {
  const client = new Anthropic({ baseURL: address, apiKey: KEY, maxRetries: 0 });
  const tools = [{ name: "shell", input_schema: PARAMETERS }];
  const said = [ASKED];

  async function turn() {
    let text = "";
    const stream = client.messages.stream({ model: "scripted", max_tokens: 4096, messages: said, tools });
    stream.on("text", (piece) => (text += piece));
    const message = await stream.finalMessage();
    assert.equal(message.content.map((block) => block.text ?? "").join(""), text);
    return message;
  }

  function record({ content }) {
    said.push({ role: "assistant", content });
    const calls = content.filter(({ type }) => type === "tool_use");
    said.push({ role: "user", content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "done" })) });
  }

  const first = await turn();
  assert.deepEqual(first.content.map(({ type }) => type), ["thinking", "text", "tool_use", "tool_use"]);
  assert.deepEqual([first.content[0].thinking, first.content[0].signature], [THOUGHT, "signature-0"]);
  assert.equal(first.content[1].text, SAID);
  assert.deepEqual(first.content.slice(2).map((block) => [block.name, block.input]), CALLS);
  assert.equal(first.stop_reason, "tool_use");
  assert.deepEqual([first.usage.input_tokens, first.usage.cache_read_input_tokens, first.usage.output_tokens], [100, 30, 50]);
  record(first);
  const thinking = said[1].content.shift();
  await raises(Anthropic.BadRequestError, turn, mentions("thinking"));
  said[1].content.unshift(thinking);
  const results = said[2].content;
  said[2].content = results.slice(0, 1);
  await raises(Anthropic.BadRequestError, turn);
  said[2].content = results;
  record(await turn());
  await raises(Anthropic.RateLimitError, turn, waitsFor7);
  await raises(Anthropic.APIError, turn);
  const last = await turn();
  assert.deepEqual([last.content[0].text, last.stop_reason], ["Fertig.", "end_turn"]);
  const wrong = new Anthropic({ baseURL: address, apiKey: "wrong", maxRetries: 0 });
  await raises(Anthropic.AuthenticationError, () => wrong.messages.create({ model: "scripted", max_tokens: 9, messages: said, stream: true }));
}

async function local(address) {
  const client = new Ollama({ host: address });
  assert.deepEqual((await client.list()).models.map(({ model }) => model), ["scripted"]);
  const said = [ASKED];

  async function turn() {
    const seen = { text: "", thought: "", calls: [], last: undefined };
    for await (const part of await client.chat({ model: "scripted", messages: said, tools: [FUNCTION], think: true, stream: true })) {
      seen.text += part.message.content ?? "";
      seen.thought += part.message.thinking ?? "";
      seen.calls.push(...(part.message.tool_calls ?? []));
      seen.last = part;
    }
    assert.ok(seen.last?.done, "the last line says that it is the last");
    return seen;
  }

  function record({ text, thought, calls }) {
    said.push({ role: "assistant", content: text, thinking: thought, tool_calls: calls });
    said.push(...calls.map((call) => ({ role: "tool", tool_name: call.function.name, content: "done" })));
  }

  const first = await turn();
  assert.deepEqual([first.text, first.thought], [SAID, THOUGHT]);
  assert.deepEqual(first.calls.map((call) => [call.function.name, call.function.arguments]), CALLS);
  assert.deepEqual([first.last.prompt_eval_count, first.last.eval_count], [130, 50]);
  record(first);
  record(await turn());
  await raises(Error, turn, (error) => assert.equal(error.status_code, 429));
  await raises(Error, turn, mentions("Overloaded"));
  assert.equal((await turn()).text, "Fertig.");
}

/** Starts the provider for one conversation. */
async function judged(binary, key, talk) {
  const provider = spawn(binary, [here("script.jsonl"), "0", ...(key ? [key] : [])], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(provider, "close");
  try {
    const [address] = await Promise.race([once(createInterface(provider.stdout), "line"), ended.then(() => assert.fail("no provider"))]);
    await talk(address);
  } finally {
    provider.kill("SIGKILL");
    await ended;
  }
}

const JUDGES = [
  ["openai", "chat completions", chat, KEY],
  ["openai", "responses", responses, KEY],
  ["@anthropic-ai/sdk", "messages", messages, KEY],
  ["ollama", "chat", local, undefined],
];

const locked = JSON.parse(readFileSync(here("package-lock.json"), "utf8")).packages;
for (const [judge, protocol, talk, key] of JUDGES) {
  await judged(process.argv[2], key, talk);
  console.log(`judge ${judge} ${locked[`node_modules/${judge}`].version} on Node: ${protocol} as it should be`);
}
