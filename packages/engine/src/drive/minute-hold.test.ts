import { IDLE_TICK } from "./drive.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Logger } from "../ports/logger.ts";
import type { HeldRun, TickInput, TickOutput } from "../ports/tick.ts";
import { createMinuteHold, type MinuteHold } from "./minute-hold.ts";
import { checkAgainAt, nextMinuteAt } from "./minute.ts";

const MINUTE_AT = Date.UTC(2026, 0, 1, 10);
const HINT = { workflowName: null, instanceId: null, reason: "create" } as const;
/** The output of a tick that finds the next work due so many seconds into the minute. */
const dueAt = (seconds: number) => (): TickOutput => ({
  ...IDLE_TICK,
  nextWakeInMs: Math.max(0, MINUTE_AT + seconds * 1000 - Date.now()),
});

beforeEach(() => void vi.useFakeTimers({ now: MINUTE_AT }));
afterEach(() => void vi.useRealTimers());

interface Scene {
  readonly minute: MinuteHold;
  /** Seconds into the minute at which ticks began. */
  readonly ticks: number[];
  readonly events: string[];
}

/** An engine whose ticks return `outputs`, one after another, and then nothing. */
function open(outputs: readonly (Promise<TickOutput> | (() => TickOutput))[] = []): Scene {
  const ticks: number[] = [];
  const events: string[] = [];
  const logger: Logger = { log: (_level, event) => void events.push(event) };
  const minute = createMinuteHold({ logger });
  const tick = async (_input?: TickInput): Promise<TickOutput> => {
    ticks.push((Date.now() - MINUTE_AT) / 1000);
    const output = outputs[ticks.length - 1] ?? IDLE_TICK;
    return typeof output === "function" ? output() : output;
  };
  minute.platform.attach({ tick });
  return { minute, ticks, events };
}

/**
 * Longer than anything here stays. It does not wait until no timer is left, because in a process with many files another one's
 * lease may be renewed for ever.
 */
const passAll = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(3_600_000));

/** Seconds into the minute at which `work` ends. */
async function endOf(work: Promise<unknown>): Promise<number> {
  let endedAt = Number.NaN;
  void work.then(() => (endedAt = (Date.now() - MINUTE_AT) / 1000));
  await passAll();
  return endedAt;
}

describe("looking ahead", () => {
  test.each([
    { dueInMs: 15_000, now: 5000, at: 20_000 },
    { dueInMs: 59_999, now: 0, at: 59_999 },
    { dueInMs: 1000, now: 59_000, at: null },
    { dueInMs: 0, now: 5000, at: 5250 },
    { dueInMs: 0, now: 59_900, at: null },
  ])("due in $dueInMs ms, now $now ms: $at", ({ dueInMs, now, at }) => {
    expect(checkAgainAt(dueInMs, now)).toBe(at);
  });

  test.each([
    [0, 60_000],
    [59_999, 60_000],
    [60_000, 120_000],
  ])("the minute after %s ms begins at %s ms", (now, next) => {
    expect(nextMinuteAt(now)).toBe(next);
  });
});

describe("hold", () => {
  test("its ticks do not count the ends of leases that others hold: it would stay for them", async () => {
    const inputs: TickInput[] = [];
    const minute = createMinuteHold({ logger: { log: () => undefined } });
    const tick = async (input: TickInput = {}): Promise<TickOutput> => {
      inputs.push(input);
      return IDLE_TICK;
    };
    minute.platform.attach({ tick });
    await endOf(minute.hold());
    expect(inputs).toMatchObject([{ wakesFor: "due" }]);
  });

  test("what is due and not to be had holds nobody beyond the minute", async () => {
    const { minute, ticks } = open(Array.from({ length: 1000 }, () => dueAt(-3600)));
    expect(await endOf(minute.hold())).toBeLessThan(60);
    expect(ticks.length).toBeLessThan(300);
  });

  test("R8 what comes due inside the minute is ticked then, and holds until it is done", async () => {
    const { minute, ticks } = open([dueAt(20), dueAt(45)]);
    expect(await endOf(minute.hold())).toBe(45);
    expect(ticks).toEqual([0, 20, 45]);
    expect(minute.isHeld()).toBe(false);
  });

  test("R2 what comes due in a later minute is left to that minute's tick", async () => {
    const { minute, ticks } = open([dueAt(60)]);
    expect(await endOf(minute.hold())).toBe(0);
    expect(ticks).toEqual([0]);
  });

  test("work that comes due meanwhile is done here; that of one turn shares a tick", async () => {
    const { minute, ticks } = open([dueAt(30)]);
    const held = minute.hold();
    await vi.advanceTimersByTimeAsync(1000);
    expect(minute.isHeld()).toBe(true);
    for (let time = 0; time < 3; time += 1) minute.platform.defer(minute.platform.wakeNow(HINT));
    expect(await endOf(held)).toBe(30);
    expect(ticks).toEqual([0, 1, 30]);
  });

  test("what is due and not to be had is looked at again soon, not at once", async () => {
    const { minute, ticks } = open([dueAt(-1), dueAt(-1)]);
    expect(await endOf(minute.hold())).toBe(0.5);
    expect(ticks).toEqual([0, 0.25, 0.5]);
  });

  test("S9-015 each stays for what it began itself: of two, one waits for what comes due", async () => {
    const { minute, ticks } = open([dueAt(20), dueAt(20), () => IDLE_TICK]);
    const ends: number[] = [];
    for (const wakesFor of ["due", "own"] as const) {
      void minute.hold({ wakesFor }).then(() => ends.push((Date.now() - MINUTE_AT) / 1000));
      await vi.advanceTimersByTimeAsync(0);
    }
    await passAll();
    expect(ends).toEqual([0, 20]);
    expect(ticks).toEqual([0, 0, 20]);
  });

  test("S9-011 a request's tick waits for nothing of others; who waited is told of the next link", async () => {
    const inputs: TickInput[] = [];
    const minute = createMinuteHold({ logger: { log: () => undefined } });
    const link = { nextWakeInMs: 5000, thenWakeAt: MINUTE_AT + 9000 };
    minute.platform.attach({
      tick: async (input: TickInput = {}) => {
        inputs.push(input);
        return inputs.length === 1 ? { ...IDLE_TICK, ...link } : IDLE_TICK;
      },
    });
    await minute.platform.wakeNow(HINT);
    await passAll();
    expect(inputs).toMatchObject([
      { wakesFor: "own" },
      { wakesFor: "due", thenWakeAt: MINUTE_AT + 9000 },
    ]);
  });

  test("a tick that fails is the caller's to see, and the log's", async () => {
    const { minute, events } = open([Promise.reject(new Error("the database is away"))]);
    await expect(minute.hold()).rejects.toThrow("the database is away");
    expect(events).toEqual(["tick.failed"]);
    expect(minute.isHeld()).toBe(false);
  });

  test("S9-012 runs that calls have claimed while somebody stays are one tick's; when it stops, they are handed back", async () => {
    const { minute, ticks } = open([dueAt(50)]);
    const inputs: (TickInput | undefined)[] = [];
    expect(minute.platform.stays?.()).toBe(false);
    const end = minute.hold();
    await vi.advanceTimersByTimeAsync(1000);
    expect(minute.platform.stays?.()).toBe(true);
    minute.platform.attach({
      tick: async (input) => {
        inputs.push(input);
        return IDLE_TICK;
      },
    });
    const held = {} as HeldRun;
    for (const given of [held, held, undefined])
      await minute.platform.wakeNow({ ...HINT, ...(given === undefined ? {} : { held: given }) });
    await vi.advanceTimersByTimeAsync(1);
    expect(inputs.map((input) => input?.held)).toEqual([[held, held], undefined]);
    void minute.stop();
    expect(minute.platform.stays?.()).toBe(false);
    await minute.platform.wakeNow({ ...HINT, held });
    await vi.advanceTimersByTimeAsync(1);
    expect(inputs.at(-1)).toMatchObject({ held: [held], signal: { aborted: true } });
    await end;
    expect(ticks).toEqual([0]);
  });

  test("without an engine a tick fails by name", async () => {
    const minute = createMinuteHold({ logger: { log: () => undefined } });
    await expect(minute.hold()).rejects.toMatchObject({ code: "WAKE_FAILED" });
  });

  test("stop ends every wait, and nothing ticks any more", async () => {
    const { minute, ticks } = open([dueAt(50)]);
    const end = minute.hold();
    await vi.advanceTimersByTimeAsync(1000);
    void minute.stop();
    await end;
    expect(await minute.hold()).toEqual(IDLE_TICK);
    expect(ticks).toEqual([0]);
  });
});

describe("holding minutes", () => {
  test("minutes that pass while work is in hand are ticked from here", async () => {
    const slow = new Promise<TickOutput>((resolve) =>
      setTimeout(() => resolve(IDLE_TICK), 150_000),
    );
    const { minute, ticks } = open([slow, dueAt(70)]);
    expect(await endOf(minute.holdMinutes())).toBe(150);
    expect(ticks).toEqual([0, 60, 70, 120]);
  });

  test("a failure in a later minute is logged and crashes nothing", async () => {
    const slow = new Promise<TickOutput>((_resolve, reject) => {
      setTimeout(() => reject(new Error("gone")), 70_000);
    });
    const { minute, events } = open([slow]);
    expect(await endOf(minute.holdMinutes())).toBe(70);
    expect(events).toEqual(["tick.failed"]);
  });

  test("stop tells the tick under way to start nothing more, and resolves when it has ended", async () => {
    const minute = createMinuteHold({ logger: { log: () => undefined } });
    const inputs: TickInput[] = [];
    const tick = async (input: TickInput = {}): Promise<TickOutput> => {
      inputs.push(input);
      await new Promise((resolve) => setTimeout(resolve, 2000));
      return IDLE_TICK;
    };
    minute.platform.attach({ tick });
    const held = minute.hold();
    await vi.advanceTimersByTimeAsync(500);
    const stopped = minute.stop();
    expect(inputs.map(({ signal }) => signal?.aborted)).toEqual([true]);
    expect(await endOf(stopped)).toBe(2);
    await held;
  });
});
