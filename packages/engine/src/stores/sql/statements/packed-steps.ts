/** Reads the steps of the one run that a token holds, as a `PackedHistoryRow`. Parameter: token. */
import type { Dialect, PackedTexts } from "@escapement/db/client";
import { STEP_PAGE_BYTES } from "../../../ports/run-pages.ts";
import { goOnAfter, IS_PLAIN, restOfStep, STEP } from "./tables.ts";

/**
 * The run is read before its steps, and not joined to them: a join takes a fifth of the time again, because it passes on each step.
 *
 * @param held select of the run, with the bytes of its steps as `upTo`
 */
export function packedSteps(dialect: Dialect, packed: PackedTexts, held: string): string {
  const fits = `"upTo" <= ${STEP_PAGE_BYTES}`;
  const ofRun = (column: string): string =>
    `s."${column}" = (select "${column}" from held where ${fits})`;
  const rest = packed.jsonList(restOfStep(dialect, "stepKey"), `not (${IS_PLAIN})`);
  return (
    `with held as materialized (${held}) select ${packed.texts(`s."stepKey"`)} as "stepKeys", ` +
    `${packed.instants(`s."updatedAt"`, `coalesce(s."settledOrder", 0)`)} as "settlements", ` +
    `${packed.jsonTexts(`s."result"`)} as "results", ${packed.jsonTexts(`s."startedKeys"`)} as "startedKeys", ` +
    `coalesce(${rest}, (select ${goOnAfter(dialect, "0")} from held where not ${fits})) as "rest" ` +
    `from ${STEP} as s where ${["workflowName", "instanceId", "runNumber"].map(ofRun).join(" and ")}`
  );
}
