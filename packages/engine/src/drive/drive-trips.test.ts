/** Invocations with a limited number of database calls, in virtual time. */
import { expect, test } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { WorkflowError } from "../core/errors.ts";
import type { Commit } from "../core/model/change.ts";
import type { Store } from "../ports/store.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { drive } from "./drive.ts";
import { createTripCounter } from "./trip-counter.ts";
import { createEngine } from "../verbs/engine.ts";

const LIVES_MS = 900_000;
const LOGGER = { log: () => undefined };

interface Given {
  readonly instanceCount: number;
  readonly stepCount?: number;
  readonly bodyMs?: number;
  /** How many bodies of a run are concurrent. */
  readonly width?: number;
  readonly maxTrips?: number;
}

/** Fails every call above a number, like a platform whose invocation has used up its subrequests. */
function limitCalls(store: Store, maxCalls: number, now: () => number) {
  const calls = { made: 0, refused: 0 };
  const leases: { readonly at: number; readonly leaseMs: number }[] = [];
  const limited = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return async (...parameters: readonly unknown[]): Promise<unknown> => {
        calls.made += 1;
        if (calls.made > maxCalls) {
          calls.refused += 1;
          throw new WorkflowError("STORE_UNAVAILABLE", "too many subrequests");
        }
        for (const { renewLeaseMs } of name === "commit" ? (parameters[0] as Commit[]) : [])
          if (renewLeaseMs !== null) leases.push({ at: now(), leaseMs: renewLeaseMs });
        return Reflect.apply(member, target, parameters);
      };
    },
  });
  return { calls, leases, limited };
}

/** One invocation after another as long as each asks for the next, each with its own budget. */
async function driveChain({ maxTrips = 50, bodyMs = 0, stepCount = 1, ...given }: Given) {
  const time = createFakeTime();
  const starts: Record<string, number> = {};
  const body = async (key: string): Promise<void> => {
    starts[key] = (starts[key] ?? 0) + 1;
    await new Promise<void>((resolve) => void time.host.setTimer(bodyMs, resolve));
  };
  const WORK = defineWorkflow({ name: "work", timeout: "20 minutes" }, async (event, step) => {
    for (let count = 0; count < stepCount; count += 1)
      await Promise.all(
        Array.from({ length: given.width ?? 1 }, (_, index) =>
          step.do(`step ${count} ${index}`, () => body(`${event.instanceId} ${count} ${index}`)),
        ),
      );
  });
  const store = createMemoryStore({ now: time.now });
  const begunAt = time.now();
  const { calls, leases, limited } = limitCalls(store, maxTrips, time.now);
  const options = { workflows: { WORK }, host: time.host, logger: LOGGER };
  const trips = createTripCounter(maxTrips);
  const engine = createEngine({ ...options, store: trips.count(limited) });
  const outside = createEngine({ ...options, store });
  const ids = Array.from({ length: given.instanceCount }, (_, index) => ({ id: `i${index}` }));
  await outside.workflows.WORK.createBatch(ids);
  let invocations = 0;
  let mostCalls = 0;
  for (let isAsked = true; isAsked && invocations < 100; invocations += 1) {
    isAsked = false;
    calls.made = 0;
    const startedAt = time.now();
    const wake = async (): Promise<void> => void (isAsked = true);
    const platform = {
      defer: () => undefined,
      wakeNow: wake,
      wakeIn: wake,
      deadline: () => startedAt + LIVES_MS,
      trips,
    };
    void drive(engine, platform, { logger: LOGGER, lingerMs: 0 });
    await time.advance(LIVES_MS);
    mostCalls = Math.max(mostCalls, calls.made);
  }
  const { instances } = await outside.listInstances("work", { pageSize: 100 });
  const histories = await Promise.all(ids.map(({ id }) => outside.listHistory("work", id, {})));
  const steps = histories.flatMap((history) => history.steps);
  const isComplete = instances.every(({ details }) => details.status === "complete");
  const missedAfter = leases.map(({ at, leaseMs }) => leaseMs / (at - begunAt + 8000));
  return {
    missedAfter,
    isComplete,
    starts: Object.values(starts),
    steps,
    invocations,
    mostCalls,
    calls,
  };
}

test.each<readonly [string, Given]>([
  ["a step of 20 s", { instanceCount: 1, bodyMs: 20_000 }],
  ["a step of ten minutes", { instanceCount: 1, bodyMs: 600_000 }],
  ["ten steps of a minute", { instanceCount: 1, stepCount: 10, bodyMs: 60_000 }],
  ["sixty runs of three steps", { instanceCount: 60, stepCount: 3 }],
  ["twenty runs of steps that take a minute", { instanceCount: 20, stepCount: 2, bodyMs: 60_000 }],
  ["five runs of six bodies at once", { instanceCount: 5, stepCount: 3, bodyMs: 9000, width: 6 }],
  ["one run of more steps than there are trips", { instanceCount: 1, stepCount: 40, maxTrips: 12 }],
  ["the fewest trips there may be", { instanceCount: 3, stepCount: 3, maxTrips: 10 }],
])(
  "S9-013 within the trips of an invocation %s lose no attempt, and no call is refused",
  async (_name, given) => {
    const { isComplete, starts, steps, calls, mostCalls } = await driveChain(given);
    expect({ isComplete, refused: calls.refused }).toEqual({ isComplete: true, refused: 0 });
    expect(new Set(starts)).toEqual(new Set([1]));
    expect(steps).toHaveLength(starts.length);
    for (const step of steps) expect(step).toMatchObject({ attempts: 1, lostAttempts: 0 });
    expect(mostCalls).toBeLessThanOrEqual(given.maxTrips ?? 50);
  },
);

test("S9-013 a process that dies beside a long step, its trips short, is missed about as late as it has worked", async () => {
  const { missedAfter } = await driveChain({ instanceCount: 1, bodyMs: 600_000 });
  expect(missedAfter.length).toBeGreaterThan(10);
  expect(Math.max(...missedAfter)).toBeLessThanOrEqual(2);
});

test("S9-013 trips are used up before another invocation is begun: sixty runs of three steps take few", async () => {
  const { invocations } = await driveChain({ instanceCount: 60, stepCount: 3 });
  expect(invocations).toBeLessThanOrEqual(10);
});
