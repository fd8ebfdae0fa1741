/** Rules for the texts of all statements. */
import { postgresDialect, sqliteDialect } from "@escapement/db/client";
import { describe, expect, test } from "vitest";
import { LIFECYCLE, type LifecycleCommand } from "../../core/decide/lifecycle.ts";
import { commitLoneEnd } from "./statements/commit-lone-end.ts";
import { ANY_STEP } from "./statements/commit-steps.ts";
import {
  compileStatements,
  type RowsStatementName,
  type StatementName,
} from "../../testing/plans/compile-statements.ts";
import { isOverRows, textOf } from "./testing-statements.ts";

describe.each([postgresDialect, sqliteDialect])("every text for $name", (dialect) => {
  const statements = compileStatements(dialect);
  const { control, ...prepared } = statements;
  const names = Object.keys(prepared) as (StatementName | RowsStatementName)[];
  const texts = [
    ...names.map((name) => [name, textOf(dialect, name)] as const),
    ...names.filter(isOverRows).map((name) => [name, statements[name]([{}]).text] as const),
    ...Object.entries(commitLoneEnd).map(
      ([name, { text }]) => [`commitLoneEnd ${name}`, text(dialect)] as const,
    ),
  ];

  test("writes of a runner are fenced by its lease", () => {
    const writes = texts.filter(([name]) => name.startsWith("commit"));
    expect(writes).toHaveLength(2 * 20 + 2);
    for (const [, text] of writes)
      expect(text).toMatch(
        /t\."lockOwner" \|\| '\.' \|\| t\."claimNumber" = (?:c\."token"|[$?]2 )/u,
      );
  });

  test("whatever a lone step fills, its statement has a column for it", () => {
    const lease = { taskId: "t", token: "secret", instanceRowId: "i" };
    for (const { name } of ANY_STEP.columns) {
      const row = { ...lease, updatedAt: 2, [name]: 1 };
      const { text, values } = statements.commitNewLoneStep(row as never);
      expect(values).toHaveLength(text.match(/[$?]\d+(?:::\w+)? as "/gu)?.length ?? 0);
      expect(values).toContain(1);
      expect(text).toContain(` as "${name}"`);
    }
    expect(statements.commitNewLoneStep(lease as never).text).toContain("coalesce(");
  });

  test("updates raise the row's version", () => {
    for (const [, text] of texts.filter(([, candidate]) => candidate.includes("update "))) {
      if (/^(?:update|with)|do update/u.test(text))
        expect(text).toMatch(/"_version" = (?:.*\+ 1|excluded)/u);
    }
  });

  test("nothing is built anew for a call", () => {
    const [one, other] = [{ id: "a" }, { id: "b" }];
    expect(statements.commitSteps([one]).text).toBe(statements.commitSteps([other]).text);
    expect(statements.commitSteps([one, other]).text).toBe(
      statements.commitSteps([one, one, one]).text,
    );
  });

  test("a single row goes by its values, what it lacks as null", () => {
    const { text, values } = statements.commitEnded([{ token: "secret", taskId: "t" }]);
    expect(values).toEqual(["t", "secret", null]);
    expect(text).not.toContain("json");
    expect(statements.commitEnded([{ taskId: "t" }]).values).toEqual(["t", null, null]);
  });

  test.each(Object.keys(LIFECYCLE) as LifecycleCommand[])(
    "%s makes a task exactly when its table says so",
    (command) => {
      const enqueues = Object.values(LIFECYCLE[command].transitions).some(
        (to) => to.task === "enqueue",
      );
      expect(control[command].insertTask !== null).toBe(enqueues);
    },
  );
});
