/** Runs that start later than they are created. */
import type { EpochMs, InstanceRecord } from "./model/records.ts";

/**
 * When a run is to start that nobody has claimed yet; null: at once, or it has started.
 *
 * `startedAt` holds it until then: whoever writes a row writes `updatedAt` too, so an instant after that is still to come.
 */
export const toStartsAt = ({
  startedAt,
  updatedAt,
}: Pick<InstanceRecord, "startedAt" | "updatedAt">): EpochMs | null =>
  startedAt !== null && startedAt > updatedAt ? startedAt : null;
