/** SQL of the caller's own as a value or inside a condition, on this adapter and on Fragno's own. */
import type { SqlValue } from "@escapement/db/client";

const BRAND = Symbol.for("@escapement/db/SqlExpression");

/** Text around bound values: there is always one part more than there are values. */
export class SqlExpression {
  readonly parts: readonly string[];
  readonly values: readonly SqlValue[];
  /** Kysely, inside Fragno's own adapters, knows an expression by this field and by `toOperationNode`. */
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

  /** True for a SqlExpression of any installed copy of this package. */
  static is(value: unknown): value is SqlExpression {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}

/**
 * Template tag. The text is trusted, in the dialect of the database; what is put in is bound.
 *
 * ```ts
 * const last = sqlExpression`(select max("runAt") from "task" where "owner" = ${owner})`;
 * uow.find("task", (b) => b.whereIndex("due", (eb) => eb("runAt", "=", last as never)));
 * ```
 *
 * @returns what Fragno's types do not know as a value: `as never` puts it where a column's value goes
 */
export function sqlExpression(
  parts: readonly string[],
  ...values: readonly SqlValue[]
): SqlExpression {
  return new SqlExpression(parts, values);
}
