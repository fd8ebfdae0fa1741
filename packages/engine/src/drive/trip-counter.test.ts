import { expect, test } from "vitest";
import type { Commit } from "../core/model/change.ts";
import { createEngine, defineWorkflow } from "../index.ts";
import type { Store } from "../ports/store.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createTripCounter } from "./trip-counter.ts";

const createCounted = (fields: Partial<Store> = {}) => {
  const { count, allow } = createTripCounter(10);
  return { store: count({ ...createMemoryStore(), commit: async () => [], ...fields }), allow };
};
const RUN = { workflowName: "four", instanceId: "x", runNumber: 1 };
const PLAIN = { changes: [] } as unknown as Commit;
const withOthers = () => ({ changes: [{ kind: "otherTables" }] }) as unknown as Commit;

test("an allowance is counted from where its invocation begins", async () => {
  const { store, allow } = createCounted();
  const read = () => store.loadSteps({ ...RUN, after: 0 });
  await read();
  const first = allow();
  expect(first()).toBe(10);
  await read();
  expect([first(), allow()()]).toEqual([9, 10]);
});

test("commits that share a trip are one, those with writes of other tables one each", async () => {
  const { store, allow } = createCounted();
  const left = allow();
  await store.commit([PLAIN, PLAIN]);
  expect(left()).toBe(9);
  await store.commit([PLAIN, withOthers(), withOthers()]);
  expect(left()).toBe(6);
  await store.commit([withOthers()]);
  expect(left()).toBe(5);
});

test("calls that never leave the process are not counted", async () => {
  const { store, allow } = createCounted({ isLocal: true });
  const left = allow();
  await store.commit([PLAIN]);
  expect(left()).toBe(Infinity);
});

test("S9-013 requests use up nothing of what the ticks beside them have", async () => {
  const { store, allow } = createCounted();
  const left = allow();
  await store.now();
  await store.loadInstance("four", "x");
  expect(left()).toBe(10);
});

test("S9-013 a tick over HTTP has the trips of the invocation that it comes in", async () => {
  const FOUR = defineWorkflow({ name: "four" }, async (_event, step) => {
    for (const name of ["a", "b", "c", "d"]) await step.do(name, () => name);
  });
  const engine = createEngine({
    workflows: { FOUR },
    store: createMemoryStore(),
    logger: { log: () => undefined },
    platform: {
      defer: () => undefined,
      wakeNow: async () => undefined,
      wakeIn: async () => undefined,
      deadline: () => null,
      trips: createTripCounter(10),
    },
    http: { open: true, tick: { bearerSecret: "a-bearer-secret-of-32-characters" } },
  });
  await engine.workflows.FOUR.create({ id: "x" });
  const tick = async (): Promise<unknown> => {
    const headers = { authorization: "Bearer a-bearer-secret-of-32-characters" };
    const url = "http://a.test/api/workflows/_runner/tick";
    return (await engine.fetch(new Request(url, { headers }))).json();
  };
  expect(await tick()).toMatchObject({ processed: 1, steps: 3, moreDue: true });
  expect(await tick()).toMatchObject({ processed: 1, steps: 1 });
});
