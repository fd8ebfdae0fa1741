/** The run that a command is about: the one that was on the page when the user chose the command. */

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
const toState = (status: string): readonly string[] =>
  STATES.find((state) => state.includes(status)) ?? [status];

/** The preconditions of a call: the run that was seen, and the state that it was in if the call is about that. */
export const toSeen = (
  { runNumber, status }: Target,
  isOfStatus: boolean,
): { readonly ifRunNumber: number; readonly ifStatus?: string } => ({
  ifRunNumber: runNumber,
  ...(isOfStatus ? { ifStatus: toState(status).join() } : {}),
});
