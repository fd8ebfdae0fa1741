/** The background function: whose calls it accepts, how long it waits, and when it ends. */
import { IDLE_TICK } from "@escapement/engine/adapter";
import { type Engine, type Logger, type TickOutput, WorkflowError } from "@escapement/engine";
import { createTickSigner } from "@escapement/engine/http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { backgroundHandler, type NetlifyPlatform } from "./index.ts";
import { invoke, openPlatform, PATH, PREVIEW, SIGNING_KEYS, SITE } from "./testing-site.ts";

const MINUTE_AT = Date.UTC(2026, 0, 1, 10);

async function signedCall(audience: string = PATH, more: object = {}): Promise<Request> {
  const headers = await createTickSigner({ signingKeys: SIGNING_KEYS, audience })("POST");
  return new Request(`${SITE}${PATH}`, { method: "POST", headers: { ...headers, ...more } });
}

const HOLDER = { "x-escapement-holder": "1" };
/** The schedule's call. */
const holderCall = (): Promise<Request> => signedCall(`${PATH}#holder`, HOLDER);

/** Lets work that is not on the fake clock continue. */
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

type TickInput = NonNullable<Parameters<Engine["tick"]>[0]>;

interface Worker {
  readonly run: (request: Request, context?: typeof PREVIEW) => Promise<Response>;
  /** Seconds into the minute at which ticks began. */
  readonly ticks: number[];
  readonly inputs: TickInput[];
  readonly events: string[];
}

/** A background function whose ticks return `outputs`, one after another, and then nothing. */
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
    // The signature is checked in real time; the clock may only move after that.
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
