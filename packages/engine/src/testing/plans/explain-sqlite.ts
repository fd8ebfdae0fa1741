/** Counts what every statement of every batch does on SQLite, and explains it. */
import { temporaryDirectory } from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { createSqliteDatabase } from "@escapement/db/sqlite";
import Libsql from "libsql";

/** What one statement did. */
export interface StepReading {
  readonly text: string;
  /**
   * Steps of SQLite's virtual machine, a few for each row that is looked at, whether it is found or not.
   *
   * @source https://www.sqlite.org/c3ref/c_stmtstatus_counter.html (read 2026-11): SQLITE_STMTSTATUS_VM_STEP
   */
  readonly steps: number;
  /** Tables that were read completely, and indexes that were made for the one statement. */
  readonly wholeScans: readonly string[];
  readonly plan: string;
}

export interface StepCounter {
  /** Counts and explains. */
  readonly database: Database;
  /** The same one without counting, for migrations, whose statements cannot be explained once they are applied. */
  readonly plain: Database;
  readonly readings: StepReading[];
  /** Runs a statement without counting. */
  run(text: string): void;
}

/** Opens a counter over a database of its own. Closing the database removes it. */
export function createStepCounter(): StepCounter {
  const directory = temporaryDirectory();
  const file = `${directory.path}/counted.db`;
  const connection = new Libsql(file);
  // Nothing here outlives the test, so there is no need to wait for the disk.
  connection.exec("pragma synchronous = off");
  // The driver keeps explained statements open, and a write among them would keep its connection from committing.
  const planner = new Libsql(file);
  const target = createSqliteDatabase(connection);
  const counts = connection.prepare(
    `select sum("nstep") as "steps" from sqlite_stmt where "sql" = ?`,
  );
  const stepsOf = (text: string): number => {
    const [row] = counts.all([text]) as { readonly steps: number | null }[];
    return row?.steps ?? 0;
  };
  const readings: StepReading[] = [];
  return {
    readings,
    plain: target,
    run: (text) => void connection.exec(text),
    database: {
      dialect: target.dialect,
      async close() {
        await target.close();
        planner.close();
        directory.remove();
      },
      async batch(statements, options) {
        const texts = [...new Set(statements.map(({ text }) => text))];
        const before = texts.map(stepsOf);
        const result = await target.batch(statements, options);
        texts.forEach((text, at) => {
          const plan = planOf(planner, text);
          const steps = stepsOf(text) - (before[at] ?? 0);
          readings.push({ text, steps, wholeScans: wholeScansOf(text, plan), plan });
        });
        return result;
      },
    },
  };
}

function planOf(planner: InstanceType<typeof Libsql>, text: string): string {
  const positions = [...text.matchAll(/\?(\d+)/gu)].map(([, position]) => Number(position));
  const nulls = Array.from({ length: Math.max(0, ...positions) }, () => null);
  const rows = planner.prepare(`explain query plan ${text}`).all(nulls) as {
    readonly detail: string;
  }[];
  return rows.map(({ detail }) => detail).join("\n");
}

/** Lines of a plan that walk through one of our tables from its beginning, or make an index. */
const wholeScansOf = (text: string, plan: string): readonly string[] => {
  const aliases = [...text.matchAll(/"(workflow_\w+)"(?: as (\w+))?/gu)].map(
    ([, table = "", alias]) => alias ?? table,
  );
  return plan
    .split("\n")
    .filter((line) => !line.includes("VIRTUAL TABLE"))
    .filter(
      (line) =>
        line.includes("AUTOMATIC") ||
        aliases.some((alias) => new RegExp(`^SCAN ${alias}\\b`, "u").test(line)),
    );
};
