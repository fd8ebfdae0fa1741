/** The object's side, with an alarm that the test fires. Tests on workerd are in runtime-tests. */
import { IDLE_TICK } from "@escapement/engine/adapter";
import type { TickOutput } from "@escapement/engine";
import { afterEach, expect, test, vi } from "vitest";
import { createCloudflarePlatform } from "./platform.ts";
import type { CloudflarePlatformOptions } from "./platform.ts";

const HINT = { workflowName: null, instanceId: null, reason: "wake" } as const;
const NOW = Date.parse("2026-11-21T12:00:00Z");

afterEach(() => vi.useRealTimers());

/** An object, in time that only the test moves. @param armedAt the alarm that was set before a restart */
async function open(
  tick: (input: object) => Promise<TickOutput>,
  options: CloudflarePlatformOptions = {},
  armedAt: number | null = null,
) {
  vi.useFakeTimers({ now: NOW, toFake: ["Date", "setInterval", "clearInterval"] });
  const storage = {
    armedAt,
    sets: [] as number[],
    getAlarm: async () => storage.armedAt,
    setAlarm: async (at: number) => {
      storage.armedAt = at;
      storage.sets.push(at);
    },
  };
  const opening: Promise<unknown>[] = [];
  const logged: string[] = [];
  const object = createCloudflarePlatform(
    {
      storage,
      waitUntil: () => undefined,
      blockConcurrencyWhile: (work) => {
        const blocked = work();
        opening.push(blocked);
        return blocked;
      },
    },
    { logger: { log: (_, event) => void logged.push(event) }, ...options },
  );
  object.attach({ tick: (input = {}) => tick(input) });
  await Promise.all(opening);
  return { object, storage, logged };
}

const idle = async (): Promise<TickOutput> => IDLE_TICK;

test("the alarm is only ever set earlier, also by the next life of the object", async () => {
  const { object, storage } = await open(idle, {}, NOW + 60_000);
  await object.wakeIn(90_000);
  expect(storage.sets).toEqual([]);
  await Promise.all([object.wakeIn(30_000), object.wakeIn(45_000)]);
  await object.wakeNow({ ...HINT, reason: "create" });
  await object.wakeNow({ ...HINT, reason: "create" });
  expect(storage.sets).toEqual([NOW + 30_000, NOW]);
});

test("an alarm for now that has not rung yet is not put off by a later wake", async () => {
  const { object, storage } = await open(idle);
  await object.wakeNow(HINT);
  vi.setSystemTime(NOW + 20);
  await object.wakeIn(5000);
  expect(storage.sets).toEqual([NOW]);
});

test("what is due and was not to be had is looked at again a little later, not at once", async () => {
  const { object, storage } = await open(async () => ({ ...IDLE_TICK, nextWakeInMs: 0 }));
  await object.alarm();
  expect(storage.sets).toEqual([NOW + 250]);
});

test("a tick has the time that the platform gives an alarm, and does not linger", async () => {
  const inputs: object[] = [];
  const { object } = await open(async (input) => (inputs.push(input), IDLE_TICK));
  expect(object.deadline()).toBeNull();
  await object.alarm();
  expect(inputs).toEqual([
    { deadline: NOW + 900_000, lingerMs: 0, tripsLeft: expect.any(Function) },
  ]);
  expect(object.deadline()).toBeNull();
});

test("work left over is handed to the next alarm with its hops, and no further than they may go", async () => {
  const busy = async (): Promise<TickOutput> => ({ ...IDLE_TICK, processed: 1, moreDue: true });
  const { object, storage, logged } = await open(busy, { maxHops: 2 });
  for (let ring = 0; ring < 3; ring += 1) await object.alarm();
  expect(storage.sets).toEqual([NOW, NOW]);
  expect(logged).toContain("wake.too_many_hops");
});

test("S9-012 an alarm whose tick fails is set anew, a lease ahead; the platform rings again only where it cannot be", async () => {
  const { object, storage, logged } = await open(() => Promise.reject(new TypeError("away")));
  for (let ring = 0; ring < 10; ring += 1) await object.alarm();
  expect(storage.sets).toEqual(Array.from({ length: 10 }, () => NOW + 8000));
  storage.setAlarm = () => Promise.reject(new TypeError("no storage"));
  await expect(object.alarm()).rejects.toThrow("away");
  expect(logged.filter((event) => event === "tick.failed")).toHaveLength(11);
});

test("the safety net asks the storage what is armed: a lost alarm is set again", async () => {
  const { object, storage } = await open(async () => ({ ...IDLE_TICK, nextWakeInMs: 5000 }));
  await object.wakeNow(HINT);
  storage.armedAt = null;
  expect(await object.tick()).toMatchObject({ nextWakeInMs: 5000 });
  expect(storage.sets).toEqual([NOW, NOW + 5000]);
});

test("while a step is in hand the object looks for what it made due at once, and else every few seconds; it ends with all that it began", async () => {
  let ticks = 0;
  const ends: (() => void)[] = [];
  const { object } = await open(async () => {
    ticks += 1;
    if (ticks <= 2) await new Promise<void>((resolve) => void ends.push(resolve));
    return IDLE_TICK;
  });
  let hasEnded = false;
  const rung = object.alarm().then(() => (hasEnded = true));
  await vi.advanceTimersByTimeAsync(4000);
  expect(ticks).toBe(1);
  await object.wakeNow({ ...HINT, reason: "create" });
  await vi.advanceTimersByTimeAsync(250);
  expect(ticks).toBe(2);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ticks).toBe(4);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(1000);
  expect(hasEnded).toBe(false);
  ends[1]?.();
  await rung;
  const before = ticks;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ticks).toBe(before);
});

test("S9-013 what could not be looked for beside a step, for want of trips, is left to an alarm at once", async () => {
  let ticks = 0;
  let end = (): void => {};
  const { object, storage } = await open(async () => {
    ticks += 1;
    if (ticks > 1) return { ...IDLE_TICK, moreDue: true };
    await new Promise<void>((resolve) => void (end = resolve));
    return { ...IDLE_TICK, processed: 1 };
  });
  const rung = object.alarm();
  await vi.advanceTimersByTimeAsync(6000);
  expect(storage.sets).toEqual([]);
  end();
  await rung;
  expect(storage.sets).toEqual([NOW + 6000]);
});

test("what comes due beside a running step is looked for then", async () => {
  const seen: number[] = [];
  let end = (): void => {};
  const { object } = await open(async () => {
    seen.push(Date.now() - NOW);
    if (seen.length === 1) await new Promise<void>((resolve) => void (end = resolve));
    return seen.length === 2 ? { ...IDLE_TICK, nextWakeInMs: 2000 } : IDLE_TICK;
  });
  const rung = object.alarm();
  await object.wakeNow(HINT);
  for (let passedMs = 0; passedMs < 4000; passedMs += 250) {
    await vi.advanceTimersByTimeAsync(250);
    // Lets work that is not on the fake clock continue.
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
  expect(seen).toEqual([0, 250, 2250]);
  end();
  await rung;
});

test("who asks for what is being armed waits until it is, and is told when it could not be", async () => {
  const { object, storage } = await open(idle);
  let fail = (): void => {};
  storage.setAlarm = () =>
    new Promise((_resolve, reject) => void (fail = () => reject(new TypeError("reset"))));
  const asked = [object.wakeNow(HINT), object.wakeNow(HINT)];
  const told = vi.fn<() => void>();
  for (const ask of asked) ask.catch(told);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(told).not.toHaveBeenCalled();
  fail();
  for (const ask of asked) await expect(ask).rejects.toMatchObject({ code: "WAKE_FAILED" });
});

test("an alarm that cannot be set is WAKE_FAILED, and asked for again", async () => {
  const { object, storage } = await open(idle);
  const { setAlarm } = storage;
  storage.setAlarm = () => Promise.reject(new TypeError("reset"));
  await expect(object.wakeNow(HINT)).rejects.toMatchObject({ code: "WAKE_FAILED" });
  storage.setAlarm = setAlarm;
  await object.wakeNow(HINT);
  expect(storage.sets).toEqual([NOW]);
});
