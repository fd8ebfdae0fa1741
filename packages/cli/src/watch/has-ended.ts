/** Statuses after which nothing more happens, unless somebody asks for it. */
import type { Status } from "../client.ts";

const ENDED: ReadonlySet<Status["status"]> = new Set(["complete", "errored", "terminated"]);

/** Of an instance, or of a bulk job, which is one. */
export const hasEnded = (status: Status["status"]): boolean => ENDED.has(status);
