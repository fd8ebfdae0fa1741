/** For the tests of the fragment: a database with its tables, and an application's fragment that composes its services. */
import type { Database, Row } from "@escapement/db";
import { type BoundServices, defineFragment, defineRoutes, instantiate } from "@fragno-dev/core";
import { migrate, withDatabase } from "@fragno-dev/db";
import type { FragnoPublicConfigWithDatabase } from "@fragno-dev/db/fragment-definition-builder";
import { column, idColumn, schema } from "@fragno-dev/db/schema";
import type { WorkflowsRegistry } from "@escapement/engine";
import { type VirtualClock, withVirtualClock } from "@escapement/engine/testing";
import { createFragnoAdapter, type FragnoAdapter } from "../adapter/adapter.ts";
import type { WorkflowsFragmentConfig } from "./config.ts";
import { createWorkflowsFragment, type WorkflowsFragment } from "./create-fragment.ts";
import { defaultFragnoRuntime } from "./runtime.ts";
import type { WorkflowsServices } from "./services/services.ts";
import type { LogLine, ServerKind } from "./testing-step-tx.ts";

/** Orders, each with a unique number. */
export const shopSchema = schema((s) =>
  s.addTable("order", (t) =>
    t
      .addColumn("id", idColumn())
      .addColumn("number", column("string"))
      .createIndex("idx_number", ["number"], { unique: true }),
  ),
);

/** The parts of the service that an application calls, as in the founding guide. */
type WorkflowsApi = Pick<
  BoundServices<WorkflowsServices>,
  "createInstance" | "sendEvent" | "getInstanceStatus" | "listHistory"
>;

const shopDefinition = defineFragment("shop")
  .extend(withDatabase(shopSchema))
  .usesOptionalService<"workflows", WorkflowsApi>("workflows")
  .build();

/** POST /orders/:workflow/:id: the order and its instance in one transaction. */
const shopRoutes = defineRoutes(shopDefinition).create(({ defineRoute, serviceDeps }) => [
  defineRoute({
    method: "POST",
    path: "/orders/:workflow/:id",
    errorCodes: ["WORKFLOWS_REQUIRED"],
    handler: async function ({ pathParams: { workflow, id } }, { json, error }) {
      const { workflows } = serviceDeps;
      if (workflows === undefined)
        return error({ message: "Workflows service missing.", code: "WORKFLOWS_REQUIRED" });
      const created = await this.handlerTx()
        .withServiceCalls(
          () => [workflows.createInstance(workflow, { id, params: { id } })] as const,
        )
        .mutate(({ forSchema }) => forSchema(shopSchema).create("order", { number: id }))
        .transform(({ serviceResult }) => serviceResult[0])
        .execute();
      return json({ id: created.id, status: created.details.status });
    },
  }),
]);

/** Builds the application's fragment. */
export const createShop = (
  options: FragnoPublicConfigWithDatabase,
  services: { readonly workflows?: WorkflowsApi },
) =>
  instantiate(shopDefinition)
    .withConfig({})
    .withRoutes([shopRoutes])
    .withOptions(options)
    .withServices({ workflows: services.workflows })
    .build();

type Shop = ReturnType<typeof createShop>;

export interface Scene<TRegistry extends WorkflowsRegistry> {
  readonly fragment: WorkflowsFragment<TRegistry>;
  readonly shop: Shop;
  readonly adapter: FragnoAdapter;
  readonly database: Database;
  readonly clock: VirtualClock;
  /** Runs `work` just before the next batch with a matching statement. */
  beforeNext(match: RegExp, work: () => Promise<unknown>): void;
  readonly log: LogLine[];
  /** Counts the batches that are sent while `work` runs. */
  countTrips<T>(work: () => Promise<T>): Promise<readonly [trips: number, result: T]>;
  query(text: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** Calls a service in its own transaction. @returns its answer */
export const callService = (
  fragment: Pick<WorkflowsFragment, "inContext">,
  make: () => unknown,
): Promise<unknown> =>
  fragment.inContext(async function () {
    const [result] = (await this.handlerTx()
      .withServiceCalls(() => [make()] as never)
      .execute()) as readonly unknown[];
    return result;
  });

interface WatchedBatches extends Pick<Scene<WorkflowsRegistry>, "beforeNext"> {
  readonly database: Database;
  readonly trips: () => number;
}

function watchBatches(plain: Database): WatchedBatches {
  let trips = 0;
  let between: { readonly match: RegExp; readonly work: () => Promise<unknown> } | null = null;
  const database: Database = {
    ...(plain.isSerial === undefined ? {} : { isSerial: plain.isSerial }),
    dialect: plain.dialect,
    batch: async (statements) => {
      if (statements.length > 0) trips += 1;
      if (between?.match.test(statements.map(({ text }) => text).join("\n")) === true) {
        const { work } = between;
        between = null;
        await work();
      }
      return plain.batch(statements);
    },
    close: () => plain.close(),
  };
  return {
    database,
    trips: () => trips,
    beforeNext: (match, work) => {
      between = { match, work };
    },
  };
}

/** Opens a database with both fragments' tables, in virtual time. */
export async function openScene<const TRegistry extends WorkflowsRegistry>(
  { start }: ServerKind,
  config: Omit<WorkflowsFragmentConfig<TRegistry>, "runtime">,
): Promise<Scene<TRegistry>> {
  const server = await start();
  const plain = server.open();
  const watched = watchBatches(plain);
  const { database, clock } = await withVirtualClock(watched.database);
  const adapter = createFragnoAdapter({ database });
  const log: LogLine[] = [];
  const fragment = createWorkflowsFragment<TRegistry>(
    {
      logger: { log: (level, event, fields) => void log.push({ level, event, fields }) },
      ...config,
      http: { open: true, ...config.http },
      runtime: defaultFragnoRuntime,
    },
    { databaseAdapter: adapter },
  );
  const shop = createShop({ databaseAdapter: adapter }, { workflows: fragment.services });
  await migrate(fragment);
  await migrate(shop);
  return {
    fragment,
    shop,
    adapter,
    database,
    clock,
    log,
    async countTrips(work) {
      const before = watched.trips();
      const result = await work();
      return [watched.trips() - before, result];
    },
    beforeNext: watched.beforeNext,
    async query(text) {
      const result = await plain.batch([{ text, values: [] }]);
      return result.kind === "committed" ? (result.rows[0] ?? []) : [];
    },
    async close() {
      await database.close();
      await server.remove();
    },
  };
}
