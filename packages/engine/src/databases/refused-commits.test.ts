/** A run that ends because the database refuses a commit for good leaves nothing open, as at any other end. */
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine, defineTopic, defineWorkflow, type WorkflowStep } from "../index.ts";
import type { Commit } from "../core/model/change.ts";
import type { Store } from "../ports/store.ts";
import { createHarness } from "../testing/harness.ts";
import { openSqliteFile } from "./sqlite-drivers.ts";
import { toStore } from "./store-options.ts";
import { LOCAL_STORES, openPostgresStore, type TimedStore } from "./testing-stores.ts";

const SIGNING_KEYS = ["first-key-of-35-characters-or-more!"];

/** Refuses for good what a test names, each commit by itself, as a database refuses a value that it cannot store. */
const refusing = (store: Store, isRefused: (commit: Commit) => boolean): Store => ({
  ...store,
  async commit(commits) {
    const taken = commits.filter((commit) => !isRefused(commit));
    const results = taken.length === 0 ? [] : await store.commit(taken);
    return commits.map(
      (commit) =>
        results[taken.indexOf(commit)] ?? {
          kind: "failed",
          error: new RangeError("no such value"),
        },
    );
  },
});

/** Whether a commit settles a step of this name. */
const settles =
  (name: string) =>
  ({ changes }: Commit): boolean =>
    changes.some(
      (change) =>
        change.kind === "step" && change.step.name === name && change.step.status === "completed",
    );

type Author = (step: WorkflowStep) => Promise<unknown>;

const wait: Author = (step) => step.waitForEvent("go", { type: "go" });

const STORES = [...LOCAL_STORES, ["Postgres", openPostgresStore] as const];

describe.each(STORES)("S5-010 a run whose commit %s refuses for good", (_name, open) => {
  let timed: TimedStore;
  let plays = 0;
  beforeAll(async () => {
    timed = await open();
  });
  afterAll(() => timed.teardown());

  /** Plays a grandparent, its child the author, and a child of that. */
  async function play(author: Author, isRefused: (commit: Commit) => boolean) {
    plays += 1;
    const [g, p, c] = [`g${plays}`, `p${plays}`, `c${plays}`];
    const workflows = {
      G: defineWorkflow({ name: g }, (_event, step) => step.invoke(p, { id: p })),
      P: defineWorkflow({ name: p }, (_event, step) => author(step)),
      C: defineWorkflow({ name: c }, (_event, step) => wait(step)),
    };
    const store = { ...timed, store: refusing(timed.store, isRefused) };
    const callbacks = { signingKeys: SIGNING_KEYS, url: "https://acme.dev/api" };
    const topics = [defineTopic({ name: "news" })];
    const harness = createHarness({ workflows, topics, callbacks, store });
    await harness.workflows.G.create({ id: g });
    await harness.runUntilIdle();
    await timed.clock.advance(2000);
    await harness.runUntilIdle();
    return {
      harness,
      parent: () => harness.status(g, g),
      run: () => harness.status(p, p),
      child: () => harness.status(c, c),
      steps: async () =>
        (await harness.history(p, p)).steps.map(
          ({ stepKey, status, error }) => `${stepKey} ${status} ${error?.code ?? ""}`,
        ),
      name: { run: p },
    };
  }

  /** The name of the workflow that the next play's child has. */
  const nextChild = (): string => `c${plays + 1}`;

  test.each(["terminate", "rollback", "abandon"] as const)(
    "asks its children to end as onParentEnd says, %s, and its parent is told",
    async (onParentEnd) => {
      const id = nextChild();
      const { run, child, parent } = await play(async (step) => {
        const invoked = step.invoke(id, { id, onParentEnd });
        await step.sleep("nap", 1000);
        await step.do("odd", () => "odd");
        await invoked;
      }, settles("odd"));
      expect(await run()).toMatchObject({ status: "errored", error: { code: "COMMIT_REFUSED" } });
      const status = onParentEnd === "abandon" ? "waiting" : "terminated";
      expect(await child()).toMatchObject({ status });
      expect(await parent()).toMatchObject({ status: "errored", error: { code: "CHILD_FAILED" } });
    },
  );

  test("closes what it waits for, and what the refused commit would have settled", async () => {
    const { harness, steps, run } = await play(async (step) => {
      const callback = await step.callback("paid");
      const waits = [
        step.waitForTopic("news", "news"),
        step.waitForEvent("event", { type: "e" }),
        callback.payload(),
      ];
      await step.sleep("nap", 1000);
      await step.do("odd", () => "odd");
      await Promise.all(waits);
    }, settles("odd"));
    expect(await run()).toMatchObject({ status: "errored", error: { code: "COMMIT_REFUSED" } });
    const rows = await steps();
    expect(rows.filter((row) => / (waiting|running|pending) /u.test(row))).toEqual([]);
    expect(rows).toEqual(expect.arrayContaining(["event errored STEP_NOT_AWAITED"]));
    expect(harness.log.filter(({ event }) => event === "step.not_awaited")).toEqual([]);
    const emitted = await harness.engine.emit("news", { n: 1 });
    expect(emitted).toBeDefined();
  });

  test("goes on where it was once the database takes the value, and somebody retries it", async () => {
    let isOdd = true;
    const starts: string[] = [];
    const { harness, run, name } = await play(
      async (step) => {
        await step.do("first", () => void starts.push("first"));
        await step.sleep("nap", 1000);
        await step.do("odd", () => void starts.push("odd"));
        return "done";
      },
      (commit) => isOdd && settles("odd")(commit),
    );
    expect(await run()).toMatchObject({ status: "errored" });
    isOdd = false;
    await harness.engine.control(name.run, name.run, "retry");
    await timed.clock.advance(2000);
    await harness.runUntilIdle();
    expect(await run()).toMatchObject({ status: "complete", output: "done" });
    expect(starts).toEqual(["first", "odd", "odd"]);
  });

  test("asks a child to end that the refused commit itself would have left", async () => {
    const id = nextChild();
    const { child, steps } = await play(
      (step) =>
        step.race("race", {
          child: (own) => own.invoke(id, { id, onParentEnd: "terminate" }),
          odd: async (own) => {
            await own.sleep("nap", 1000);
            return own.do("odd", () => "odd");
          },
        }),
      settles("odd"),
    );
    expect(await child()).toMatchObject({ status: "terminated" });
    expect((await steps()).filter((row) => / (waiting|running|pending) /u.test(row))).toEqual([]);
  });

  test("asks them to end although its last commit is refused, too, because of a step that it closes", async () => {
    const id = nextChild();
    let plays = 0;
    const isOdd = ({ changes }: Commit): boolean =>
      changes.some(
        (change) =>
          change.kind === "step" && change.step.name === "nap" && change.step.status !== "waiting",
      );
    const { run, child, parent } = await play(async (step) => {
      const invoked = step.invoke(id, { id, onParentEnd: "terminate" });
      await step.sleep("nap", 1000);
      await step.do("body", () => (plays += 1));
      await invoked;
    }, isOdd);
    expect(await run()).toMatchObject({ status: "errored", error: { code: "COMMIT_REFUSED" } });
    expect(await child()).toMatchObject({ status: "terminated" });
    expect(await parent()).toMatchObject({ status: "errored" });
    expect(plays).toBe(1);
  });
});

test("S5-010 a value that SQLite itself refuses ends the run and its child", async () => {
  const directory = temporaryDirectory();
  const path = `${directory.path}/store.db`;
  const database = await openSqliteFile(path, { synchronous: "NORMAL" });
  const store = toStore(database, {});
  const workflows = {
    P: defineWorkflow({ name: "p" }, async (_event, step) => {
      const child = step.invoke("c", { id: "c", onParentEnd: "terminate" });
      await step.waitForEvent("start", { type: "start" });
      await step.do("odd", () => "odd");
      await child;
    }),
    C: defineWorkflow({ name: "c" }, (_event, step) => wait(step)),
  };
  const engine = createEngine({ workflows, store, logger: { log: () => undefined } });
  await engine.workflows.P.create({ id: "p" });
  await engine.tick();
  const refusal =
    `create trigger "refuse" before insert on "workflow_step_workflows" when new."stepKey" = 'odd' ` +
    `begin select raise(abort, 'no odd values'); end`;
  await database.batch([{ text: refusal, values: [] }]);
  await engine.sendEvent("p", "p", { type: "start" });
  for (let tick = 0; tick < 3; tick += 1) await engine.tick();
  const { details } = await engine.getInstance("p", "p");
  expect(details).toMatchObject({ status: "errored", error: { code: "COMMIT_REFUSED" } });
  expect((await engine.getInstance("c", "c")).details).toMatchObject({ status: "terminated" });
  await store.close();
  directory.remove();
});
