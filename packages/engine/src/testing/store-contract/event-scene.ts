/** Runs that wait for an event. */
import type { ClaimedRun } from "../../ports/claim.ts";
import { openWait } from "./builders.ts";
import { parkIn, type Scene } from "./scene.ts";

/** A run parked at a wait for `type` until `inMs` from now (null: no deadline). */
export async function waitingFor(
  { start, end }: Scene,
  type: string,
  inMs: number | null,
): Promise<ClaimedRun> {
  const run = await start();
  const park = parkIn(inMs ?? 3_600_000);
  await end(run, park, [openWait("approval", type, inMs === null ? null : { inMs })]);
  return run;
}
