/** Requests that wait: they end when their caller leaves, and their number is limited. */
import { describe, expect, it } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createFaultStore } from "../testing/fault-store.ts";
import { createHarness } from "../testing/harness.ts";
import { createWaitLimit } from "./wait-limit.ts";

const ORDER = defineWorkflow({ name: "order" }, async (_event, step) => {
  await step.sleep("for long", "30 days");
});
const BASE = "http://127.0.0.1/api/workflows/workflows/order/instances";

function open() {
  const looks = new Map<string, () => void>();
  const store = createFaultStore(createMemoryStore(), ({ verb }) => {
    looks.get(verb)?.();
    return "none";
  });
  const logger = { log: (): void => undefined };
  const engine = createEngine({ workflows: { ORDER }, store, http: { open: true }, logger });
  /** Resolves with the next call of the verb. */
  const nextLook = (verb: string) => new Promise<void>((resolve) => looks.set(verb, resolve));
  return { engine, nextLook };
}

describe("a request that waits", () => {
  it.each([
    ["getInstance", "/a?waitMs=20000", "loadInstance", "GET"],
    ["getReply", "/a/events/e/reply?waitMs=20000", "loadReply", "GET"],
    ["readProgress", "/a/stream?waitMs=20000", "readProgress", "GET"],
    ["createInstance", "?waitMs=20000", "loadInstance", "POST"],
  ])(
    "S6-019 %s ends when its caller leaves, whatever it waits for",
    async (_name, path, verb, method) => {
      const { engine, nextLook } = open();
      await engine.workflows.ORDER.create({ id: "a" });
      await engine.sendEvent("order", "a", { type: "e", eventId: "e" });
      const leaving = new AbortController();
      const looked = nextLook(verb);
      const answering = engine.fetch(
        new Request(`${BASE}${path}`, { method, signal: leaving.signal }),
      );
      await looked;
      leaving.abort();
      expect((await answering).status).toBe(200);
    },
  );

  it("S6-019 thousands look less often the more they are, and are told of what this process runs at once", async () => {
    const time = createFakeTime();
    const store = createFaultStore(createMemoryStore({ now: time.now }));
    const harness = createHarness({ workflows: { ORDER }, store: { store, clock: time } });
    await harness.workflows.ORDER.create({ id: "a" });
    const before = store.calls.length;
    const waits = Array.from({ length: 1000 }, () =>
      harness.engine.getInstance("order", "a", { waitMs: 20_000 }),
    );
    for (let seconds = 0; seconds < 10; seconds += 0.1) await harness.clock.advance(100);
    // One look each when they arrive, and 100 a second, some of them early.
    expect(store.calls.length - before).toBeLessThan(1000 + 10 * 250);
    const inHand = store.calls.length;
    await harness.tick();
    const ticked = store.calls.slice(inHand).filter(({ verb }) => verb !== "loadInstance").length;
    expect(store.calls.length - inHand).toBeGreaterThanOrEqual(1000 + ticked);
    await harness.engine.control("order", "a", "terminate");
    for (let seconds = 0; seconds < 10; seconds += 0.1) await harness.clock.advance(100);
    const ends = await Promise.all(waits);
    expect(new Set(ends.map(({ details }) => details.status))).toEqual(new Set(["terminated"]));
  });

  it("is refused where as many wait as may, and one that is over counts no longer", () => {
    let nowMs = 0;
    const waits = createWaitLimit(() => nowMs, 2);
    const release = waits.hold(1000);
    waits.hold(1000);
    expect(() => waits.hold(1000)).toThrow(expect.objectContaining({ code: "WAIT_LIMIT" }));
    release();
    release();
    waits.hold(5000);
    expect(() => waits.hold(1000)).toThrow("2 requests are waiting in this process already.");
    nowMs = 1000;
    waits.hold(1000);
    expect(() => waits.hold(1000)).toThrow(expect.objectContaining({ code: "WAIT_LIMIT" }));
  });
});
