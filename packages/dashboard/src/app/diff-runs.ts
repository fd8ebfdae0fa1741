/** Compares two runs of a workflow, place by place. */
import { type StepShown, tookMs } from "./shapes.ts";

/** The ways in which a place can differ. */
export type Difference =
  | "only left"
  | "only right"
  | "type"
  | "status"
  | "error"
  | "attempts"
  | "waits for"
  | "time";

/** A place in one of the runs, or in both. */
export interface DiffRow {
  readonly stepKey: string;
  readonly left: StepShown | null;
  readonly right: StepShown | null;
  /** Empty: both did the same there. */
  readonly differences: readonly Difference[];
}

/** Two steps count as different in time if they differ by at least so many milliseconds, and one takes so many times as long. */
const APART = { ms: 1000, times: 2 } as const;

/** All places of both runs, in their order. If the orders differ, that of the left run is used. */
export function diffRuns(left: readonly StepShown[], right: readonly StepShown[]): DiffRow[] {
  const ofLeft = byKey(left);
  const ofRight = byKey(right);
  const rows: DiffRow[] = [];
  let at = 0;
  const takeOnlyRight = (): void => {
    for (; at < right.length; at += 1) {
      const step = right[at];
      if (step === undefined || ofLeft.has(step.stepKey)) return;
      rows.push(toRow(null, step));
    }
  };
  const seen = new Set<string>();
  for (const step of left) {
    takeOnlyRight();
    rows.push(toRow(step, ofRight.get(step.stepKey) ?? null));
    seen.add(step.stepKey);
    while (at < right.length && seen.has(right[at]?.stepKey ?? "")) at += 1;
  }
  // The remaining places of the right run come after places that the left run has in another order.
  for (; at < right.length; at += 1) {
    const step = right[at];
    if (step !== undefined && !ofLeft.has(step.stepKey)) rows.push(toRow(null, step));
  }
  return rows;
}

const byKey = (steps: readonly StepShown[]): ReadonlyMap<string, StepShown> =>
  new Map(steps.map((step) => [step.stepKey, step]));

function toRow(left: StepShown | null, right: StepShown | null): DiffRow {
  return {
    stepKey: (left ?? right)?.stepKey ?? "",
    left,
    right,
    differences: findDifferences(left, right),
  };
}

function findDifferences(left: StepShown | null, right: StepShown | null): Difference[] {
  if (left === null) return ["only right"];
  if (right === null) return ["only left"];
  const found: Difference[] = [];
  if (left.type !== right.type) found.push("type");
  if (left.status !== right.status) found.push("status");
  if (errorOf(left) !== errorOf(right)) found.push("error");
  if (left.attempts !== right.attempts) found.push("attempts");
  if (left.waitEventType !== right.waitEventType && left.type !== "invoke") found.push("waits for");
  if (isApart(tookMs(left), tookMs(right))) found.push("time");
  return found;
}

const errorOf = ({ error }: StepShown): string =>
  error === null ? "" : JSON.stringify([error.code, error.name, error.message]);

/** An unknown time does not count as a difference. */
function isApart(left: number | null, right: number | null): boolean {
  if (left === null || right === null) return false;
  const [less, more] = left < right ? [left, right] : [right, left];
  return more - less >= APART.ms && more >= less * APART.times;
}

/** The first place with a difference other than time and attempts. null: none. */
export const findParting = (rows: readonly DiffRow[]): DiffRow | null =>
  rows.find(({ differences }) =>
    differences.some((difference) => difference !== "time" && difference !== "attempts"),
  ) ?? null;
