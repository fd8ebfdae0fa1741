/** How the adapter makes sure that an invocation comes back after trouble, on the test's clock. */
import { IDLE_TICK } from "@escapement/engine/adapter";
import { createEngine, defineWorkflow, type Logger } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createVercelPlatform, vercelQueue, wakeHandler } from "./index.ts";
import type { VercelPlatformOptions } from "./platform.ts";

const CONTEXT = Symbol.for("@vercel/request-context");
const HINT = { workflowName: null, instanceId: null, reason: "create" } as const;
const HELLO = defineWorkflow({ name: "hello" }, async (_event, step) => step.do("say", () => "hi"));

const log = vi.fn<Logger["log"]>();
const fetched = vi.fn<(url: string, init: RequestInit) => Promise<Response>>();
let works: Promise<unknown>[] = [];
beforeEach(() => {
  log.mockReset();
  fetched.mockReset().mockImplementation(async () => new Response("{}", { status: 201 }));
  works = [];
  vi.stubGlobal("fetch", fetched);
  vi.useFakeTimers({ now: 1_000_000, toFake: ["setTimeout", "clearTimeout", "Date"] });
  invoke(300_000);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  delete (globalThis as { [CONTEXT]?: unknown })[CONTEXT];
});

/** From now on, the test is in an invocation that is killed after this time. */
function invoke(remainingMs: number): void {
  const context = {
    waitUntil: (work: Promise<unknown>) => void works.push(work),
    deadline: Date.now() + remainingMs,
  };
  Object.assign(globalThis, { [CONTEXT]: { get: () => context } });
}

function open(options: VercelPlatformOptions = {}) {
  const queue = vercelQueue({ token: "t" });
  const platform = createVercelPlatform({ queue, logger: { log }, ...options });
  const store = createMemoryStore();
  const engine = createEngine({ workflows: { HELLO }, store, platform });
  const tick = vi.spyOn(engine, "tick").mockResolvedValue(IDLE_TICK);
  return { platform, tick, takeWake: wakeHandler(engine, { platform }) };
}

/** The delays of the messages sent so far, in seconds. */
const delays = (): readonly number[] =>
  fetched.mock.calls
    .filter(([, { method }]) => method === "POST")
    .map(([, { headers }]) => Number(new Headers(headers).get("vqs-delay-seconds")));

const methods = (): readonly (string | undefined)[] =>
  fetched.mock.calls.map(([, { method }]) => method);

const delivery = (leaseMs: number, at: number | null = null, more: object = {}): Request =>
  new Request("https://internal/api/wake", {
    method: "POST",
    headers: {
      "ce-type": "com.vercel.queue.v2beta",
      "ce-vqsreceipthandle": "a",
      "ce-vqsvisibilitydeadline": new Date(Date.now() + leaseMs).toISOString(),
    },
    body: JSON.stringify({ kind: "tick", at, ...more }),
  });

test("before work begins after an answer, a message is armed for when its lease would be over", async () => {
  const { platform, tick } = open();
  tick.mockRejectedValue(new TypeError("no database"));
  await platform.wakeNow(HINT);
  expect([delays(), tick.mock.calls.length]).toEqual([[9], 0]);
  await vi.advanceTimersByTimeAsync(1);
  expect(log.mock.calls).toEqual([["error", "tick.failed", expect.anything()]]);
});

test("one message is armed for all that begins before it is delivered, and the next one after", async () => {
  const { platform } = open();
  for (let second = 0; second < 10; second += 1) {
    await platform.wakeNow(HINT);
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(delays()).toEqual([9, 9]);
});

test("S9-011 whoever the queue wakes wakes for what comes next; a tick that a request began, for what it parks itself", async () => {
  const { platform, takeWake, tick } = open();
  await platform.wakeNow(HINT);
  await vi.advanceTimersByTimeAsync(1);
  await takeWake(delivery(60_000));
  expect(tick.mock.calls.map(([input]) => input?.wakesFor)).toEqual(["own", undefined]);
});

test("work that is handed over needs no other message than that, and a preview arms none", async () => {
  invoke(9000);
  await open().platform.wakeNow(HINT);
  expect(delays()).toEqual([0]);
  invoke(300_000);
  await open({ environment: "preview" }).platform.wakeNow(HINT);
  expect(delays()).toEqual([0]);
});

test("a send that fails is tried again and not told; what was never taken is told as an error", async () => {
  const { platform } = open();
  fetched.mockResolvedValueOnce(new Response(null, { status: 503 }));
  fetched.mockRejectedValueOnce(new TypeError("no route"));
  const sent = platform.wakeIn(60_000, HINT);
  await vi.advanceTimersByTimeAsync(1000);
  await sent;
  expect([delays(), log.mock.calls]).toEqual([[60, 60, 60], []]);
  fetched.mockImplementation(async () => new Response(null, { status: 503 }));
  const begun = platform.wakeNow(HINT);
  await vi.advanceTimersByTimeAsync(1000);
  await begun;
  const fields = { code: "WAKE_FAILED", error: expect.any(String) as string, tries: 3 };
  expect(log.mock.calls).toEqual([["error", "wake.not_sent", expect.objectContaining(fields)]]);
  expect(delays()).toHaveLength(6);
});

test("a wake whose tick cannot arm the next one is delivered again", async () => {
  const { takeWake, tick } = open();
  tick.mockResolvedValue({ ...IDLE_TICK, nextWakeInMs: 60_000 });
  fetched.mockImplementation(async () => new Response(null, { status: 503 }));
  const answered = takeWake(delivery(60_000));
  await vi.advanceTimersByTimeAsync(1000);
  expect((await answered).status).toBe(500);
  expect(methods()).toEqual(["POST", "POST", "POST"]);
});

test("a wait is not held back so long that its message would expire as it comes due", async () => {
  const { platform } = open();
  await platform.wakeIn(30 * 86_400_000, HINT);
  const headers = new Headers(fetched.mock.calls[0]?.[1].headers);
  const [delay, retention] = ["vqs-delay-seconds", "vqs-retention-seconds"].map((name) =>
    Number(headers.get(name)),
  );
  expect([delay, retention]).toEqual([601_200, 604_800]);
});

test("two due times inside one second have a wake each: the key of the first does not drop the second's", async () => {
  const { platform, takeWake, tick } = open();
  await platform.wakeIn(60_100, HINT);
  await vi.advanceTimersByTimeAsync(60_150);
  tick.mockResolvedValue({ ...IDLE_TICK, nextWakeInMs: 750 });
  await takeWake(delivery(60_000, 1_060_100));
  const sent = fetched.mock.calls.filter(([, { method }]) => method === "POST");
  const keys = sent.map(([, { headers }]) => new Headers(headers).get("vqs-idempotency-key"));
  expect(keys).toEqual([expect.stringMatching(/^wake-1061-/), null]);
});

test("S9-012 a wake of a newer deployment, which runs a workflow more, is left to it within a second", async () => {
  const { takeWake, tick } = open();
  const newer = { thenAt: 1_090_000, workflows: ["hello", "later"] };
  const { status } = await takeWake(delivery(60_000, 1_000_000, newer));
  expect([status, delays(), methods()]).toEqual([204, [1], ["POST", "DELETE"]]);
  const left = JSON.parse(fetched.mock.calls[0]?.[1].body as string) as object;
  expect(left).toMatchObject({ at: 1_000_000, ...newer, forwardCount: 1 });
  expect(tick.mock.calls).toMatchObject([[{ wakesFor: "own" }]]);
  // While the database is down, each would become two, then four, if the original were delivered again as well.
  tick.mockRejectedValueOnce(new Error("away"));
  const { status: whileAway } = await takeWake(delivery(60_000, 1_000_000, newer));
  expect([whileAway, delays()]).toEqual([204, [1, 1]]);
  fetched.mockReset().mockResolvedValue(new Response(null, { status: 500 }));
  const failing = takeWake(delivery(60_000, 1_000_000, newer));
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await failing).status, "what could not be left comes again").toBe(500);
});

test("where wakes are exact nobody waits for one, unless told to", async () => {
  const { platform, tick } = open();
  await platform.run();
  await platform.run({ lingerMs: 1000 });
  const bare = open({ queue: undefined as never });
  await bare.platform.run();
  const lingers = [...tick.mock.calls, ...bare.tick.mock.calls].map(([input]) => input?.lingerMs);
  expect(lingers).toEqual([0, 1000, undefined]);
});

test("after SIGTERM a tick under way claims nothing more, and what comes due is another invocation's", async () => {
  const listeners: (() => void)[] = [];
  const signals = { once: (_name: string, listener: () => void) => void listeners.push(listener) };
  const { platform, tick } = open({ signals });
  await platform.run();
  expect(tick.mock.calls[0]?.[0]?.signal?.aborted).toBe(false);
  for (const listener of listeners) listener();
  expect(tick.mock.calls[0]?.[0]?.signal?.aborted).toBe(true);
  await platform.wakeNow(HINT);
  await vi.advanceTimersByTimeAsync(1);
  expect([delays(), tick.mock.calls.length]).toEqual([[0], 1]);
  open({ signals, environment: "development" });
  expect(listeners).toHaveLength(1);
});

describe("a message's lease", () => {
  interface Take {
    readonly tickMs: number;
    readonly leaseMs: number;
    /** The queue's answers to the first requests for more time. */
    readonly refusals?: readonly number[];
  }

  /** A wake whose tick takes this long, on a lease of this length. @returns the calls of the queue, by the second */
  async function takeFor({ tickMs, leaseMs, refusals = [] }: Take): Promise<readonly string[]> {
    const { takeWake, tick } = open();
    tick.mockImplementation(
      () => new Promise((resolve) => void setTimeout(() => resolve(IDLE_TICK), tickMs)),
    );
    const [calls, left] = [[] as string[], [...refusals]];
    const beganAt = Date.now();
    fetched.mockImplementation(async (_url, { method, body }) => {
      const asked = typeof body === "string" ? ` ${body}` : "";
      calls.push(`${method} ${(Date.now() - beganAt) / 1000}${asked}`);
      return new Response(null, { status: (method === "PATCH" ? left.shift() : null) ?? 204 });
    });
    const answered = takeWake(delivery(leaseMs));
    await vi.advanceTimersByTimeAsync(tickMs + 1000);
    await answered;
    return calls;
  }
  const extendAt = (second: number): string => `PATCH ${second} {"visibilityTimeoutSeconds":60}`;

  test("is extended well before it ends, for as long as the tick runs and no longer", async () => {
    const calls = [extendAt(15), extendAt(35), "DELETE 50"];
    expect(await takeFor({ tickMs: 50_000, leaseMs: 60_000 })).toEqual(calls);
    expect(await takeFor({ tickMs: 10_000, leaseMs: 60_000 })).toEqual(["DELETE 10"]);
  });

  test("that is short is extended sooner, and one that has passed at once", async () => {
    const short = await takeFor({ tickMs: 5000, leaseMs: 8000 });
    expect(short).toEqual([extendAt(4), "DELETE 5"]);
    const passed = await takeFor({ tickMs: 5000, leaseMs: -3000 });
    expect(passed).toEqual([extendAt(0), "DELETE 5"]);
  });

  test.each([500, 429])("is asked for again soon when the queue answers %i", async (status) => {
    const calls = await takeFor({ tickMs: 20_000, leaseMs: 60_000, refusals: [status] });
    expect(calls).toEqual([extendAt(15), extendAt(18), "DELETE 20"]);
  });

  test.each([400, 404, 409])("is not asked for again when the queue answers %i", async (status) => {
    const calls = await takeFor({ tickMs: 60_000, leaseMs: 60_000, refusals: [status] });
    expect(calls).toEqual([extendAt(15), "DELETE 60"]);
  });
});
