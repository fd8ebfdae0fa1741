/** Checks whether a replay shows that the code has changed. The code that names the steps is loaded only then. */
import type { DivergedStep } from "../core/model/records.ts";
import { isCalled } from "./been-further.ts";
import { otherOutcomes } from "./late-code.ts";
import { loadOrNull } from "./missing-code.ts";
import type { Session } from "./session-interface.ts";

/** Open steps that code and history disagree on. */
export type Diverged = readonly DivergedStep[];

/** Call it only when author code has gone as far as it can, and before open steps are closed. */
export async function findDiverged(session: Session): Promise<Diverged> {
  const { known, pending } = session;
  const written = known.openRecords.filter(({ stepKey }) => !pending.has(stepKey));
  const open = [...written, ...pending.open];
  if (open.length === 0) return [];
  const isAsCalled = open.every(
    ({ stepKey, error }) => error?.code !== "HISTORY_DIVERGED" && isCalled(session, stepKey),
  );
  if (isAsCalled) return [];
  const code = await loadOrNull(otherOutcomes);
  if (code === null) session.warnDiverged("code and history disagree about open steps", {});
  return code?.nameDivergedSteps(session, open, (key) => isCalled(session, key)) ?? [];
}
