/** Runs that start later than they are created. */
import type { EpochMs, InstanceRecord } from "./model/records.ts";

/**
 * When a run that nobody has claimed yet is to start; null: at once, or it has started.
 *
 * Until then, `startedAt` holds it. Every write of a row also writes `updatedAt`, so an instant after that is still to come.
 */
export const toStartsAt = ({
  startedAt,
  updatedAt,
}: Pick<InstanceRecord, "startedAt" | "updatedAt">): EpochMs | null =>
  startedAt !== null && startedAt > updatedAt ? startedAt : null;
