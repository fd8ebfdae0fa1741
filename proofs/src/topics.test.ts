/**
 * One message to ten thousand runs, on each store, by an emitter that dies between two chunks: each run is told once.
 * `PROOF_WAITERS=100000` is the long form; `PROOF_WAITERS=10000` has as many in memory and on sqld too.
 */
import { createEngine, defineTopic, defineWorkflow, WorkflowError } from "@escapement/engine";
import { ofToday } from "@escapement-internal/test-servers";
import { afterEach, describe, expect, it } from "vitest";
import type { Store } from "../../packages/engine/src/ports/store.ts";
import { overSql, REAL_STORES } from "./rows/real-stores.ts";
import { SQLD } from "./subjects/test-database.ts";

/** @param short where nobody says how many */
const waitersOf = (short: number): number => Number(process.env["PROOF_WAITERS"] ?? short);
const CHUNK = 500;
/** Chunks that the emitter hands on before it dies. */
const CHUNKS = 7;

const news = defineTopic({ name: "news" });
const listener = defineWorkflow({ name: "listener" }, async (_event, step) => {
  const { payload } = await step.waitForTopic("news", news);
  return payload;
});

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A process of its own. */
const createProcess = (store: Store) =>
  createEngine({
    workflows: { LISTENER: listener },
    topics: [news],
    store,
    logger: { log: () => undefined },
    concurrency: 128,
  });

/** Of the emitter's store: it dies after so many chunks, and what it has sent is lost with it or not. */
function dyingAfter(store: Store, chunks: number): { readonly store: Store; trips: () => number } {
  let trips = 0;
  const dead = new WorkflowError("STORE_UNAVAILABLE", "the process is dead");
  return {
    trips: () => trips,
    store: {
      ...store,
      emit: async (request) => {
        trips += 1;
        return store.emit(request);
      },
      deliver: async (request) => {
        trips += 1;
        if (trips <= chunks + 1) return store.deliver(request);
        if (trips === chunks + 2) await store.deliver(request);
        throw dead;
      },
    },
  };
}

const [memory, ...databases] = REAL_STORES;
/** By the day: one of the databases with as many as the promise says, or the libSQL server with half of them. */
const STORES = [
  ...(memory === undefined ? [] : [[memory, waitersOf(5000)] as const]),
  ...ofToday(
    [
      ...databases.map((kind) => [kind, waitersOf(10_000)] as const),
      ...(SQLD.isAvailable ? [[overSql(SQLD), waitersOf(5000)] as const] : []),
    ],
    2,
  ),
];

describe.each(STORES)("a topic on $name", ({ open }, waiters) => {
  it(`S6-015 ${waiters} runs that wait are told once each, though the emitter dies between two chunks`, async () => {
    const { store, close } = await open();
    closing.push(close);
    const engine = createProcess(store);
    const ids = Array.from({ length: waiters }, (_, n) => ({ id: `l-${n}` }));
    for (let from = 0; from < waiters; from += 100)
      await engine.workflows.LISTENER.createBatch(ids.slice(from, from + 100));
    const drain = async (): Promise<void> => {
      for (let processed = 1; processed > 0;)
        ({ processed } = await engine.tick({ maxInstances: waiters }));
    };
    await drain();
    expect(await engine.listWaiters(news, { limit: 1000 })).toHaveLength(1000);
    const emitter = dyingAfter(store, CHUNKS);
    const died = await createProcess(emitter.store).emit(news, 1, { id: "first" });
    expect(died).toEqual({ duplicate: false, delivered: CHUNKS * CHUNK });
    // Somebody emits another before the first is handed on: nobody who waits gets it in its place.
    const other = dyingAfter(store, Infinity);
    const second = await createProcess(other.store).emit(news, 2);
    expect(second).toEqual({ duplicate: false, delivered: waiters - (CHUNKS + 1) * CHUNK });
    expect(other.trips()).toBe(1 + (waiters - (CHUNKS + 1) * CHUNK) / CHUNK);
    expect(await engine.emit(news, 1, { id: "first" })).toEqual({ duplicate: true, delivered: 0 });
    await expect(engine.emit(news, 3, { id: "first" })).rejects.toMatchObject({
      code: "EVENT_ID_CONFLICT",
    });
    await drain();
    const counts = new Map<unknown, number>();
    for (let cursor: string | undefined, more = true; more;) {
      const page = await engine.listInstances("listener", {
        pageSize: 100,
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const { details } of page.instances) {
        const told = details.status === "complete" ? details.output : details.status;
        counts.set(told, (counts.get(told) ?? 0) + 1);
      }
      ({ cursor, hasNextPage: more } = page);
    }
    expect(counts).toEqual(new Map([[1, waiters]]));
    for (const id of ["l-0", `l-${waiters - 1}`])
      expect((await engine.listHistory("listener", id, {})).events).toHaveLength(1);
    expect(await engine.listWaiters(news)).toEqual([]);
    expect(await engine.nextWake()).toBe(null);
  }, 600_000);
});
