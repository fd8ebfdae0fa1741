/** An object whose database is elsewhere, on a plan with 50 subrequests per invocation, in time that the test moves. */
import {
  createEngine,
  defineWorkflow,
  type EngineOptions,
  WorkflowError,
} from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { afterEach, expect, test, vi } from "vitest";
import { host, type ObjectContext } from "./index.ts";
import type { CloudflarePlatformOptions } from "./platform.ts";

const MAX_SUBREQUESTS = 50;
const STEP_MS = 250;

type Store = EngineOptions<Record<string, never>>["store"];

afterEach(() => vi.useRealTimers());

/** Counts the network requests of an invocation, including a fetch in a step's body. */
function createNetwork() {
  const network = {
    made: 0,
    most: 0,
    call: (): void => {
      network.made += 1;
      network.most = Math.max(network.most, network.made);
      if (network.made > MAX_SUBREQUESTS)
        throw new WorkflowError("STORE_UNAVAILABLE", "too many subrequests");
    },
    reach: (store: Store): Store =>
      new Proxy(store, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== "function") return member;
          return async (...parameters: readonly unknown[]): Promise<unknown> => {
            network.call();
            return Reflect.apply(member, target, parameters);
          };
        },
      }),
  };
  return network;
}

const createContext = (storage: ObjectContext["storage"]): ObjectContext => ({
  storage,
  waitUntil: () => undefined,
  blockConcurrencyWhile: (work) => work(),
});

const WORK = "work";

interface Work {
  readonly instanceCount: number;
  readonly stepCount: number;
  readonly bodyMs: number;
}

/** Fires the object's alarm whenever it is due, each time as a new invocation, until no alarm is set. */
async function runWork(
  { instanceCount, stepCount, bodyMs }: Work,
  options: CloudflarePlatformOptions = {},
) {
  vi.useFakeTimers({
    now: Date.parse("2026-11-21T12:00:00Z"),
    toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  });
  const network = createNetwork();
  const starts: Record<string, number> = {};
  const definition = defineWorkflow({ name: WORK }, async ({ instanceId }, step) => {
    for (let count = 0; count < stepCount; count += 1)
      await step.do(`step ${count}`, async () => {
        const key = `${instanceId} ${count}`;
        starts[key] = (starts[key] ?? 0) + 1;
        network.call();
        await new Promise((resolve) => void setTimeout(resolve, bodyMs));
      });
  });
  const storage = {
    armedAt: Infinity,
    getAlarm: async () => (storage.armedAt === Infinity ? null : storage.armedAt),
    setAlarm: async (at: number) => void (storage.armedAt = at),
  };
  const logger = { log: () => undefined };
  const store = createMemoryStore();
  const object = host(
    createContext(storage),
    (platform) =>
      createEngine({
        workflows: { WORK: definition },
        store: network.reach(store),
        platform,
        logger,
      }),
    { logger, ...options },
  );
  const outside = createEngine({ workflows: { WORK: definition }, store, logger });
  const ids = Array.from({ length: instanceCount }, (_, index) => ({ id: `i${index}` }));
  await outside.createBatch(WORK, ids);
  storage.armedAt = Date.now();
  let rung: Promise<void> | null = null;
  let alarms = 0;
  for (let passed = 0; passed < 8000 && (rung !== null || storage.armedAt < Infinity); passed++) {
    if (rung === null && storage.armedAt <= Date.now()) {
      storage.armedAt = Infinity;
      network.made = 0;
      alarms += 1;
      rung = object.alarm().finally(() => (rung = null));
      rung.catch(() => (storage.armedAt = Math.min(storage.armedAt, Date.now() + 2000)));
    }
    await vi.advanceTimersByTimeAsync(STEP_MS);
    await new Promise((resolve) => void setImmediate(resolve));
  }
  const { instances } = await outside.listInstances(WORK, { pageSize: 100 });
  const histories = await Promise.all(ids.map(({ id }) => outside.listHistory(WORK, id, {})));
  return {
    alarms,
    most: network.most,
    isComplete: instances.every(({ details }) => details.status === "complete"),
    starts: Object.values(starts),
    steps: histories.flatMap(({ steps }) => steps),
  };
}

test.each<readonly [string, Work]>([
  ["a step of 20 s", { instanceCount: 1, stepCount: 1, bodyMs: 20_000 }],
  ["a step of nine minutes", { instanceCount: 1, stepCount: 1, bodyMs: 540_000 }],
  ["ten steps of 20 s", { instanceCount: 1, stepCount: 10, bodyMs: 20_000 }],
  ["thirty runs of three short steps", { instanceCount: 30, stepCount: 3, bodyMs: 10 }],
  ["ten runs of a minute's steps", { instanceCount: 10, stepCount: 2, bodyMs: 60_000 }],
])(
  "S9-013 with 50 subrequests an invocation %s lose no attempt: what is left goes to the next alarm",
  async (_name, work) => {
    const { isComplete, most, starts, steps } = await runWork(work);
    expect({ isComplete, isWithin: most <= MAX_SUBREQUESTS }).toEqual({
      isComplete: true,
      isWithin: true,
    });
    expect(starts).toEqual(starts.map(() => 1));
    expect(steps).toHaveLength(work.instanceCount * work.stepCount);
    for (const step of steps) expect(step).toMatchObject({ attempts: 1, lostAttempts: 0 });
  },
);

test("S9-013 on a plan with more subrequests an invocation goes on for longer", async () => {
  const work: Work = { instanceCount: 10, stepCount: 3, bodyMs: 10 };
  const few = await runWork(work);
  vi.useRealTimers();
  expect(few.alarms).toBeGreaterThan(1);
  expect(await runWork(work, { maxTrips: Infinity })).toMatchObject({ alarms: 1 });
});

test.each([0, 9, 10.5, -1, Number.NaN])("maxTrips of %d is refused", (maxTrips) => {
  const context = createContext({ getAlarm: async () => null, setAlarm: async () => undefined });
  const open = (): unknown => host(context, () => ({}) as never, { maxTrips });
  expect(open).toThrow(expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }));
});
