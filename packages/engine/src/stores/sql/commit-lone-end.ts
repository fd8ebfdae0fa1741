/**
 * The boundary at which a run that is alone in its trip completes with one step, as one statement. Loaded by the first such
 * commit, and only if the database can write in a WITH.
 */
import type { Change, Commit, StepChange } from "../../core/model/change.ts";
import { toCommitName } from "../../core/model/commit-name.ts";
import type { EpochMs } from "../../core/model/records.ts";
import { COMMITTED, type CommitResult } from "../../ports/commit.ts";
import { applyBatch, applyIfNew, type SqlContext } from "./apply-batch.ts";
import { toStepRow } from "./step-columns.ts";
import { queryRow } from "./late-statements.ts";
import type { Query } from "./rows.ts";
import { type CompletionRow, commitLoneEnd as loneEnd } from "./statements/commit-lone-end.ts";
import { isPlainStep } from "./statements/commit-lone-step.ts";
import type { SingleStatement } from "./statements/given-rows.ts";

/** null: there is more to do. */
export async function commitLoneEnd(
  { database, dialect }: Pick<SqlContext, "database" | "dialect">,
  commit: Commit,
): Promise<CommitResult | null> {
  const row = toLoneEnd(commit);
  if (row === null) return null;
  const end = (form: SingleStatement): { readonly end: Query<{ readonly now: EpochMs }> } => ({
    end: queryRow(dialect, form, row),
  });
  const isNew = row.version === 0 && row.eventId === undefined && isPlainStep(row);
  const asNew = isNew ? await applyIfNew(database, end(loneEnd.insertPlain)) : null;
  const answers = asNew ?? (await applyBatch(database, end(loneEnd.upsert)));
  const [ended] = answers.end;
  if (ended === undefined) return { kind: "conflict" };
  return {
    ...COMMITTED,
    now: ended.now,
  };
}

/** null: it is not a completion, or it writes more than one step and the event that the step takes. */
function toLoneEnd(commit: Commit): CompletionRow | null {
  if (!isPlainEnd(commit)) return null;
  const { lease, changes, outcome } = commit;
  const step = changes.find(isPlace);
  if (outcome.kind !== "complete" || step === undefined) return null;
  const row = {
    ...toStepRow(lease, step),
    endedBy: toCommitName(commit),
    output: outcome.output ?? undefined,
  };
  const other = changes.find((change) => change !== step);
  if (other === undefined) return row;
  const takes = other.kind === "eventConsumed" && other.stepKey === step.step.stepKey;
  return takes ? { ...row, eventId: other.eventId } : null;
}

/** A repeat may find what an earlier try has written, and diverged steps need another column. Both need the usual statements. */
const isPlainEnd = ({ changes, isRepeat, diverged }: Commit): boolean =>
  changes.length <= 2 && isRepeat !== true && diverged.length === 0;

const isPlace = (change: Change): change is StepChange =>
  change.kind === "step" && change.step.type !== "waitForTopic";
