import { IDLE_TICK } from "./drive.ts";
import { expect, test, vi } from "vitest";
import type { TickInput, TickOutput } from "../ports/tick.ts";
import { createDrain, type DrainOptions } from "./drain.ts";

const NOW = 1_000_000;
const HINT = { workflowName: null, instanceId: null, reason: "create" } as const;

function open(endsAt: () => number, options: Partial<DrainOptions> = {}) {
  const deferred: Promise<unknown>[] = [];
  const handOver = vi.fn<DrainOptions["handOver"]>(async () => undefined);
  const log = vi.fn<(level: string, event: string, fields: object) => void>();
  const tick = vi.fn<(input?: TickInput) => Promise<TickOutput>>(async () => IDLE_TICK);
  const drain = createDrain({
    deadline: endsAt,
    defer: (work) => void deferred.push(work.catch(() => undefined)),
    handOver,
    wakeIn: async () => undefined,
    bounds: { logger: { log } },
    now: () => NOW,
    ...options,
  });
  drain.platform.attach({ tick });
  return { ...drain, handOver, log, tick, settled: () => Promise.all(deferred) };
}

test("what a request makes due is ticked in its own invocation, until that invocation's deadline", async () => {
  const { handOver, platform, settled, tick } = open(() => NOW + 60_000);
  await platform.wakeNow(HINT);
  expect(tick).not.toHaveBeenCalled();
  await settled();
  expect(tick.mock.calls).toEqual([[{ deadline: NOW + 60_000, wakesFor: "any" }]]);
  expect(handOver).not.toHaveBeenCalled();
});

test("what comes due in one turn shares a tick, and invocations with other deadlines do not", async () => {
  let endsAt = NOW + 60_000;
  const { platform, settled, tick } = open(() => endsAt);
  await Promise.all([platform.wakeNow(HINT), platform.wakeNow(HINT)]);
  endsAt = NOW + 90_000;
  await platform.wakeNow(HINT);
  await settled();
  expect(tick.mock.calls.map(([input]) => input?.deadline)).toEqual([NOW + 60_000, NOW + 90_000]);
});

test("with too little time left another invocation is begun, and so is what a tick leaves then", async () => {
  let now = NOW;
  const { handOver, platform, settled, tick } = open(() => NOW + 12_000, { now: () => now });
  tick.mockImplementation(async () => {
    now += 5000;
    return { ...IDLE_TICK, processed: 1, moreDue: true };
  });
  await platform.wakeNow(HINT);
  await settled();
  expect(tick).toHaveBeenCalledOnce();
  expect(handOver.mock.calls).toEqual([[1]]);
  await platform.wakeNow(HINT);
  expect(handOver.mock.calls).toEqual([[1], [0]]);
});

test("S9-013 what a tick leaves for want of time goes on in another invocation: the rest of its own would cut a body off", async () => {
  let now = NOW;
  const { handOver, platform, settled, tick } = open(() => NOW + 300_000, { now: () => now });
  tick.mockImplementation(async () => {
    now += 260_000;
    return { ...IDLE_TICK, processed: 1, moreDue: true };
  });
  await platform.wakeNow(HINT);
  await settled();
  expect(tick).toHaveBeenCalledOnce();
  expect(handOver.mock.calls).toEqual([[1]]);
});

test("what a tick leaves for want of anything but time goes on in the same invocation", async () => {
  const { handOver, platform, settled, tick } = open(() => NOW + 60_000);
  tick.mockResolvedValueOnce({ ...IDLE_TICK, processed: 1, moreDue: true });
  await platform.wakeNow(HINT);
  await settled();
  await vi.waitFor(() => expect(tick).toHaveBeenCalledTimes(2), { timeout: 60_000 });
  expect(handOver).not.toHaveBeenCalled();
});

test("whoever ticks is told once what its tick left for want of anything but time is done, or has failed", async () => {
  const { handOver, run, tick } = open(() => NOW + 60_000);
  const more = { ...IDLE_TICK, processed: 1, moreDue: true };
  tick.mockResolvedValueOnce(more).mockResolvedValueOnce(more);
  expect(await run()).toEqual(more);
  expect(tick).toHaveBeenCalledTimes(3);
  tick.mockResolvedValueOnce(more).mockRejectedValueOnce(new TypeError("no database"));
  await expect(run()).rejects.toThrow("no database");
  expect(handOver).not.toHaveBeenCalled();
});

test("S9-011 only ticks that requests begin may leave what they parked to wakes of others", async () => {
  const { platform, run, runAfter, settled, tick } = open(() => NOW + 60_000, { wakesFor: "own" });
  const wakesFor = () => tick.mock.calls.map(([input]) => input?.wakesFor);
  await platform.wakeNow(HINT);
  // In the same turn, they would share a tick.
  runAfter();
  await settled();
  expect(wakesFor()).toEqual(["own", "any"]);
  tick.mockResolvedValueOnce({ ...IDLE_TICK, processed: 1, moreDue: true });
  await platform.wakeNow(HINT);
  await vi.waitFor(() => expect(tick).toHaveBeenCalledTimes(4), { timeout: 60_000 });
  await run();
  expect(wakesFor().slice(2)).toEqual(["own", "any", undefined]);
});

test("a tick that fails after the answer is logged and rejects nobody; one that is asked for throws", async () => {
  const { log, platform, run, settled, tick } = open(() => NOW + 60_000);
  tick.mockRejectedValue(new TypeError("no database"));
  await platform.wakeNow(HINT);
  await settled();
  const fields = { code: null, error: "TypeError: no database" };
  expect(log.mock.calls).toEqual([["error", "tick.failed", fields]]);
  await expect(run()).rejects.toThrow("no database");
});

test("a tick that another invocation handed over is run here, however little time is left", async () => {
  const { handOver, runAfter, settled, tick } = open(() => NOW + 1000);
  runAfter();
  await settled();
  expect(tick.mock.calls).toEqual([[{ deadline: NOW + 1000, wakesFor: "any" }]]);
  expect(handOver).not.toHaveBeenCalled();
});

test("until an engine is attached every tick fails by name", async () => {
  const drain = createDrain({
    deadline: () => NOW + 60_000,
    defer: () => undefined,
    handOver: async () => undefined,
    wakeIn: async () => undefined,
    bounds: { logger: { log: () => undefined } },
    now: () => NOW,
  });
  await expect(drain.run()).rejects.toMatchObject({ code: "WAKE_FAILED" });
});
