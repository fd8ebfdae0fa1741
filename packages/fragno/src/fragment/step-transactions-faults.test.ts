/** Step transactions whose runner dies, or whose database does not answer, at every point of the commit. */
import { DatabaseError } from "@escapement/db/client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Commit, Store } from "@escapement/engine/internal";
import type { Engine } from "@escapement/engine";
import { defineWorkflow } from "./authoring.ts";
import { createDyingStore, createLatch, hasForeignWrites } from "./testing-dying-store.ts";
import {
  type Bench,
  bankSchema,
  openBench,
  runUntilIdle,
  SERIALIZABLE,
  SERVERS,
} from "./testing-step-tx.ts";

const LEASE_MS = 30_000;

/** Two steps that write, and what replay sees of them. */
const transfer = (name: string, bodies: string[]) =>
  defineWorkflow({ name }, async (_event, step) => {
    const write = (key: string): Promise<string> =>
      step.do(key, (tx) => {
        bodies.push(key);
        tx.mutate(({ forSchema }) => {
          forSchema(bankSchema).create("entry", { key: `${name}-${key}` });
        });
        return key;
      });
    return [await write("debit"), await write("credit")];
  });

describe.each([...SERVERS, SERIALIZABLE])("step transactions under faults on $name", (kind) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(kind);
  });
  afterEach(() => bench.meddle((_statements, send) => send()));
  afterAll(() => bench.close());

  const entries = (prefix: string) =>
    bench.query(
      `select "key" from "entry_bank" where "key" like '${prefix}-%' order by "_internalId"`,
    );
  const bothOnce = (name: string) => [{ key: `${name}-debit` }, { key: `${name}-credit` }];

  async function expectDone(engine: Pick<Engine, "getInstance">, name: string): Promise<void> {
    const { details } = await engine.getInstance(name, "i");
    expect(details).toMatchObject({ status: "complete", output: ["debit", "credit"] });
    expect(await entries(name)).toEqual(bothOnce(name));
  }

  test.each([
    { commit: 1, death: "before", bodies: ["debit", "debit", "credit"] },
    { commit: 1, death: "after", bodies: ["debit", "credit"] },
    { commit: 2, death: "before", bodies: ["debit", "credit", "credit"] },
    { commit: 2, death: "after", bodies: ["debit", "credit"] },
  ] as const)(
    "S1-006 the runner dies $death commit $commit: each step's writes are there once, with its record",
    async ({ commit, death, bodies }) => {
      const name = `dies-${death}-${commit}`;
      const started: string[] = [];
      const workflow = transfer(name, started);
      const { store, died } = createDyingStore(bench.store, { commit, death });
      const dying = bench.createEngine({ W: workflow }, store);
      await dying.createInstance(name, { id: "i" });
      void dying.tick();
      await died;
      const written = await entries(name);
      const heir = bench.createEngine({ W: workflow });
      const { steps } = await heir.listHistory(name, "i", {});
      const completed = steps.filter(({ status }) => status === "completed");
      expect(completed.map((step) => ({ key: `${name}-${step.name}` }))).toEqual(written);
      await bench.clock.advance(LEASE_MS + 1);
      await runUntilIdle(heir);
      await expectDone(heir, name);
      expect(started).toEqual(bodies);
      const after = await heir.listHistory(name, "i", {});
      // No commit named these bodies: they started after a claim, or after a commit that did not know them yet.
      expect(after.steps.map((step) => step.lostAttempts)).toEqual([0, 0]);
    },
  );

  test.each(["before", "after"] as const)(
    "S1-006 the database does not answer, and was lost %s it had committed: the commit is repeated, its writes are not",
    async (moment) => {
      const name = `lost-${moment}`;
      const started: string[] = [];
      const workflow = transfer(name, started);
      let faults = 0;
      bench.meddle(async (statements, send) => {
        const isWrite = statements.some(({ text }) => text.includes(`insert into "entry_bank"`));
        if (!isWrite || faults >= 2) return send();
        faults += 1;
        if (moment === "after") await send();
        throw new DatabaseError("DATABASE_UNAVAILABLE", "the answer was lost");
      });
      const engine = bench.createEngine({ W: workflow });
      await engine.createInstance(name, { id: "i" });
      await runUntilIdle(engine);
      await expectDone(engine, name);
      expect(started).toEqual(["debit", "credit"]);
      expect(faults).toBe(2);
    },
  );

  test("two tries of one commit at the same time write once", async () => {
    const name = "doubled";
    const workflow = transfer(name, []);
    const commit: Store["commit"] = async (batch) => {
      const both = [bench.store.commit(batch), bench.store.commit(batch)] as const;
      const [result, other] = await Promise.all(both);
      expect(other.map((one) => one.kind)).toEqual(result.map((one) => one.kind));
      return result;
    };
    const engine = bench.createEngine({ W: workflow }, { ...bench.store, commit });
    await engine.createInstance(name, { id: "i" });
    await runUntilIdle(engine);
    await expectDone(engine, name);
  });

  test("two runners that hold the same run for one: the one without the lease writes nothing", async () => {
    const name = "overtaken";
    const started: string[] = [];
    const workflow = transfer(name, started);
    const { store, died } = createDyingStore(bench.store, { commit: 1, death: "before" });
    let late: readonly Commit[] = [];
    const commit: Store["commit"] = (batch) => {
      if (batch.some(hasForeignWrites)) late = batch;
      return store.commit(batch);
    };
    const slow = bench.createEngine({ W: workflow }, { ...store, commit });
    await slow.createInstance(name, { id: "i" });
    void slow.tick();
    await died;
    await bench.clock.advance(LEASE_MS + 1);
    const heir = bench.createEngine({ W: workflow });
    await runUntilIdle(heir);
    expect(await bench.store.commit(late)).toEqual([{ kind: "conflict" }]);
    await expectDone(heir, name);
  });

  test("a step that may run once is not run again when its runner died, and nothing of it is written", async () => {
    const name = "at-most-once";
    const started: string[] = [];
    const workflow = defineWorkflow(
      { name, retries: { limit: 0, delay: 0 } },
      async (_event, step) =>
        step.do("write", (tx) => {
          started.push("write");
          tx.mutate(({ forSchema }) => {
            forSchema(bankSchema).create("entry", { key: `${name}-write` });
          });
        }),
    );
    const { store, died } = createDyingStore(bench.store, { commit: 1, death: "before" });
    const dying = bench.createEngine({ W: workflow }, store);
    await dying.createInstance(name, { id: "i" });
    void dying.tick();
    await died;
    await bench.clock.advance(LEASE_MS + 1);
    const heir = bench.createEngine({ W: workflow });
    await runUntilIdle(heir);
    expect(started).toEqual(["write"]);
    expect(await entries(name)).toEqual([]);
    expect((await heir.getInstance(name, "i")).details.error?.name).toBe("StepMaxAttemptsExceeded");
  });

  test("S5-017 a body after a step that wrote is named by no commit: its lost attempt is booked on nobody", async () => {
    const name = "counted";
    let started = 0;
    const workflow = defineWorkflow({ name }, async (_event, step) => {
      await step.do("write", (tx) => {
        tx.mutate(({ forSchema }) => {
          forSchema(bankSchema).create("entry", { key: `${name}-write` });
        });
      });
      await step.do("next", () => {
        started += 1;
        return started === 1 ? new Promise(() => {}) : started;
      });
      await step.do("last", () => null);
    });
    const { store } = createDyingStore(bench.store, { commit: 9, death: "before" });
    const next = createLatch();
    const commit: Store["commit"] = async (batch) => {
      const result = await store.commit(batch);
      if (batch.some(hasForeignWrites)) next.open();
      return result;
    };
    const dying = bench.createEngine({ W: workflow }, { ...store, commit });
    await dying.createInstance(name, { id: "i" });
    void dying.tick();
    await next.opened;
    await bench.clock.advance(LEASE_MS + 1);
    const heir = bench.createEngine({ W: workflow });
    await runUntilIdle(heir);
    const { steps } = await heir.listHistory(name, "i", {});
    expect(steps.map((step) => [step.name, step.attempts, step.lostAttempts])).toEqual([
      ["write", 1, 0],
      ["next", 1, 0],
      ["last", 1, 0],
    ]);
  });
});
