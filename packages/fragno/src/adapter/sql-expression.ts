/** The caller's own SQL as a value or inside a condition, on this adapter and on Fragno's own. */
import type { SqlValue } from "@escapement/db/client";

const BRAND = Symbol.for("@escapement/db/SqlExpression");

/** Text around bound values; there is always one part more than there are values. */
export class SqlExpression {
  readonly parts: readonly string[];
  readonly values: readonly SqlValue[];
  /** Kysely, inside Fragno's own adapters, recognises an expression by this field and by `toOperationNode`. */
  readonly expressionType = undefined;

  constructor(parts: readonly string[], values: readonly SqlValue[]) {
    this.parts = parts;
    this.values = values;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** @source kysely 0.28, src/operation-node/raw-node.ts and value-node.ts, read 2026-11-21 */
  toOperationNode(): object {
    const parameters = this.values.map((value) => ({ kind: "ValueNode", value }));
    return { kind: "RawNode", sqlFragments: this.parts, parameters };
  }

  /** True for a SqlExpression from any installed copy of this package. */
  static is(value: unknown): value is SqlExpression {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}

/**
 * Template tag. The text is trusted, in the database's dialect; interpolated values are bound.
 *
 * ```ts
 * const last = sqlExpression`(select max("runAt") from "task" where "owner" = ${owner})`;
 * uow.find("task", (b) => b.whereIndex("due", (eb) => eb("runAt", "=", last as never)));
 * ```
 *
 * @returns a type that Fragno does not know as a value: use `as never` to put it in place of a column's value
 */
export function sqlExpression(
  parts: readonly string[],
  ...values: readonly SqlValue[]
): SqlExpression {
  return new SqlExpression(parts, values);
}
