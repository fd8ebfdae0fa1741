/** Fragno's condition language as SQL. */
import { columnTypesOf } from "./column-types.ts";
import { FragnoAdapterError } from "./errors.ts";
import type {
  AnyTable,
  CompareCondition,
  Condition,
  FindOperation,
  Operator,
} from "./internals.ts";
import { joinSql, param, raw, sql, type Sql } from "./sql.ts";
import { columnOf, columnSql, type Scope } from "./tables.ts";
import { valueSql } from "./write-columns.ts";

type Where = FindOperation["options"]["where"];
type Term = Condition | boolean;

const COMPARISONS: ReadonlySet<Operator> = new Set(["=", "!=", ">", ">=", "<", "<="]);

/** The row that a condition is about: its table, and its alias in the statement; null if there is only one table. */
export interface Subject {
  readonly table: AnyTable;
  readonly alias: string | null;
}

/** Calls a caller's condition function. No function: true. */
export function buildCondition(table: AnyTable, where: Where): Term {
  return where === undefined ? true : where(createBuilder(table) as Parameters<typeof where>[0]);
}

/** A condition as SQL, including true and false, which are the results of an empty `and()` and `or()`. */
export function conditionSql(scope: Scope, subject: Subject, condition: Term): Sql {
  if (typeof condition === "boolean") return raw(condition ? "1 = 1" : "1 = 0");
  switch (condition.type) {
    case "compare":
      return compareSql(scope, subject, condition);
    case "not":
      return sql`not (${conditionSql(scope, subject, condition.item)})`;
    case "and":
    case "or": {
      const items = condition.items.map((item) => conditionSql(scope, subject, item));
      if (items.length === 0) return conditionSql(scope, subject, condition.type === "and");
      return sql`(${joinSql(items, ` ${condition.type} `)})`;
    }
  }
}

function createBuilder(table: AnyTable): object {
  const compare = (name: string, operator: Operator = "=", b: unknown = true): Condition => ({
    type: "compare",
    a: columnOf(table, name),
    operator,
    b,
  });
  return Object.assign(compare, {
    isNull: (name: string) => compare(name, "is", null),
    isNotNull: (name: string) => compare(name, "is not", null),
    not: (term: Term): Term => (typeof term === "boolean" ? !term : { type: "not", item: term }),
    and: (...terms: readonly Term[]): Term => fold("and", terms),
    or: (...terms: readonly Term[]): Term => fold("or", terms),
  });
}

function fold(type: "and" | "or", terms: readonly Term[]): Term {
  const neutral = type === "and";
  if (terms.includes(!neutral)) return !neutral;
  const items = terms.filter((term) => typeof term !== "boolean");
  return items.length === 0 ? neutral : { type, items };
}

function compareSql(scope: Scope, subject: Subject, condition: CompareCondition): Sql {
  const { a: column, operator, b: value } = condition;
  const left = columnSql(scope, subject.alias, column.name);
  const right = (): Sql => valueSql(scope, subject.table, column, value);
  if (COMPARISONS.has(operator)) return sql`${left} ${raw(operator)} ${right()}`;
  if (operator === "is" || operator === "is not") {
    const same = raw(columnTypesOf(scope.dialect).isSame);
    const isSame = value === null ? sql`${left} is null` : sql`${left} ${same} ${right()}`;
    return operator === "is" ? isSame : sql`not (${isSame})`;
  }
  return operator === "in" || operator === "not in"
    ? listSql(scope, subject, condition)
    : patternSql(scope, left, condition);
}

function listSql(scope: Scope, subject: Subject, { a, operator, b }: CompareCondition): Sql {
  if (!Array.isArray(b)) throw refuse(`"${operator}" takes a list`);
  if (b.length === 0) return conditionSql(scope, subject, operator === "not in");
  const items = b.map((item) => valueSql(scope, subject.table, a, item));
  const left = columnSql(scope, subject.alias, a.name);
  return sql`${left} ${raw(operator)} (${joinSql(items, ", ")})`;
}

function patternSql(scope: Scope, left: Sql, { operator, b }: CompareCondition): Sql {
  if (typeof b !== "string") throw refuse(`"${operator}" takes text`);
  const positive = operator.replace(/^not /u, "");
  const open = { start: positive !== "starts with", end: positive !== "ends with" };
  if (!["contains", "starts with", "ends with"].includes(positive))
    throw refuse(`unknown operator "${operator}"`);
  const { matches, pattern } = columnTypesOf(scope.dialect);
  const [before, behind] = matches;
  const match = sql`${left}${raw(before)}${param(pattern(b, open))}${raw(behind)}`;
  return operator === positive ? match : sql`not (${match})`;
}

const refuse = (message: string): FragnoAdapterError =>
  new FragnoAdapterError("INVALID_QUERY", `In a condition, ${message}`);
