/** The database's clock as a value. */

const BRAND = Symbol.for("@escapement/db/DbNow");

/**
 * The database's time when the statement runs, plus an offset. It is a `Date`, so that it fits Fragno's types. Used as a Date, it
 * has this process's time, which only another adapter would read.
 */
export class DbNow extends Date {
  readonly tag = "db-now";
  /** Milliseconds to add to the database's time; negative for the past. */
  readonly offsetMs: number;

  constructor(offsetMs: number) {
    super(Date.now() + offsetMs);
    this.offsetMs = offsetMs;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Whether a value is a DbNow, from any installed copy of this package. */
  static is(value: unknown): value is DbNow {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}

/**
 * The database's time, for values and for conditions on timestamp columns.
 *
 * ```ts
 * uow.create("task", { owner, runAt: dbNow(60_000) });
 * uow.find("task", (b) => b.whereIndex("due", (eb) => eb("runAt", "<=", dbNow())));
 * ```
 *
 * @param offsetMs milliseconds to add; fractions are dropped @default 0
 */
export function dbNow(offsetMs: number = 0): DbNow {
  return new DbNow(Math.trunc(offsetMs));
}
