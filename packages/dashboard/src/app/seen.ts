/** The run that a command is about: the one that was on the page when the user chose the command. */
import { ApiError, getFresh, instancePath } from "./api.ts";
import { STATUSES, type View } from "./shapes.ts";

export interface Target {
  readonly workflowName: string;
  readonly id: string;
  /** The run on the page; another run is left alone. */
  readonly runNumber: number;
  /** The status on the page. */
  readonly status: string;
}

/** For titles: the id, and the run if there were others. */
export const toTitle = ({ id, runNumber }: Target): string =>
  runNumber === 1 ? id : `${id}, run ${runNumber}`;

/** Statuses that follow each other without anybody's doing. */
const STATES: readonly (readonly string[])[] = [
  ["queued", "running", "waiting"],
  ["waitingForPause", "paused"],
];

/** The statuses in which the run is as the user has seen it: under way, paused, or ended in the same way. */
export const toState = (status: string): readonly string[] =>
  STATES.find((state) => state.includes(status)) ?? [status];

/** For calls that have no precondition in the API: looks at the instance just before. @throws {ApiError} it is not as it was seen */
export async function assertSeen(
  { workflowName, id, runNumber }: Target,
  state: readonly string[] = STATUSES,
): Promise<void> {
  const { details } = await getFresh<View>(instancePath(workflowName, id));
  const { runNumber: run, status } = details;
  if (run !== runNumber)
    throw refusal(
      "RUN_NUMBER_MISMATCH",
      `It is at run ${run} now; this is about run ${runNumber}.`,
    );
  if (!state.includes(status))
    throw refusal("STATUS_MISMATCH", `It is ${status} now, and was not when you chose this.`);
}

const refusal = (code: string, message: string): ApiError => new ApiError(409, code, message);
