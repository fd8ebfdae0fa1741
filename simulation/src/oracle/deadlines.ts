/** Deadlines: heard of soon, whatever the run waits for. */
import { START_AT } from "../scheduler.ts";
import { nodesOf } from "../walk.ts";
import type { Case } from "./case.ts";

/** Once nothing fails any more: a look every 20 s, a body of 40 s before it, and then some. */
const PROMPT_MS = 120_000;

export function checkDeadline({ report, run, fail }: Case): void {
  const { workflows, calmAt } = report.scenario;
  const end = report.books.ends.get(run.runId);
  const isPoisoned = workflows.some(({ versions }) =>
    versions.some((program) => nodesOf(program).some(({ kind }) => kind === "poison")),
  );
  if (end === undefined || end.deadlineAt === null || isPoisoned) return;
  const until = Math.max(end.deadlineAt, START_AT + calmAt) + PROMPT_MS;
  if (end.told === null && end.at > until)
    fail(
      "deadlines",
      `it ended ${end.at - end.deadlineAt} ms after its deadline, and heard nothing`,
    );
}
