/** One side of the comparison: the same fragments and the same calls, on one adapter or the other. */
import { createWorkflowsFragment, defaultFragnoRuntime, defineWorkflow } from "@escapement/fragno";
import { type FragnoPublicConfigWithDatabase, migrate } from "@fragno-dev/db";
import type pg from "pg";
import { WORK } from "../work.ts";
import { Milestones } from "../milestones.ts";
import type { OpenAdapter } from "./adapters.ts";
import { createHooked, createPlain, plainSchema } from "./shop.ts";

/** What is timed. Each call does its work once, from beginning to end. */
export type FragnoWork = "create" | "composed" | "hooked" | "read" | "three";

export interface FragnoSide {
  readonly run: Readonly<Record<FragnoWork, () => Promise<unknown>>>;
  /** Empties the tables, and makes what the work needs to be there. */
  prepare(work: FragnoWork): Promise<void>;
  close(): Promise<void>;
}

const QUIET = { log: () => undefined };

/** Migrates and gives the calls. @param admin a connection of its own to the same database, closed with the side */
export async function openSide(
  { adapter, close }: OpenAdapter,
  admin: pg.Client,
): Promise<FragnoSide> {
  const fragments = createFragments({ databaseAdapter: adapter });
  for (const fragment of Object.values(fragments)) await migrate(fragment);
  const run = createCalls(fragments);
  return {
    run,
    async prepare(work) {
      await emptyTables(admin);
      if (work === "read") await run.create();
    },
    async close() {
      await close();
      await admin.end();
    },
  };
}

function createFragments(options: FragnoPublicConfigWithDatabase) {
  const milestones = new Milestones();
  const three = defineWorkflow({ name: "three" }, (_event, step) =>
    WORK.three(
      {
        do: (name, body) => step.do(name, body),
        sleep: (name, durationMs) => step.sleep(name, durationMs),
        event: (name) => step.waitForEvent(name, { type: "go" }),
      },
      { key: "" },
      milestones,
    ),
  );
  const config = { workflows: { three }, runtime: defaultFragnoRuntime, logger: QUIET };
  return {
    workflows: createWorkflowsFragment(config, options),
    plain: createPlain(options),
    hooked: createHooked(options),
  };
}

function createCalls(fragments: ReturnType<typeof createFragments>): FragnoSide["run"] {
  const { workflows, plain, hooked } = fragments;
  const { createInstance, getInstanceStatus } = workflows.services;
  let count = 0;
  const nextId = (): string => {
    count += 1;
    return `n${count}`;
  };
  const create = (): Promise<unknown> =>
    workflows.inContext(function () {
      return this.handlerTx()
        .withServiceCalls(() => [createInstance("three", { id: nextId() })] as const)
        .execute();
    });
  return {
    create,
    composed: () =>
      plain.inContext(function () {
        const id = nextId();
        return this.handlerTx()
          .withServiceCalls(() => [createInstance("three", { id })] as const)
          .mutate(({ forSchema }) =>
            forSchema(plainSchema).create("order", { id, customer: "anybody" }),
          )
          .execute();
      }),
    hooked: () =>
      hooked.inContext(function () {
        const id = nextId();
        return this.handlerTx()
          .withServiceCalls(
            () => [createInstance("three", { id }), hooked.services.place(id)] as const,
          )
          .execute();
      }),
    read: () =>
      workflows.inContext(function () {
        return this.handlerTx()
          .withServiceCalls(() => [getInstanceStatus("three", `n${count}`)] as const)
          .execute();
      }),
    async three() {
      await create();
      const { processed, steps } = await workflows.engine.tick({ maxInstances: 1 });
      if (processed !== 1 || steps !== 3) throw new RangeError("the tick did something else");
    },
  };
}

async function emptyTables(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename <> 'fragno_db_settings'`,
  );
  await admin.query(`truncate ${rows.map(({ name }) => name).join(", ")}`);
}
