/** A program whose files are removed while it runs, as an installation in place does. Its argument: the folder that holds them. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  createEngine,
  defineWorkflow,
  NonRetryableError,
  RetryableError,
} from "@escapement/engine";
import { sqlite } from "@escapement/engine/sqlite";
import { createNodePlatform } from "./index.ts";

const child = defineWorkflow({ name: "child" }, (_event, step) => step.do("echo", () => "child"));

const all = defineWorkflow({ name: "all" }, async (_event, step) => {
  const { there } = await step.join("both", {
    here: (branch) => branch.do("here", () => new Map([["a", 1]])),
    there: (branch) => branch.invoke(child),
  });
  await step.sleepUntil("until", new Date(0));
  const paid = await step.waitForEvent("paid", { type: "paid", timeout: "1 minute" });
  return [there, paid.payload];
});

const failing = defineWorkflow({ name: "failing" }, (_event, step) =>
  step.do("fail", { retries: { limit: 1, delay: 1 } }, ({ attempt }) => {
    throw attempt === 1 ? new RetryableError("again") : new NonRetryableError("for good");
  }),
);

const engine = createEngine({
  workflows: { child, all, failing },
  store: sqlite(":memory:"),
  platform: createNodePlatform({ pollMs: 60_000 }),
  http: { open: true },
});
const { url, stop } = await engine.platform.serve({ port: 0 });
const folder = process.argv[2] ?? "";
for (const file of readdirSync(folder)) if (file.endsWith(".mjs")) rmSync(join(folder, file));

const api = `${url}/api/workflows`;
const ask = async (path: string, body?: unknown, method = body === undefined ? "GET" : "POST") => {
  const headers = { "content-type": "application/json" };
  const init = { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(`${api}${path}`, init);
  return answer.ok ? "ok" : `${path}: ${answer.status} ${await answer.text()}`;
};
const one = "/workflows/all/instances/one";
const said = [
  await ask("/workflows/all/instances", { id: "one" }),
  await ask("/workflows/all/instances/batch", { instances: [{ id: "two" }, { id: "three" }] }),
  await ask(`${one}/events`, { type: "paid", payload: 7 }),
];
const { workflows } = engine;
const result = await (await workflows.all.get("one")).result();
const failure = await (
  await workflows.failing.create()
)
  .result()
  .catch((error: Error) => error.message);
for (const path of [
  "/workflows",
  "/activity",
  "/workflows/all/instances",
  one,
  `${one}/history`,
  `${one}/explain`,
])
  said.push(await ask(path));
const two = await workflows.all.get("two");
await two.pause();
await two.resume();
await two.restart();
await two.terminate();
said.push(await ask(one, undefined, "DELETE"));
await stop();
console.log(JSON.stringify({ said, result, failure }));
