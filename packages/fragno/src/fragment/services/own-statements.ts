/** The engine's own statements in any transaction. */
import type { SqlValue, Statement } from "@escapement/db/client";
import { INSTANCE } from "@escapement/engine/internal";
import { STATEMENTS, VERSION_GUARD } from "../../adapter/compile-write.ts";
import { standFor } from "../../adapter/stock-database.ts";
import type { FragmentHost } from "../fragment-host.ts";
import type { FragnoRow } from "../rows.ts";
import { KNOWN_NEW } from "../schema.ts";
import type { WriteUow } from "./operation.ts";

/** Statements by name, in their order; null: left out. */
export type OwnBatch = Readonly<Record<string, Statement | null>>;

/** The statements, and a check that they had their effect. */
export interface OwnStatements {
  readonly batch: OwnBatch;
  /** A condition over the parameters. If it is false, the transaction is tried again, beginning with its reads. */
  readonly isDone: string;
  readonly parameters: readonly SqlValue[];
  /** A mark by which a later call in the same transaction finds them. @default none */
  readonly mark?: object;
}

const MARK: unique symbol = Symbol("escapement.mark");

/** Queues them, in their order. */
export function writeOwnStatements(
  host: FragmentHost,
  uow: WriteUow,
  { batch, isDone, parameters, mark }: OwnStatements,
): void {
  const { dialect } = host;
  const guard: Statement = { text: dialect.guard(VERSION_GUARD, isDone), values: parameters };
  const statements = [...Object.values(batch).filter((one) => one !== null), guard];
  queue(host, uow, statements, { [MARK]: mark });
}

function queue(
  { isOurs }: FragmentHost,
  uow: WriteUow,
  statements: readonly Statement[],
  values: object,
): void {
  const stand = isOurs ? { [STATEMENTS]: statements } : { params: standFor(statements) };
  uow.create("workflow_instance", { ...values, ...stand });
}

/** A row of an instance, and the statements that write it. */
export interface OwnRow {
  readonly row: { readonly id: string; readonly workflowName: string; readonly instanceId: string };
  readonly batch: Readonly<Record<string, Statement>>;
  /** A read has found none of its id: where there is one by now, the transaction is tried again. */
  readonly isKnownNew: boolean;
}

/** Queues statements that write a new row. Where the unique index refuses it, `explainUnique` says what that means. */
export const writeRow = (
  host: FragmentHost,
  uow: WriteUow,
  { row, batch, isKnownNew }: OwnRow,
): void => queue(host, uow, Object.values(batch), { ...row, [KNOWN_NEW]: isKnownNew });

/** Marks of what calls before this one have queued in the same transaction: no read shows what they will write. */
export const queuedMarks = (uow: WriteUow): readonly object[] =>
  uow.getMutationOperations().flatMap((operation) => {
    if (operation.type !== "create") return [];
    return (operation.values as { readonly [MARK]?: object })[MARK] ?? [];
  });

/** A batch that locks an instance, and then changes its row once. */
export interface ChangingBatch extends OwnBatch {
  readonly task: Statement;
  readonly locked: Statement;
}

/** Queues changes of exactly the row that was read. If it has changed since, the transaction reads again. */
export function writeToInstance(
  host: FragmentHost,
  uow: WriteUow,
  { id: { externalId, version } }: FragnoRow,
  { task, locked, ...changes }: ChangingBatch,
): void {
  const { dialect } = host;
  const isAt = `exists (select 1 from ${INSTANCE} where "id" = ${dialect.param(1)} and "_version" = ${dialect.param(2)})`;
  const unmoved = { text: dialect.guard(VERSION_GUARD, isAt), values: [externalId, version] };
  writeOwnStatements(host, uow, {
    batch: { task, locked, unmoved, ...changes },
    isDone: isAt,
    parameters: [externalId, version + 1],
  });
}
