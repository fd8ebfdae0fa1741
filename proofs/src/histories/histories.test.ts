/** Databases that earlier versions wrote go on under this one: nothing that is settled runs again, and all comes to its end. */
import {
  createEngine,
  defineWorkflow,
  type Engine,
  type Logger,
  NonRetryableError,
} from "@escapement/engine";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import type { Database } from "@escapement/db";
import { afterEach, describe, expect, it } from "vitest";
import { openDatabase } from "../subjects/open-database.ts";
import { EMBEDDED, POSTGRES, SQLD, type SubjectKind } from "../subjects/test-database.ts";
import { letPass, loadHistory } from "./load-history.ts";
import { createPrograms } from "./programs.ts";
import { readHistory } from "./stored-history.ts";

const TWO_HOURS_MS = 7_200_000;

/** Before replay was made exact, and before steps had steps of their own. */
const COMMITS = ["765850f", "3db0a5a"];

const KINDS: readonly (readonly [SubjectKind, string])[] = [
  [EMBEDDED, "sqlite"],
  [SQLD, "sqlite"],
  [POSTGRES, "postgres"],
];

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) await close();
});

async function openEmpty(kind: SubjectKind) {
  const { url, remove } = await kind.openEmpty();
  closings.push(remove);
  const database = await openDatabase(url);
  closings.push(() => database.close());
  await migrate(database);
  return { database, ...startEngine(database) };
}

async function openHistory(kind: SubjectKind, file: string) {
  const { url, remove } = await kind.openEmpty();
  closings.push(remove);
  const database = await openDatabase(url);
  closings.push(() => database.close());
  const stored = readHistory(file);
  await loadHistory(database, stored, TWO_HOURS_MS);
  await migrate(database);
  return { database, before: stored.bodies, ...startEngine(database) };
}

function startEngine(database: Database) {
  const bodies: string[] = [];
  const warnings: string[] = [];
  const logger: Logger = {
    log: (level, event, { instanceId }) => {
      if (level === "warn" || level === "error") warnings.push(`${String(instanceId)} ${event}`);
    },
  };
  const workflows = createPrograms(
    { defineWorkflow, NonRetryableError },
    {
      ran: (instanceId, stepKey) => void bodies.push(`${instanceId} ${stepKey}`),
      diesIn: () => false,
    },
  );
  const engine = createEngine({ workflows, store: createSqlStore({ database }), logger });
  const tickAll = async (): Promise<void> => {
    while ((await engine.tick({ lingerMs: 0 })).processed > 0);
  };
  return { engine, bodies, warnings, tickAll };
}

const toOutput = (quantity: number, payment: unknown) => ({
  price: quantity * 7,
  stock: { left: 100 - quantity },
  address: "Harbour Street 5",
  payment,
  suspicion: "an odd address",
  hint: null,
});

/** What becomes of each instance, in the order of their creation. */
const ENDS = {
  completed: toOutput(2, { by: "card" }),
  waiting: toOutput(2, "now"),
  answered: toOutput(2, { by: "cash" }),
  restarted: toOutput(2, "now"),
  asleep: toOutput(3, "now"),
  early: toOutput(3, { by: "cheque" }),
  paused: toOutput(3, "now"),
  died: toOutput(2, "now"),
  queued: toOutput(2, "now"),
};

/** Everybody comes to its end as it should, and no body runs again but those that had not come to theirs. */
async function endAll({
  database,
  engine,
  before,
  bodies,
  warnings,
  tickAll,
}: Awaited<ReturnType<typeof openHistory>>) {
  const { ORDER, FLAKY, PARALLEL, REPEATED } = engine.workflows;
  for (const id of ["waiting", "restarted", "asleep", "paused", "died", "queued"])
    await (await ORDER.get(id)).sendEvent({ type: "paid", payload: "now" });
  await (await PARALLEL.get("parallel")).sendEvent({ type: "answer", payload: 42 });
  await (await ORDER.get("paused")).resume();
  for (let hours = 0; hours < 6; hours += 2) {
    await tickAll();
    await letPass(database, TWO_HOURS_MS);
  }

  for (const [id, output] of Object.entries(ENDS))
    expect(await (await ORDER.get(id)).status(), id).toMatchObject({ output });
  const ends = [
    await (await FLAKY.get("retrying")).status(),
    await (await PARALLEL.get("parallel")).status(),
    await (await REPEATED.get("repeated")).status(),
    await (await ORDER.get("terminated")).status(),
    await (await FLAKY.get("errored")).status(),
  ];
  expect(ends).toMatchObject([
    { status: "complete", output: "attempt 2" },
    { status: "complete", output: { all: [[1, 2, 3], "rested", 42], first: "quick" } },
    { status: "complete", output: [5, 5, 5] },
    { status: "terminated" },
    { status: "errored", error: { name: "NonRetryableError", message: "nobody is there" } },
  ]);
  const again = bodies.filter((body) => before.includes(body));
  expect(again.toSorted()).toEqual(["died address", "died stock", "retrying call"]);
  expect(warnings.filter((line) => !/step\.(attempt_failed|not_awaited)/u.test(line))).toEqual([]);
}

async function findLive(engine: Engine) {
  const status = ["queued", "running", "waiting", "paused"] as const;
  return (await engine.findInstances({ status, pageSize: 100 })).instances;
}

describe.each(COMMITS)("a database that %s wrote", (commit) => {
  describe.each(KINDS.filter(([{ isAvailable }]) => isAvailable))("on $name", (kind, family) => {
    const open = () => openHistory(kind, `${commit}.${family}.json`);

    it("S6-025 runs on after it has been migrated, and repeats nothing that was settled", async () => {
      await endAll(await open());
    });
    it("S6-025 S8-006 is moved to another store, where it runs on and repeats nothing that was settled", async () => {
      const source = await open();
      const target = await openEmpty(EMBEDDED);
      const live = await findLive(source.engine);
      expect(live.length).toBeGreaterThan(5);
      const pauseAll = live.map((ref) => source.engine.control(ref.workflowName, ref.id, "pause"));
      await Promise.all(pauseAll);
      await source.tickAll();
      const { instances } = await source.engine.findInstances({ pageSize: 100 });
      for (const { workflowName, id } of instances) {
        const lines: string[] = [];
        for await (const line of source.engine.export(workflowName, id)) lines.push(line);
        await target.engine.import(lines);
        await source.engine.closeMoved(lines);
      }
      for (const { workflowName, id } of await findLive(target.engine))
        await target.engine.control(workflowName, id, "resume");
      await endAll({ ...target, before: source.before });
    });

    it("S6-025 S6-021 is steered as one of this version: retry, restart, rewind", async () => {
      const { engine, bodies, tickAll } = await open();
      const { ORDER, FLAKY } = engine.workflows;
      await (await FLAKY.get("errored")).retry();
      await (await ORDER.get("terminated")).restart();
      await (await ORDER.get("completed")).rewind("rest");
      await tickAll();
      expect(await (await FLAKY.get("errored")).status()).toMatchObject({ status: "errored" });
      expect(bodies.filter((body) => body.startsWith("errored"))).toEqual(["errored call"]);
      expect(bodies.filter((body) => body.startsWith("terminated")).toSorted()).toEqual([
        "terminated address",
        "terminated price",
        "terminated stock",
      ]);
      expect(bodies.filter((body) => body.startsWith("completed"))).toEqual([]);
    });
  });
});
