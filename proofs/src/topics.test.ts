/**
 * One message to ten thousand runs, on real databases, by an emitter that dies between two chunks: each run is told once.
 * `PROOF_WAITERS=100000` is the long form.
 */
import { createEngine, defineTopic, defineWorkflow, WorkflowError } from "@escapement/engine";
import { createSqlStore } from "@escapement/engine/store/sql";
import { afterEach, describe, expect, it } from "vitest";
import type { Store } from "../../packages/engine/src/ports/store.ts";
import { openDatabase } from "./subjects/open-database.ts";
import { EMBEDDED, POSTGRES, type TestSubject } from "./subjects/test-database.ts";

const WAITERS = Number(process.env["PROOF_WAITERS"] ?? "10000");
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

async function openStore({ url }: TestSubject): Promise<Store> {
  const store = createSqlStore({ database: await openDatabase(url) });
  closing.push(() => store.close());
  return store;
}

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

describe.each([POSTGRES, EMBEDDED])("a topic on $name", (kind) => {
  it(`S6-015 ${WAITERS} runs that wait are told once each, though the emitter dies between two chunks`, async () => {
    const subject = await kind.open();
    closing.push(() => subject.remove());
    const store = await openStore(subject);
    const engine = createProcess(store);
    const ids = Array.from({ length: WAITERS }, (_, n) => ({ id: `l-${n}` }));
    for (let from = 0; from < WAITERS; from += 100)
      await engine.workflows.LISTENER.createBatch(ids.slice(from, from + 100));
    const drain = async (): Promise<void> => {
      for (let processed = 1; processed > 0;)
        ({ processed } = await engine.tick({ maxInstances: WAITERS }));
    };
    await drain();
    expect(await engine.listWaiters(news, { limit: 1000 })).toHaveLength(1000);
    const emitter = dyingAfter(store, CHUNKS);
    const died = await createProcess(emitter.store).emit(news, 1, { id: "first" });
    expect(died).toEqual({ duplicate: false, delivered: CHUNKS * CHUNK });
    // Somebody emits another before the first is handed on: nobody who waits gets it in its place.
    const other = dyingAfter(store, Infinity);
    const second = await createProcess(other.store).emit(news, 2);
    expect(second).toEqual({ duplicate: false, delivered: WAITERS - (CHUNKS + 1) * CHUNK });
    expect(other.trips()).toBe(1 + (WAITERS - (CHUNKS + 1) * CHUNK) / CHUNK);
    expect(await engine.emit(news, 3, { id: "first" })).toEqual({ duplicate: true, delivered: 0 });
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
    expect(counts).toEqual(new Map([[1, WAITERS]]));
    for (const id of ["l-0", `l-${WAITERS - 1}`])
      expect((await engine.listHistory("listener", id, {})).events).toHaveLength(1);
    expect(await engine.listWaiters(news)).toEqual([]);
    expect(await engine.nextWake()).toBe(null);
  }, 600_000);
});
