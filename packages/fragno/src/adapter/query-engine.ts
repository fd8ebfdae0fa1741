/** The queries of a fragment outside of transactions (`deps.db`): each call is one round trip. */
import type { FragnoId } from "@fragno-dev/db/schema";
import type { DeleteBuilder, FindBuilder, UpdateBuilder } from "@fragno-dev/db/unit-of-work";
import { batchWithRetry } from "@escapement/db/client";
import { library } from "./library.ts";
import { buildCondition, conditionSql } from "./conditions.ts";
import { updateSql } from "./compile-write.ts";
import { FragnoAdapterError } from "./errors.ts";
import { type Executing, refuseOrRetry } from "./executor.ts";
import type { AnySchema, AnyTable, FindOperation } from "./internals.ts";
import { sql, type Sql, toStatement } from "./sql.ts";
import { type Scope, tableOf, tableSql } from "./tables.ts";
import type { RequestUnitOfWork } from "./unit-of-work.ts";

type Values = Readonly<Record<string, unknown>>;
type Find = (builder: FindBuilder<AnyTable>) => unknown;
type Update = (builder: UpdateBuilder<AnyTable>) => unknown;
type Delete = (builder: DeleteBuilder) => unknown;
type Where = Parameters<FindBuilder<AnyTable>["whereIndex"]>[1];

/** The parts of a query engine. */
export interface QueryEngineParts {
  readonly schema: AnySchema;
  readonly scope: Scope;
  readonly executing: Executing;
  readonly createUnitOfWork: () => RequestUnitOfWork;
}

/** Fragno's `SimpleQueryInterface` without its types, which depend on the schema; `createUnitOfWork` is the adapter's. */
export interface QueryEngine {
  find(table: string, build?: Find): Promise<unknown>;
  findFirst(table: string, build?: Find): Promise<unknown>;
  findWithCursor(table: string, build: Find): Promise<unknown>;
  create(table: string, values: Values): Promise<FragnoId>;
  createMany(table: string, values: readonly Values[]): Promise<FragnoId[]>;
  update(table: string, id: FragnoId | string, build: Update): Promise<void>;
  delete(table: string, id: FragnoId | string, build?: Delete): Promise<void>;
  updateMany(table: string, build: (builder: ManyBuilder) => unknown): Promise<void>;
  deleteMany(table: string, build: Find): Promise<void>;
}

/** The builder that `updateMany` passes to its caller. */
class ManyBuilder {
  readonly find: FindBuilder<AnyTable>;
  values: Values | null = null;

  constructor(name: string, table: AnyTable) {
    this.find = new library.FindBuilder(name, table);
  }

  whereIndex(index: string, where?: Where): this {
    this.find.whereIndex(index, where);
    return this;
  }

  set(values: Values): this {
    this.values = values;
    return this;
  }
}

/** Creates the queries of one schema. */
export function createQueries(parts: QueryEngineParts): QueryEngine {
  const { schema, scope, createUnitOfWork } = parts;
  const whole: Find = (builder) => builder.whereIndex("primary");
  const first = async (uow: RequestUnitOfWork): Promise<unknown> => (await retrieve(uow))[0];
  return {
    find: (table, build = whole) => first(createUnitOfWork().find(table, build as never) as never),
    async findFirst(table, build = whole) {
      const uow = createUnitOfWork();
      uow.find(table, (builder) => {
        build(builder as FindBuilder<AnyTable>);
        return builder.pageSize(1);
      });
      return ((await first(uow)) as readonly unknown[])[0] ?? null;
    },
    findWithCursor: (table, build) =>
      first(createUnitOfWork().findWithCursor(table, build as never) as never),
    async create(table, values) {
      const [id] = await createRows(createUnitOfWork(), table, [values]);
      if (id === undefined) throw new library.ConcurrencyConflictError();
      return id;
    },
    createMany: (table, values) => createRows(createUnitOfWork(), table, values),
    async update(table, id, build) {
      const uow = createUnitOfWork();
      uow.update(table, id, build as never);
      await commit(uow);
    },
    async delete(table, id, build) {
      const uow = createUnitOfWork();
      uow.delete(table, id, build as never);
      await commit(uow);
    },
    async updateMany(name, build) {
      const table = tableOf(schema, name);
      const builder = new ManyBuilder(name, table);
      build(builder);
      if (builder.values === null)
        throw new FragnoAdapterError("INVALID_QUERY", "updateMany() needs set()");
      const condition = manyRows(scope, table, builder.find);
      await run(parts.executing, updateSql(scope, table, builder.values, condition));
    },
    async deleteMany(name, build) {
      const table = tableOf(schema, name);
      const builder = new library.FindBuilder(name, table);
      build(builder);
      const condition = manyRows(scope, table, builder);
      await run(parts.executing, sql`delete from ${tableSql(scope, table)} where ${condition}`);
    },
  };
}

const retrieve = (uow: RequestUnitOfWork): Promise<readonly unknown[]> => uow.executeRetrieve();

async function createRows(
  uow: RequestUnitOfWork,
  table: string,
  rows: readonly Values[],
): Promise<FragnoId[]> {
  for (const values of rows) uow.create(table, values);
  await commit(uow);
  return uow.getCreatedIds();
}

async function commit(uow: RequestUnitOfWork): Promise<void> {
  const { success } = await uow.executeMutations();
  if (!success) throw new library.ConcurrencyConflictError();
}

function manyRows(scope: Scope, table: AnyTable, builder: FindBuilder<AnyTable>): Sql {
  const { where } = builder.build().options as FindOperation["options"];
  return conditionSql(scope, { table, alias: null }, buildCondition(table, where));
}

async function run({ database, retry }: Executing, statement: Sql): Promise<void> {
  const result = await batchWithRetry(database, [toStatement(statement, database.dialect)], retry);
  if (result.kind === "committed") return;
  refuseOrRetry(result, []);
  throw new library.ConcurrencyConflictError();
}
