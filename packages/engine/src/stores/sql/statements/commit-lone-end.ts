/**
 * The boundary at which a lone run completes with one step. One statement removes its task, and writes the step, the event that
 * it took, and the instance. No row: the lease is lost and nothing was written.
 *
 * Separate statements would each have to look up the lease again.
 */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { consumeEvents } from "./commit-events.ts";
import { PLAIN_STEP } from "./commit-lone-step.ts";
import { ANY_STEP, insertSteps, orReplace, type StepShape } from "./commit-steps.ts";
import type { StepWriteRow } from "../step-columns.ts";
import type { SingleStatement } from "./given-rows.ts";
import { isGivenLease, isInstanceOfLease, RUN } from "./leased-rows.ts";
import { INSTANCE, TASK } from "./tables.ts";

/** Absent keys and undefined are null. */
export type CompletionRow = StepWriteRow & {
  readonly endedBy: string;
  readonly output?: string | undefined;
  /** The event that the step took. */
  readonly eventId?: string;
};

const OF_INSTANCE: readonly JsonColumn[] = [
  { name: "output", type: "text" },
  { name: "endedBy", type: "text" },
];

const OF_EVENT: JsonColumn = { name: "eventId", type: "text" };

interface Form {
  readonly shape: StepShape;
  /** The clause after the step's `insert`. */
  readonly otherwise: (dialect: Dialect) => string;
  readonly takesEvent: boolean;
}

const completion = (form: Form): SingleStatement => {
  const columns = [...form.shape.columns, ...OF_INSTANCE, ...(form.takesEvent ? [OF_EVENT] : [])];
  return { columns, text: (dialect) => complete(dialect, columns, form) };
};

function complete(
  dialect: Dialect,
  columns: readonly JsonColumn[],
  { shape, otherwise, takesEvent }: Form,
): string {
  const given = (name: string): string => {
    const place = columns.findIndex((column) => column.name === name);
    return `cast(${dialect.param(place + 1)} as ${columns[place]?.type})`;
  };
  const row = `${dialect.valueRow(1, "c", columns)} cross join ended as l`;
  const step = insertSteps(dialect, "single", { locks: false, shape, from: row });
  const event = takesEvent ? `event as (${consumeEvents(dialect, "ended as l", given)}), ` : "";
  return (
    `with ended as (delete from ${TASK} as t where ${isGivenLease(dialect)} returning ${RUN.join(", ")}), ` +
    `step as (${step}${otherwise(dialect)}), ${event}` +
    `instance as (${completeInstance(dialect, given)}) ` +
    `select ${dialect.nowMs} as "now" from ended`
  );
}

/** What `commitInstances` does for a run that completes. */
function completeInstance(dialect: Dialect, given: (name: string) => string): string {
  const lease = `(select l.*, ${given("instanceRowId")} as "instanceRowId" from ended as l) as l`;
  return (
    `update ${INSTANCE} as i set "status" = 'complete', "completedAt" = ${dialect.now}, "output" = ${given("output")}, ` +
    `"errorName" = null, "errorMessage" = null, "errorDetail" = null, "endedBy" = ${given("endedBy")}, ` +
    `"pauseRequested" = false, "updatedAt" = ${dialect.now}, "_version" = i."_version" + 1 ` +
    `from ${lease} where ${isInstanceOfLease(dialect)}`
  );
}

/** `insertPlain`: for a step that is `isPlainStep`, should have no row, and takes no event. */
export const commitLoneEnd: Readonly<Record<"insertPlain" | "upsert", SingleStatement>> = {
  insertPlain: completion({ shape: PLAIN_STEP, otherwise: () => "", takesEvent: false }),
  upsert: completion({ shape: ANY_STEP, otherwise: orReplace, takesEvent: true }),
};
