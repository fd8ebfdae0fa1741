/** The engine's own statements in anybody's transaction: what changes more rows than a unit of work should read. */
import type { SqlValue, Statement } from "@escapement/db/client";
import { STATEMENTS, VERSION_GUARD } from "../../adapter/compile-write.ts";
import { standFor } from "../../adapter/stock-database.ts";
import type { FragmentHost } from "../fragment-host.ts";
import type { WriteUow } from "./operation.ts";

/** What is to be sent, and how it shows that it has done what it is for. */
export interface OwnStatements {
  readonly batch: Readonly<Record<string, Statement>>;
  /** Condition over the parameters. Where it is false the transaction is tried again, from its reads on. */
  readonly isDone: string;
  readonly parameters: readonly SqlValue[];
  /** By which a later call of the same transaction finds them. @default they are not looked for */
  readonly mark?: object;
}

const MARK: unique symbol = Symbol("escapement.mark");

/** Queues them, in their order. */
export function writeOwnStatements(
  { texts: { dialect }, isOurs }: FragmentHost,
  uow: WriteUow,
  { batch, isDone, parameters, mark }: OwnStatements,
): void {
  const guard: Statement = { text: dialect.guard(VERSION_GUARD, isDone), values: parameters };
  const statements = [...Object.values(batch), guard];
  const values = isOurs ? { [STATEMENTS]: statements } : { params: standFor(statements) };
  uow.create("workflow_instance", { ...values, [MARK]: mark });
}

/** Marks of what calls before this one have queued in the same transaction: no read shows what they will write. */
export const queuedMarks = (uow: WriteUow): readonly object[] =>
  uow.getMutationOperations().flatMap((operation) => {
    if (operation.type !== "create") return [];
    return (operation.values as { readonly [MARK]?: object })[MARK] ?? [];
  });
