// The real binary does a small job with a provider that others wrote (`@copilotkit/aimock`), through every protocol, with
// its faults off and on. Our own scripted provider fails as we think that providers fail; this one as somebody else thinks.
//
//     node aimock.mjs THRU_BINARY [RUNS]
//
// However a run ends, it must have ended as documented, with nothing lost and nothing doubled: every call of a model and of
// a tool has one end in the log, every command left its line once, every request that arrived is an event, and the log is
// whole. A run that failed is gone on with when the faults are off. Prints a line a case and a total; 1 on any violation.
//
// Each protocol has a thread and a provider of its own, so that the seeded dice of one do not depend on another's pace.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { LLMock } from "@copilotkit/aimock";

/** Each protocol with what follows the address of the provider. */
const PROTOCOLS = { "openai-chat": "/v1", "openai-responses": "/v1", anthropic: "", ollama: "" };
/** Chances that a request fails so. They are drawn one after the other, so about every second request is answered. */
const CHAOS = { dropRate: 0.08, malformedRate: 0.1, rateLimitRate: 0.2, disconnectRate: 0.2 };
const RUNS = 20;
/** Milliseconds after which a command hangs. */
const THRU_MS_MAX = 300_000;
const ANSWER = "The note says hello, and both lines are written down where they belong.";
const COMMANDS = ["echo one >> effect", "echo two >> effect"];
/** Classes of a failure that a run may end with here: nothing is wrong with a key, a request or its length. */
const CLASSES = ["transient", "rate_limited", "overloaded"];

/** Draws the same numbers in every run (mulberry32). */
function dice(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Reads a file, runs two commands beside each other, answers: told by how many results a request has. */
function play(provider) {
  const results = (count) => ({ predicate: ({ messages }) => messages.filter(({ role }) => role === "tool").length === count });
  const read = { name: "read_file", arguments: { path: "note.txt" } };
  const shells = COMMANDS.map((command) => ({ name: "shell", arguments: { command } }));
  provider.on(results(0), { content: "I read it.", reasoning: "The note comes first.", toolCalls: [read] });
  provider.on(results(1), { content: "I write.", reasoning: "Two lines.", toolCalls: shells });
  provider.on(results(3), { content: ANSWER });
}

/** A data folder and a working folder, and the binary in between. */
class Desk {
  constructor(binary, address, protocol) {
    this.binary = binary;
    this.root = mkdtempSync(join(tmpdir(), "thru-peer-"));
    this.work = join(this.root, "work");
    mkdirSync(this.work);
    writeFileSync(join(this.work, "note.txt"), "hello\n");
    mkdirSync(join(this.root, "config/throughline"), { recursive: true });
    const model = `[models.peer]\nprotocol = "${protocol}"\nbase_url = "${address}"\nmodel = "peer"\n`;
    writeFileSync(join(this.root, "config/throughline/config.toml"), `${model}[defaults]\nmodel = "peer"\n`);
  }

  thru(...words) {
    const env = { PATH: process.env.PATH, THRU_HOME: join(this.root, "home"), XDG_CONFIG_HOME: join(this.root, "config") };
    return new Promise((done) => {
      const limits = { maxBuffer: 1 << 26, timeout: THRU_MS_MAX, killSignal: "SIGKILL" };
      const child = execFile(this.binary, words, { env, cwd: this.root, ...limits }, (_, stdout, stderr) =>
        done({ code: child.exitCode, stdout, stderr }),
      );
      child.stdin.end();
    });
  }

  async events() {
    const [{ session }] = (await this.thru("status", "--json")).stdout.trim().split("\n").map(JSON.parse);
    const { code, stdout } = await this.thru("events", session, "--json");
    assert.equal(code, 0, "the events can be read");
    return { session, events: stdout.trim().split("\n").map(JSON.parse) };
  }

  lines() {
    const file = join(this.work, "effect");
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").sort() : [];
  }

  clear() {
    rmSync(this.root, { recursive: true });
  }
}

/** What must hold of a log however its last run ended; `seen` is how many requests arrived at the provider. */
function judge(events, code, lines, seen) {
  const of = (type) => events.filter((event) => event.type === type).map(({ data }) => data);
  events.forEach(({ version }, index) => assert.equal(version, index + 1, "versions have no gap"));
  const failed = of("model.failed");
  assert.equal(of("model.requested").length, of("model.completed").length + failed.length, "every call of the model has one end");
  const unasked = failed.filter(({ message }) => JSON.stringify(message).includes("failed too often")).length;
  assert.equal(seen, of("model.requested").length - unasked, "every request that arrived is an event, and every event a request");
  const actions = of("tool.started").map(({ action }) => action);
  assert.equal(new Set(actions).size, actions.length, "no call of a tool was tried twice");
  assert.deepEqual(of("tool.finished").map(({ action }) => action).sort(), [...actions].sort(), "every call of a tool has one end");
  const { outcome, reason } = of("run.finished").at(-1);
  if (code === 0) {
    assert.deepEqual([outcome, actions.length, lines], ["completed", 3, ["one", "two"]], "a run that is done has done all of it, once");
    return "done";
  }
  assert.deepEqual([code, outcome, reason], [1, "failed", "model_failed"], "a run that is not done says why");
  const last = failed.at(-1).class;
  assert.ok(CLASSES.includes(last), `${last} is a class of this failure`);
  assert.deepEqual(lines, actions.length === 3 ? ["one", "two"] : [], "what is in the log is what happened");
  return last;
}

/** One job from its beginning to its end, gone on with if it failed. */
async function job(binary, provider, protocol, { chaos, cut }) {
  const desk = new Desk(binary, provider.url + PROTOCOLS[protocol], protocol);
  provider.reset();
  play(provider);
  if (cut) provider.prependFixture({ match: { predicate: cut() }, response: { content: ANSWER }, truncateAfterChunks: 2 });
  if (chaos) provider.setChaos(chaos);
  else provider.clearChaos();
  const judged = async (said) => judge((await desk.events()).events, said.code, desk.lines(), provider.getRequests().length);
  const first = await desk.thru("run", "-C", desk.work, "--mode", "full", "Do what the note says");
  try {
    let end = await judged(first);
    if (end !== "done") {
      provider.clearChaos();
      const again = await desk.thru("run", "--session", (await desk.events()).session, "Go on");
      assert.equal(await judged(again), "done", "without faults it goes on and ends well");
      end += ", then done";
    }
    const failures = provider.getRequests().filter(({ response }) => response.chaosAction || response.interrupted).length;
    assert.equal((await desk.thru("verify")).code, 0, "the log is whole");
    return { end, failures };
  } catch (error) {
    error.message += `\n${first.stderr}`;
    throw error;
  } finally {
    desk.clear();
  }
}

/** True for the first request with this many results, and never again. */
function once(results) {
  let played = false;
  return ({ messages }) => {
    if (played || messages.filter(({ role }) => role === "tool").length !== results) return false;
    return (played = true);
  };
}

/** All cases of one protocol, each reported to whoever started the thread. */
async function cases({ binary, protocol, runs }) {
  Math.random = dice(Object.keys(PROTOCOLS).indexOf(protocol) + 1);
  const provider = new LLMock({ port: 0, logLevel: "silent", chunkSize: 5 });
  await provider.start();
  const wanted = [["no faults", {}], ["an answer that is cut off", { cut: () => once(3) }]];
  for (let run = 1; run <= runs; run++) wanted.push([`chaos ${run}`, { chaos: CHAOS }]);
  for (const [name, how] of wanted) {
    const report = await job(binary, provider, protocol, how).catch((error) => ({ violation: error.message }));
    parentPort.postMessage({ protocol, name, ...report });
  }
  await provider.stop();
}

async function main(binary, runs) {
  const total = { cases: 0, failures: 0, failed: 0, violations: 0 };
  const protocol = (name) =>
    new Promise((done, fail) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: { binary, protocol: name, runs } });
      worker.on("error", fail).on("exit", done);
      worker.on("message", ({ name: title, end, failures, violation }) => {
        total.cases += 1;
        total.failures += failures ?? 0;
        total.failed += end?.includes("then") ? 1 : 0;
        total.violations += violation ? 1 : 0;
        console.log(`peer ${name}, ${title}: ${violation ? `VIOLATION ${violation}` : `${end}, faults ${failures}`}`);
      });
    });
  await Promise.all(Object.keys(PROTOCOLS).map(protocol));
  const { cases, failures, failed, violations } = total;
  console.log(`peers: cases ${cases} faults ${failures} failed and gone on with ${failed} violations ${violations}`);
  process.exitCode = violations === 0 && failures > 0 ? 0 : 1;
}

if (isMainThread) await main(process.argv[2], Number(process.argv[3] ?? RUNS));
else await cases(workerData);
