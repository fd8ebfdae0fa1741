/** Statuses after which nothing happens without a command. */
import type { Status } from "../client.ts";

const ENDED: ReadonlySet<Status["status"]> = new Set(["complete", "errored", "terminated"]);

/** Whether an instance has ended, or a bulk job, which is one. */
export const hasEnded = (status: Status["status"]): boolean => ENDED.has(status);
