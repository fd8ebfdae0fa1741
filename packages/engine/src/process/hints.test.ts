import { expect, test } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { DatabaseError } from "@escapement/db/client";
import type { Hints, Store } from "../ports/store.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createEngine, type Engine } from "../verbs/engine.ts";

const woken: number[] = [];
const time = createFakeTime();
const NAP = defineWorkflow({ name: "nap" }, async (event, step) => {
  await step.sleep("nap", Number(event.payload));
  await step.do("after", () => void woken.push(time.now()));
});

interface Subject {
  readonly ears: Set<Hints>;
  /** The times of claims, in milliseconds from the hundredth after the first. */
  readonly claims: number[];
  readonly events: string[];
  readonly engine: Engine<{ NAP: typeof NAP }>;
  /** Another process's engine, which notifies nobody. */
  readonly other: Engine<{ NAP: typeof NAP }>;
  hint(): void;
  stop(): Promise<void>;
}

/** A loop that looks by itself once an hour, on a store that sends the hints of the test. */
async function startListening(): Promise<Subject> {
  const ears = new Set<Hints>();
  const claims: number[] = [];
  const events: string[] = [];
  let startedAt = time.now();
  const memory = createMemoryStore({ now: time.now });
  const store: Store = {
    ...memory,
    claim: (request) => {
      claims.push(time.now() - startedAt);
      return memory.claim(request);
    },
    listen: (hints) => {
      ears.add(hints);
      return () => void ears.delete(hints);
    },
  };
  const logger = { log: (_level: string, event: string) => void events.push(event) };
  const options = { workflows: { NAP }, host: time.host, logger };
  const engine = createEngine({ ...options, store });
  const loop = engine.startLoop({ pollMs: 3_600_000 });
  await time.advance(100);
  claims.length = 0;
  startedAt = time.now();
  return {
    ears,
    claims,
    events,
    engine,
    other: createEngine({ ...options, store: memory }),
    hint: () => {
      for (const { onHint } of ears) onHint();
    },
    stop: async () => {
      const ended = loop.stop();
      await time.advance(1);
      await ended;
    },
  };
}

test("S4-029 a hint is looked at within its moment, and what comes faster than every 20 ms shares a look", async () => {
  const { claims, hint, stop } = await startListening();
  hint();
  await time.advance(1);
  expect(claims).toEqual([0]);
  for (let ms = 1; ms < 100; ms += 1) {
    hint();
    hint();
    await time.advance(1);
  }
  await time.advance(1000);
  expect(claims).toEqual([0, 20, 40, 60, 80, 100]);
  hint();
  await stop();
  hint();
  expect(claims).toHaveLength(6);
});

test("S4-029 hints that bring nothing put off nothing that this process knows of", async () => {
  const { engine, hint, stop } = await startListening();
  await engine.workflows.NAP.create({ params: 30_300 });
  const startedAt = time.now();
  await time.advance(30_000);
  woken.length = 0;
  for (let ms = 0; ms < 200; ms += 5) {
    hint();
    await time.advance(5);
  }
  await time.advance(99);
  expect(woken).toEqual([]);
  await time.advance(1);
  expect(woken).toEqual([startedAt + 30_300]);
  await stop();
});

test("S4-029 a notification that is lost costs the time until the poll, and nothing else", async () => {
  const { other, stop } = await startListening();
  woken.length = 0;
  await other.workflows.NAP.create({ params: 0 });
  await time.advance(3_590_000);
  expect(woken).toEqual([]);
  await time.advance(10_000);
  expect(woken).toHaveLength(1);
  await stop();
});

test("S4-029 trouble with listening is said once a minute, and that it is given up, once", async () => {
  const { ears, events, stop } = await startListening();
  const [ear] = ears;
  const error = new DatabaseError("DATABASE_UNAVAILABLE", "too many connections");
  for (let second = 0; second < 60; second += 1) {
    ear?.onTrouble(error, false);
    await time.advance(1000);
  }
  expect(events).toEqual(["loop.listen_failed"]);
  ear?.onTrouble(error, true);
  expect(events).toEqual(["loop.listen_failed", "loop.not_notified"]);
  await stop();
  expect(ears.size).toBe(0);
});
