import { IDLE_TICK } from "@escapement/engine/adapter";
import { createEngine, defineWorkflow, type Logger } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { expect, test, vi } from "vitest";
import type { DenoRuntime } from "./deno-runtime.ts";
import { createDenoPlatform, handler } from "./index.ts";
import type { DenoPlatformOptions } from "./platform.ts";

const QUIET = { log: () => undefined };
const SECRET = "bearer-secret-of-more-than-24-bytes";
const TICK = "http://127.0.0.1/api/workflows/_runner/tick";
const HELLO = defineWorkflow({ name: "hello" }, async (_event, step) => step.do("say", () => "hi"));

interface FakeDeno extends DenoRuntime {
  readonly crons: Parameters<NonNullable<DenoRuntime["cron"]>>[];
  readonly listeners: Map<string, () => void>;
  readonly exit: ReturnType<typeof vi.fn<(code: number) => void>>;
}

function createDeno(timeline?: string): FakeDeno {
  const crons: FakeDeno["crons"] = [];
  const listeners = new Map<string, () => void>();
  return {
    crons,
    listeners,
    cron: (...cron) => crons.push(cron),
    env: { get: (name) => (name === "DENO_TIMELINE" ? timeline : undefined) },
    addSignalListener: (signal, listener) => void listeners.set(signal, listener),
    removeSignalListener: (signal) => void listeners.delete(signal),
    exit: vi.fn<(code: number) => void>(),
  };
}

function open(deno: DenoRuntime, options: DenoPlatformOptions = {}) {
  const platform = createDenoPlatform({ deno, ...options });
  const engine = createEngine({
    workflows: { HELLO },
    store: createMemoryStore(),
    platform,
    logger: QUIET,
    http: { open: true },
  });
  const tick = { bearerSecret: SECRET };
  return { platform, engine, fetch: handler(engine, { platform, tick, logger: QUIET }) };
}

const tickRequest = (authorization: string): Request =>
  new Request(TICK, { method: "POST", headers: { authorization } });

test("a tick is answered before its work is done, and the answer ends with what the work came to", async () => {
  const { engine, fetch } = open(createDeno());
  let finish = (): void => {};
  const output = { ...IDLE_TICK, processed: 1, steps: 1 };
  vi.spyOn(engine, "tick").mockReturnValue(
    new Promise((resolve) => {
      finish = () => resolve(output);
    }),
  );
  const response = await fetch(tickRequest(`Bearer ${SECRET}`));
  expect([response.status, response.headers.get("cache-control")]).toEqual([202, "no-store"]);
  const text = response.text();
  finish();
  expect(await text).toBe(`\n${JSON.stringify(output)}`);
});

test("a tick that fails after its answer has begun ends it with the coded error", async () => {
  const log = vi.fn<Logger["log"]>();
  const { engine, fetch } = open(createDeno(), { logger: { log } });
  vi.spyOn(engine, "tick").mockRejectedValue(new TypeError("the database is away"));
  const response = await fetch(tickRequest(`Bearer ${SECRET}`));
  expect(await response.json()).toMatchObject({ code: "INVARIANT_BROKEN" });
  expect(log).toHaveBeenCalledWith("error", "tick.failed", expect.anything());
});

test("the work goes on when the caller leaves", async () => {
  const { engine, fetch } = open(createDeno(), {
    selfCall: { url: "http://127.0.0.1:1/", signingKeys: [SECRET], ackTimeoutMs: 1000 },
    logger: QUIET,
  });
  await engine.workflows.HELLO.create({ id: "h" });
  const response = await fetch(tickRequest(`Bearer ${SECRET}`));
  await response.body?.cancel();
  await expect
    .poll(() => engine.getInstance("hello", "h"))
    .toMatchObject({ details: { status: "complete" } });
});

test("S0-153 a refused tick keeps its own status, and every other route is the engine's", async () => {
  const { fetch } = open(createDeno());
  expect((await fetch(tickRequest("Bearer undefined"))).status).toBe(401);
  const list = await fetch(new Request("http://127.0.0.1/api/workflows/workflows"));
  expect(await list.json()).toEqual({ workflows: [{ name: "hello" }] });
});

test("S0-153 without a secret the tick route is closed, and a bad secret is refused at the start", async () => {
  const { engine, platform } = open(createDeno());
  const closed = await handler(engine, { platform })(tickRequest("Bearer undefined"));
  expect([closed.status, await closed.json()]).toMatchObject([404, { code: "TICK_DISABLED" }]);
  const options = { platform, tick: { bearerSecret: "short" } };
  expect(() => handler(engine, options)).toThrow(
    expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }),
  );
});

test.each([
  ["git-branch/feature", undefined, true],
  ["preview/abc", undefined, true],
  ["production", undefined, false],
  [undefined, undefined, false],
  ["git-branch/staging", ["production", "git-branch/staging"], false],
] as const)("timeline %s, allowed %j: guarded %s", async (timeline, timelines, isGuarded) => {
  const deno = createDeno(timeline);
  const { engine, fetch, platform } = open(deno, timelines === undefined ? {} : { timelines });
  const tick = vi.spyOn(engine, "tick");
  platform.start();
  await deno.crons[0]?.[2]();
  const { status } = await fetch(tickRequest(`Bearer ${SECRET}`));
  expect([tick.mock.calls.length > 0, status]).toEqual(isGuarded ? [false, 404] : [true, 202]);
});

test("the cron fires each minute, is registered before anything runs, and does the work", async () => {
  const deno = createDeno();
  const { engine, platform } = open(deno);
  platform.start({ name: "orders" });
  expect(deno.crons[0]?.slice(0, 2)).toEqual(["orders", "* * * * *"]);
  expect(deno.listeners.size).toBe(0);
  await engine.workflows.HELLO.create({ id: "h" });
  await deno.crons[0]?.[2]();
  expect(await engine.getInstance("hello", "h")).toMatchObject({ details: { status: "complete" } });
});

test("a signal stops, then closes what it was given, then ends the process; once", async () => {
  const deno = createDeno();
  const { engine, platform } = open(deno);
  const onStop = vi.fn<() => Promise<void>>(async () => undefined);
  platform.start({ handleSignals: true, onStop });
  expect([...deno.listeners.keys()]).toEqual(["SIGINT", "SIGTERM"]);
  deno.listeners.get("SIGINT")?.();
  expect(deno.listeners.size).toBe(0);
  await expect.poll(() => deno.exit.mock.calls).toEqual([[0]]);
  expect(onStop).toHaveBeenCalledOnce();
  await engine.workflows.HELLO.create({ id: "late" });
  await deno.crons[0]?.[2]();
  expect(await engine.getInstance("hello", "late")).toMatchObject({
    details: { status: "queued" },
  });
});

test("options that cannot work are refused by name, and so is a Deno without crons", () => {
  const deno = createDeno();
  const { platform } = open(deno);
  const { cron: _cron, ...withoutCron } = deno;
  const refused = (option: string) => expect.objectContaining({ details: { option } });
  const start = (options: object) => () => platform.start(options);
  expect(start({ name: "x".repeat(257) })).toThrow(refused("name"));
  expect(start({ graceMs: 4001 })).toThrow(refused("graceMs"));
  expect(() => open(withoutCron).platform.start()).toThrow(refused("unstable-cron"));
  expect(() => createDenoPlatform()).toThrow(refused("deno"));
  const unattached = createDenoPlatform({ deno });
  expect(() => unattached.start()).toThrow(expect.objectContaining({ code: "WAKE_FAILED" }));
  expect(deno.crons).toEqual([]);
  const selfCall = { url: "http://example.com/", signingKeys: [SECRET] };
  expect(() => createDenoPlatform({ deno, selfCall })).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ path: "url" }) as object }),
  );
});
