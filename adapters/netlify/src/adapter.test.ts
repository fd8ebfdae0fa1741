import { IDLE_TICK } from "@escapement/engine/adapter";
import {
  type Engine,
  type Logger,
  type NextWake,
  type TickOutput,
  WorkflowError,
} from "@escapement/engine";
import { createTickSigner } from "@escapement/engine/http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  backgroundHandler,
  createNetlifyPlatform,
  handler,
  type NetlifyFunction,
  type NetlifyPlatform,
  scheduleHandler,
} from "./index.ts";
import type { NetlifyPlatformOptions } from "./platform.ts";

const SIGNING_KEYS = ["background-key-of-more-than-24-bytes"];
const PATH = "/.netlify/functions/workflows-background";
const MINUTE_AT = Date.UTC(2026, 0, 1, 10);
const CREATED = { workflowName: "order", instanceId: "o", reason: "create" } as const;
const PREVIEW = { deploy: { context: "deploy-preview" } };

const SITE = "https://orders.test";

/** Invokes a function and waits until the invocation has ended. */
async function invoke(
  run: NetlifyFunction,
  request: Request,
  context: object = {},
): Promise<Response> {
  const waits: Promise<unknown>[] = [];
  const answer = await run(request, { ...context, waitUntil: (work) => void waits.push(work) });
  await Promise.all(waits);
  return answer;
}

const openPlatform = (options: Partial<NetlifyPlatformOptions> = {}): NetlifyPlatform =>
  createNetlifyPlatform({ signingKeys: SIGNING_KEYS, siteUrl: SITE, ...options });

async function signedCall(audience: string = PATH, more: object = {}): Promise<Request> {
  const headers = await createTickSigner({ signingKeys: SIGNING_KEYS, audience })("POST");
  return new Request(`${SITE}${PATH}`, { method: "POST", headers: { ...headers, ...more } });
}

const HOLDER = { "x-escapement-holder": "1" };
/** The schedule's call. */
const holderCall = (): Promise<Request> => signedCall(`${PATH}#holder`, HOLDER);

/** What is not on the fake clock goes on. */
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

type TickInput = NonNullable<Parameters<Engine["tick"]>[0]>;

interface Worker {
  readonly run: (request: Request, context?: typeof PREVIEW) => Promise<Response>;
  /** Seconds into the minute at which ticks began. */
  readonly ticks: number[];
  readonly inputs: TickInput[];
  readonly events: string[];
}

/** A background function whose ticks come to `outputs`, one after another, and then to nothing. */
function openWorker(
  outputs: readonly (() => Promise<TickOutput>)[] = [],
  platform: NetlifyPlatform = openPlatform(),
): Worker {
  const [ticks, inputs, events]: [number[], TickInput[], string[]] = [[], [], []];
  const logger: Logger = { log: (_level, event) => void events.push(event) };
  const tick = async (input: TickInput = {}): Promise<TickOutput> => {
    ticks.push((Date.now() - MINUTE_AT) / 1000);
    inputs.push(input);
    return (await outputs[ticks.length - 1]?.()) ?? IDLE_TICK;
  };
  const run = backgroundHandler({ tick }, { platform, logger });
  return { run: (request, context) => invoke(run, request, context), ticks, inputs, events };
}

const dueAt = (seconds: number) => async (): Promise<TickOutput> => ({
  ...IDLE_TICK,
  nextWakeInMs: Math.max(0, MINUTE_AT + seconds * 1000 - Date.now()),
});

describe("the background function", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: MINUTE_AT + 1000, toFake: ["setTimeout", "clearTimeout", "Date"] });
  });
  afterEach(() => void vi.useRealTimers());

  /** Seconds into the minute at which the invocation ends. */
  async function endOf(worker: Worker, call = holderCall): Promise<number> {
    let endedAt = Number.NaN;
    void worker.run(await call()).then(() => {
      endedAt = (Date.now() - MINUTE_AT) / 1000;
    });
    // The signature is checked in real time; only then may the clock go on.
    while (worker.ticks.length === 0) await turn();
    for (let turns = 0; turns < 400 && Number.isNaN(endedAt); turns += 1) {
      await vi.advanceTimersByTimeAsync(250);
      await turn();
    }
    return endedAt;
  }

  test("that the schedule began waits for what is due inside its minute and some seconds more", async () => {
    const worker = openWorker([dueAt(20), dueAt(68), dueAt(71)]);
    expect(await endOf(worker)).toBeGreaterThanOrEqual(68);
    expect(worker.ticks.slice(1)).toEqual([20, 68]);
  });

  test("that has waited into the next minute waits no further: the next minute has its own", async () => {
    const worker = openWorker([dueAt(65), dueAt(90)]);
    await endOf(worker);
    expect(worker.ticks.slice(1)).toEqual([65]);
  });

  test("that a request began waits for what it parked itself and for nothing of others: each is billed for its wait", async () => {
    const worker = openWorker([dueAt(2)]);
    expect(await endOf(worker, signedCall)).toBeLessThan(2);
    const cheap = openWorker([dueAt(2)], openPlatform({ looksAhead: false }));
    await endOf(cheap, signedCall);
    const waits = [...worker.inputs, ...cheap.inputs].map(({ lingerEndsAt }) => lingerEndsAt);
    expect(waits).toEqual([MINUTE_AT + 70_000, 0]);
  });

  test("S0-153 nobody but the schedule can ask a run to stay: a call signed to work is none to wait", async () => {
    const { run, ticks } = openWorker();
    for (const call of [signedCall(PATH, HOLDER), signedCall(`${PATH}#holder`)])
      expect((await run(await call)).status).toBe(401);
    expect(ticks).toEqual([]);
  });

  test("told not to look ahead waits for nothing", async () => {
    const worker = openWorker([dueAt(2)], openPlatform({ looksAhead: false }));
    await endOf(worker);
    expect(worker.ticks).toHaveLength(1);
  });

  test("what is due and not to be had is looked at again soon, and after a while left to the schedule", async () => {
    const once = openWorker([dueAt(0)]);
    await endOf(once);
    expect(once.ticks).toHaveLength(2);
    const always = openWorker(Array.from({ length: 100 }, () => dueAt(0)));
    expect(await endOf(always)).toBeLessThan(10);
    expect(always.ticks).toHaveLength(21);
  });

  test("has 15 minutes, takes all that is due, and does not linger", async () => {
    const { run, inputs } = openWorker();
    await run(await signedCall());
    expect(inputs).toEqual([
      {
        deadline: Date.now() + 900_000,
        maxInstances: Infinity,
        lingerMs: 0,
        lingerEndsAt: MINUTE_AT + 70_000,
        wakesFor: "own",
      },
    ]);
  });

  test("S0-153 runs nothing for a call that is not signed for it", async () => {
    const { run, ticks, events } = openWorker();
    const bare = new Request(`${SITE}${PATH}`, { method: "POST" });
    for (const request of [bare, await signedCall("/api/workflows/_runner/tick")])
      expect((await run(request)).status).toBe(401);
    expect([ticks, events]).toEqual([[], ["http.refused", "http.refused"]]);
  });

  test("answers when the store is away, so that Netlify does not run it again, and logs it", async () => {
    const away = new WorkflowError("STORE_UNAVAILABLE", "no route to the database");
    const { run, events } = openWorker([() => Promise.reject(away)]);
    expect((await run(await signedCall())).status).toBe(503);
    expect(events).toContain("http.failed");
  });

  test("does not work in the deploy of a preview", async () => {
    const { run, ticks } = openWorker();
    const refusal = await run(await signedCall(), PREVIEW);
    expect([refusal.status, await refusal.json()]).toMatchObject([404, { code: "TICK_DISABLED" }]);
    expect(ticks).toEqual([]);
  });
});

describe("with a background function to call", () => {
  /** Addresses that were called, and which of the calls were the schedule's. */
  let calls: string[] = [];
  let holders: boolean[] = [];
  beforeEach(() => {
    [calls, holders] = [[], []];
    vi.stubGlobal("fetch", async (url: URL, init: RequestInit) => {
      calls.push(url.href);
      holders.push(new Headers(init.headers).has("x-escapement-holder"));
      return new Response(null, { status: 202 });
    });
  });
  afterEach(() => void vi.unstubAllGlobals());

  const clockwork = (): Request => new Request(`${SITE}/.netlify/functions/workflows-cron`);

  test("a request's answer is given before the call that it caused has ended, which waitUntil holds", async () => {
    const platform = openPlatform();
    const fetch = async (): Promise<Response> => {
      platform.defer(platform.wakeNow(CREATED));
      return new Response("created");
    };
    const waits: Promise<unknown>[] = [];
    const waitUntil = (work: Promise<unknown>): void => void waits.push(work);
    await handler({ fetch }, { platform })(new Request(SITE), { waitUntil });
    expect(calls).toEqual([]);
    await Promise.all(waits);
    expect([calls, holders]).toEqual([[`${SITE}${PATH}`], [false]]);
  });

  test("what comes due while a tick is under way is its own; what it leaves needs another invocation", async () => {
    const platform = openPlatform();
    await platform.whileTicking(() => platform.wakeNow(CREATED));
    expect(calls).toEqual([]);
    await platform.whileTicking(() => platform.wakeNow({ ...CREATED, reason: "more" }));
    expect(calls).toHaveLength(1);
  });

  test("the site's address is that of the context, where none is given", async () => {
    const platform = openPlatform({ siteUrl: undefined });
    await expect(platform.wakeNow(CREATED)).rejects.toMatchObject({ code: "WAKE_FAILED" });
    platform.begin({ site: { url: "https://main.test" }, waitUntil: () => undefined }, 1000);
    await platform.wakeNow(CREATED);
    expect(calls).toEqual([`https://main.test${PATH}`]);
  });

  test.each([
    { deployContexts: undefined, context: "deploy-preview", calls: 0 },
    { deployContexts: undefined, context: "production", calls: 1 },
    { deployContexts: undefined, context: "", calls: 1 },
    { deployContexts: ["production", "staging"], context: "staging", calls: 1 },
  ])("deploys of context $context, allowed $deployContexts: $calls", async (row) => {
    const { deployContexts, context } = row;
    const platform = openPlatform(deployContexts === undefined ? {} : { deployContexts });
    platform.begin({ deploy: { context }, waitUntil: () => undefined }, 1000);
    await platform.wakeNow(CREATED);
    expect(calls).toHaveLength(row.calls);
  });

  test.each([
    { dueInMs: null, looksAhead: true, calls: 0 },
    { dueInMs: 60_001, looksAhead: true, calls: 0 },
    { dueInMs: 60_000, looksAhead: true, calls: 1 },
    { dueInMs: 1, looksAhead: false, calls: 0 },
    { dueInMs: 0, looksAhead: false, calls: 1 },
  ])("the schedule asks and takes nothing: due in $dueInMs ms, calls $calls", async (row) => {
    const { dueInMs, looksAhead } = row;
    const next = dueInMs === null ? null : { inMs: dueInMs, reason: "due" as const };
    const nextWake = vi.fn<() => Promise<NextWake | null>>(async () => next);
    const run = scheduleHandler({ nextWake }, { platform: openPlatform({ looksAhead }) });
    const answer = await invoke(run, clockwork());
    expect([answer.status, await answer.json()]).toEqual([200, { isDue: row.calls === 1 }]);
    expect(nextWake).toHaveBeenCalledOnce();
    expect(holders).toEqual(Array.from({ length: row.calls }, () => true));
  });

  test("S9-012 the schedule of a preview does not ask the database", async () => {
    const nextWake = vi.fn<() => Promise<NextWake | null>>(async () => null);
    const log = vi.fn<Logger["log"]>();
    const run = scheduleHandler({ nextWake }, { platform: openPlatform(), logger: { log } });
    expect(await (await invoke(run, clockwork(), PREVIEW)).json()).toEqual({
      code: "TICK_DISABLED",
    });
    expect([nextWake.mock.calls, calls]).toEqual([[], []]);
  });

  test("a schedule that cannot ask logs the code, answers, and crashes nothing", async () => {
    const log = vi.fn<Logger["log"]>();
    const nextWake = () => Promise.reject(new WorkflowError("SCHEMA_MISMATCH", "migrate"));
    const run = scheduleHandler({ nextWake }, { platform: openPlatform(), logger: { log } });
    expect((await invoke(run, clockwork())).status).toBe(503);
    const fields = expect.objectContaining({ code: "SCHEMA_MISMATCH" }) as object;
    expect(log).toHaveBeenCalledWith("error", "schedule.failed", fields);
  });
});

test.each([
  ["backgroundName", { backgroundName: "worker" }],
  ["backgroundName", { backgroundName: "../x-background" }],
])("a bad %s is refused by name before anything runs", (option, options) => {
  const refusal = { code: "DEPLOY_OPTIONS_INVALID", details: { option } };
  expect(() => openPlatform(options)).toThrow(expect.objectContaining(refusal));
});

test.each([
  ["signingKeys", { signingKeys: [] }],
  ["signingKeys.0", { signingKeys: ["short"] }],
  ["signingKeys.0", { signingKeys: ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"] }],
  ["url", { siteUrl: "http://orders.netlify.app" }],
])("a weak or wrong %s is refused by name before anything runs", (path, options) => {
  const details = expect.objectContaining({ path }) as object;
  const refusal = { code: "DEPLOY_OPTIONS_INVALID", details };
  expect(() => openPlatform(options)).toThrow(expect.objectContaining(refusal));
});
