/** Who waits for the end of a run, on each store: in its own process, from outside of it, and over HTTP. */
import {
  createEngine,
  defineWorkflow,
  type Engine,
  NonRetryableError,
  type WorkflowError,
} from "@escapement/engine";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Store } from "../../../packages/engine/src/ports/store.ts";
import { SQLD } from "../subjects/test-database.ts";
import { overSql, REAL_STORES, type RealStore } from "./real-stores.ts";

const quote = defineWorkflow(
  {
    name: "quote",
    schema: z.object({ nights: z.number() }),
    output: z.object({ cents: z.number() }),
  },
  ({ payload }, step) => step.do("price", () => ({ cents: payload.nights * 9000 })),
);
const broken = defineWorkflow({ name: "broken" }, (_event, step) =>
  step.do("charge", () => {
    throw new NonRetryableError("card refused", "CardError");
  }),
);
const asking = defineWorkflow({ name: "asking" }, async (_event, step) => {
  const { payload } = await step.waitForEvent("go", { type: "go" });
  return payload;
});
const workflows = { QUOTE: quote, BROKEN: broken, ASKING: asking };

/** Longer than the test may take. */
const HOUR_MS = 3_600_000;

const STORES = [
  ...REAL_STORES.map((kind) => [kind.name, kind, true] as const),
  [SQLD.name, overSql(SQLD), SQLD.isAvailable] as const,
];

describe.each(STORES)("results on %s", (_name, { open }, isAvailable) => {
  let opened: RealStore;
  let engine: Engine<typeof workflows>;
  let looks = 0;
  let stop: () => Promise<unknown>;

  beforeEach(async () => {
    if (!isAvailable) return;
    opened = await open();
    looks = 0;
    const loadInstance: Store["loadInstance"] = (...ref) => {
      looks += 1;
      return opened.store.loadInstance(...ref);
    };
    engine = createEngine({
      workflows,
      store: { ...opened.store, loadInstance },
      http: { open: true },
      logger: { log: () => undefined },
    });
    const loop = engine.startLoop();
    stop = () => loop.stop();
  });
  afterEach(async () => {
    if (!isAvailable) return;
    await stop();
    await opened.close();
  });

  const codeOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      (value) => ({ value }),
      (error: WorkflowError) => `${error.name} ${error.code}`,
    );

  const ask = async (path: string, body?: unknown) => {
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    const request = new Request(
      `http://a.test/api/workflows/workflows/asking/instances${path}`,
      body === undefined ? {} : { ...init, body: JSON.stringify(body) },
    );
    const answer = await engine.fetch(request);
    return (await answer.json()) as { readonly details: { readonly status: string } };
  };

  it.skipIf(!isAvailable)(
    "S6-019 execute gives the typed output or throws the run's error, and its process takes no look for it",
    async () => {
      const { QUOTE, BROKEN } = engine.workflows;
      const { cents } = await QUOTE.execute({ params: { nights: 2 }, timeout: HOUR_MS });
      expect(cents).toBe(18_000);
      expect(await codeOf(BROKEN.execute({ timeout: HOUR_MS }))).toBe("CardError NON_RETRYABLE");
      expect(looks).toBe(0);
    },
  );

  it.skipIf(!isAvailable)(
    "S6-019 result waits for the end, whoever brings it about, and says when it has waited long enough",
    async () => {
      const asked = await engine.workflows.ASKING.create({ id: "a" });
      expect(await codeOf(asked.result({ timeout: 20 }))).toMatch(/ RESULT_TIMEOUT$/);
      const result = asked.result({ timeout: HOUR_MS });
      await asked.sendEvent({ type: "go", payload: { by: "ada" } });
      expect(await result).toEqual({ by: "ada" });
      expect(await asked.result()).toEqual({ by: "ada" });
      const other = await engine.workflows.ASKING.create({ id: "b" });
      const terminated = codeOf(other.result({ timeout: HOUR_MS }));
      await other.terminate();
      expect(await terminated).toMatch(/ INSTANCE_TERMINATED$/);
    },
  );

  it.skipIf(!isAvailable)(
    "S6-019 a long poll over HTTP ends with the run, and else when its time is up",
    async () => {
      const created = await ask("?waitMs=30", { id: "a" });
      expect(["queued", "running", "waiting"]).toContain(created.details.status);
      // As long as a poll may be: it is answered by the end of the run, not by its time.
      const poll = ask("/a?waitMs=20000");
      await (await engine.workflows.ASKING.get("a")).sendEvent({ type: "go", payload: 7 });
      expect(await poll).toMatchObject({ details: { status: "complete", output: 7 } });
      expect(await ask("/a?waitMs=20000")).toMatchObject({ details: { output: 7 } });
    },
  );
});
