/** Reports in plain words which unfinished instances no longer fit the code. */
import type { SqlStore } from "@escapement/engine/store/sql";
import { replayHistories } from "@escapement/engine/testing/replay";
import { toPlainText } from "../plain-text.ts";
import type { UserWorkflows } from "../user-workflows.ts";

/** The newest ones; each is replayed in about a millisecond. */
const MOST_INSTANCES = 100;
const MOST_TOLD = 5;

/** Never rejects: the engine reports a database that does not answer. */
export async function tellDivergences(
  { workflows, topics }: UserWorkflows,
  store: SqlStore,
): Promise<void> {
  const report = await replayHistories({
    workflows,
    topics,
    store,
    instances: { status: ["queued", "running", "waiting", "waitingForPause", "paused"] },
    maxInstances: MOST_INSTANCES,
  }).catch(() => null);
  if (report === null || report.divergedCount === 0) return;
  const lines = report.places
    .slice(0, MOST_TOLD)
    .map(
      ({ workflowName, instanceId, instanceCount, message }) =>
        `  ${workflowName} ${instanceId}${instanceCount === 1 ? "" : ` and ${instanceCount - 1} more`}: ${message}`,
    );
  const count = report.divergedCount;
  const said = [
    `${count === 1 ? "1 instance began under other code and no longer fits" : `${count} instances began under other code and no longer fit`} this one:`,
    ...lines,
    ...(report.places.length > lines.length ? ["  …"] : []),
    "They may fail, or go another way. Give the step its old name back, see step.version, or terminate them.",
  ];
  process.stdout.write(said.map((line) => `${toPlainText(line)}\n`).join(""));
}
