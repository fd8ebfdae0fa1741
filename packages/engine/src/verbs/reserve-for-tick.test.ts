import { describe, expect, test, vi } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import type { Platform } from "../ports/platform.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createDrain, type DrainOptions } from "../drive/drain.ts";
import { createEngine } from "./engine.ts";

const LIVES_MS = 60_000;

const three = defineWorkflow({ name: "three" }, async (_, step) => {
  for (const name of ["a", "b", "c"]) await step.do(name, async () => name);
});
const naps = defineWorkflow({ name: "naps" }, ({ payload }, step) =>
  step.sleep("nap", (payload as { readonly napMs: number }).napMs),
);
const waits = defineWorkflow({ name: "waits" }, async (_, step) => {
  await step.waitForEvent("wait", { type: "go" });
  await step.do("after", async () => "done");
});

/** A process whose invocation lives on after its answer, on a store that counts its trips. */
function open(given: Partial<DrainOptions> & { readonly platform?: Partial<Platform> } = {}) {
  const time = createFakeTime();
  const calls: string[] = [];
  const counted = new Proxy(createMemoryStore({ now: time.now }), {
    get: (store, name) => {
      const member: unknown = Reflect.get(store, name);
      if (typeof member !== "function") return member;
      return (...parameters: readonly unknown[]): unknown => {
        calls.push(String(name));
        return Reflect.apply(member, store, parameters);
      };
    },
  });
  const deferred: Promise<unknown>[] = [];
  const wakeIn = vi.fn<Platform["wakeIn"]>(async () => undefined);
  const logger = { log: vi.fn<(level: string, event: string, fields: object) => void>() };
  const endsAt = time.now() + LIVES_MS;
  const { platform: others, ...options } = given;
  const { platform } = createDrain({
    deadline: () => endsAt,
    defer: (work) => void deferred.push(work.catch(() => undefined)),
    handOver: async () => undefined,
    wakeIn,
    wakesFor: "own",
    bounds: { logger, lingerMs: 0 },
    now: time.now,
    ...options,
  });
  const engine = createEngine({
    workflows: { three, naps, waits },
    store: counted,
    host: time.host,
    logger,
    platform: { ...platform, ...others },
  });
  const settle = async (): Promise<void> => {
    for (let seen = -1; seen < deferred.length;) {
      seen = deferred.length;
      await Promise.all(deferred);
    }
  };
  const statusOf = async (name: string, id: string) =>
    (await engine.getInstance(name, id)).details.status;
  return { time, calls, engine, settle, wakeIn, logger, statusOf };
}

describe("S9-012 a process that stays for its tick", () => {
  test("a create claims its run in its own trip, and the tick begins with it", async () => {
    const { calls, engine, settle, statusOf } = open();
    const { id } = await engine.workflows.three.create();
    await settle();
    expect(calls).toEqual(["create", "commit", "commit", "commit"]);
    expect(await statusOf("three", id)).toBe("complete");
  });

  test("an event claims the run that it wakes in its own trip, and the tick begins with it", async () => {
    const { calls, engine, settle, statusOf } = open();
    const { id } = await engine.workflows.waits.create();
    await settle();
    calls.length = 0;
    await engine.sendEvent("waits", id, { type: "go" });
    await settle();
    expect(calls).toEqual(["sendEvent", "commit"]);
    expect(await statusOf("waits", id)).toBe("complete");
  });

  test("several at once share a tick, and those for which there is no slot are claimed by another", async () => {
    const { calls, engine, settle } = open();
    const created = await engine.workflows.naps.createBatch(
      Array.from({ length: 40 }, (_, index) => ({ id: `n${index}`, params: { napMs: 1e6 } })),
    );
    await settle();
    expect(created).toHaveLength(40);
    const { instances: asleep } = await engine.listInstances("naps", { pageSize: 100 });
    expect(asleep.every(({ details }) => details.status === "waiting")).toBe(true);
    expect(calls.filter((name) => name === "claim").length).toBeLessThanOrEqual(2);
  });

  test("one that found no slot is taken by whoever frees one, though each has an invocation of its own", async () => {
    const time = createFakeTime();
    let requestCount = 0;
    const deadline = (): number => time.now() + LIVES_MS + requestCount;
    const { engine, settle, statusOf } = open({ deadline });
    const requests = Array.from({ length: 33 }, () => {
      requestCount += 1;
      return engine.workflows.naps.create({ params: { napMs: 1e6 } });
    });
    const created = await Promise.all(requests);
    await settle();
    const statuses = await Promise.all(created.map(({ id }) => statusOf("naps", id)));
    expect(new Set(statuses)).toEqual(new Set(["waiting"]));
  });

  test("what it parks is left to a wake that is still to come before, and else becomes the first link", async () => {
    const { time, engine, settle, wakeIn } = open();
    const nap = async (napMs: number): Promise<void> => {
      await engine.workflows.naps.create({ params: { napMs } });
      await settle();
    };
    await nap(50_000);
    const firstAt = time.now() + 50_000;
    await nap(55_000);
    await nap(40_000);
    expect(wakeIn.mock.calls.map(([delayMs, { thenWakeAt }]) => [delayMs, thenWakeAt])).toEqual([
      [50_000, null],
      [40_000, firstAt],
    ]);
  });

  test("where others are not woken for what is due, the tick looks for it", async () => {
    const { calls, engine, settle } = open({ wakesFor: "any" });
    await engine.workflows.three.create();
    await settle();
    expect(calls.filter((name) => name === "claim")).not.toEqual([]);
  });

  test("a run whose tick cannot be begun is handed back at once", async () => {
    const wakeNow = async (): Promise<never> => Promise.reject(new TypeError("no"));
    const { engine, settle, statusOf, logger } = open({ platform: { wakeNow } });
    const { id } = await engine.workflows.three.create();
    await settle();
    expect(logger.log.mock.calls.map(([, event]) => event)).toContain("wake.failed");
    await engine.tick({ maxInstances: 1 });
    expect(await statusOf("three", id)).toBe("complete");
  });
});
