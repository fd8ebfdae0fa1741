/** Few instances that an index leads to, and that are put in order at once. Loaded with the first look. */
import type { Dialect, SqlValue } from "@escapement/db/client";
import type { InstanceFilter } from "../../ports/find-instances.ts";
import {
  countChildren,
  countOfParent,
  countOfStuck,
  countStuck,
  findChildren,
  findStuck,
} from "./statements/find-instances.ts";

/** Where they come from: the statements, and what leads to them. */
export interface OrderedSource {
  readonly find: (dialect: Dialect) => string;
  /** By workflow and status. */
  readonly count: (dialect: Dialect) => string;
  /** How many there are before any other filter. */
  readonly countMany: (dialect: Dialect) => string;
  readonly values: readonly SqlValue[];
}

/** Postgres gives a count as text. */
export interface ManyRow {
  readonly count: number | string;
}

/** null: what is asked for may be any instance. */
export function toSource({
  parent,
  isStuck,
  workflowNames,
}: Partial<InstanceFilter> & { readonly workflowNames: readonly string[] }): OrderedSource | null {
  if (parent !== undefined && parent !== null)
    return {
      find: findChildren,
      count: countOfParent,
      countMany: countChildren,
      values: [parent.workflowName, parent.instanceId],
    };
  if (isStuck !== true) return null;
  const names = JSON.stringify(workflowNames.map((name) => ({ name })));
  return { find: findStuck, count: countOfStuck, countMany: countStuck, values: [names] };
}
