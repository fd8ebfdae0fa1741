/** Health and readiness: open to everyone, and only one word. */
import { expect, it, vi } from "vitest";
import { createEngine, defineWorkflow, WorkflowError } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createFaultStore, type Fault } from "../testing/fault-store.ts";

const w = defineWorkflow({ name: "w" }, () => "done");

function openScene(fault: () => Fault = () => "none") {
  const time = createFakeTime();
  const store = createFaultStore(createMemoryStore({ now: time.now }), fault);
  const lines: string[] = [];
  const logger = { log: (_level: string, event: string): void => void lines.push(event) };
  const http = { now: time.now, logger };
  const engine = createEngine({ workflows: { W: w }, store, host: time.host, logger, http });
  const ask = async (path: string, method: string = "GET") => {
    const request = new Request(`https://host.example/api/workflows/${path}`, { method });
    const response = await engine.fetch(request);
    return { status: response.status, body: await response.text() };
  };
  return { time, store, lines, ask };
}

it("S8-018 health says that the process is up, without a secret and without the database; every other door stays closed", async () => {
  const { ask, store } = openScene(() => "before");
  expect(await ask("health")).toEqual({ status: 200, body: '{"status":"ok"}' });
  expect(await ask("health/")).toMatchObject({ status: 200 });
  expect(await ask("health", "HEAD")).toEqual({ status: 200, body: "" });
  expect(await ask("health", "POST")).toMatchObject({ status: 405 });
  expect(store.calls).toHaveLength(0);
  for (const path of ["workflows", "instances"])
    expect(await ask(path)).toMatchObject({ status: 401 });
  for (const path of ["healthy", "health/x", "x/ready", "READY"])
    expect(await ask(path)).toMatchObject({ status: 404 });
});

it("S8-018 ready asks the database once a second at most, whoever asks, and tells strangers no more than a word", async () => {
  let isDown = false;
  const { ask, store, time, lines } = openScene(() => (isDown ? "before" : "none"));
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask("ready")));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body}`))).toEqual(
    new Set(['200 {"status":"ready"}']),
  );
  expect(store.calls).toHaveLength(1);
  isDown = true;
  expect(await ask("ready")).toMatchObject({ status: 200 });
  await time.advance(1000);
  for (let count = 0; count < 10; count += 1)
    expect(await ask("ready")).toEqual({ status: 503, body: '{"status":"unready"}' });
  expect(store.calls).toHaveLength(2);
  expect(lines.filter((event) => event === "http.unready")).toHaveLength(1);
  isDown = false;
  await time.advance(1000);
  expect(await ask("ready")).toMatchObject({ status: 200 });
});

it("a database that does not answer makes it unready in 5 seconds, and is asked no second time until it may have lost the question", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    let fault: Fault = "hang";
    const { ask, store, time } = openScene(() => fault);
    const first = ask("ready");
    await vi.advanceTimersByTimeAsync(5000);
    expect(await first).toMatchObject({ status: 503 });
    await time.advance(10_000);
    expect(await ask("ready")).toMatchObject({ status: 503 });
    expect(store.calls).toHaveLength(1);
    fault = "none";
    await time.advance(20_000);
    expect(await ask("ready")).toMatchObject({ status: 200 });
  } finally {
    vi.useRealTimers();
  }
});

it("S8-018 a schema that does not fit is unready, as a database that is away", async () => {
  const time = createFakeTime();
  const memory = createMemoryStore({ now: time.now });
  const mismatch = new WorkflowError("SCHEMA_MISMATCH", "version 3, not 20", { found: 3 });
  const store = { ...memory, listInstances: () => Promise.reject(mismatch) };
  const logger = { log: (): void => {} };
  const engine = createEngine({ workflows: { W: w }, store, logger, http: { logger } });
  const response = await engine.fetch(new Request("https://host.example/api/workflows/ready"));
  expect([response.status, await response.text()]).toEqual([503, '{"status":"unready"}']);
});
