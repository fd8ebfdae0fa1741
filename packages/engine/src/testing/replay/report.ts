/** The findings of replays, as data and as text. */
import type { InstanceRecord } from "../../core/model/records.ts";
import type { InstanceStatusName } from "../../core/model/status.ts";
import type { Replayed, StepDivergence } from "./replay-run.ts";
import type { StoredRun } from "./stored-run.ts";

/** A difference between code and history at one place of a run. */
export interface Divergence {
  readonly workflowName: string;
  readonly instanceId: string;
  readonly runNumber: number;
  /**
   * `notCalled`: the code did not reach a step of the history, because the step is gone, has another name, or comes after a new one.
   * `typeChanged`, `eventTypeChanged`: the code calls it as another type of step, or for another event type. `threw`: the code threw,
   * but the run had completed.
   */
  readonly kind: StepDivergence["kind"] | "threw";
  /** null: the whole run. */
  readonly stepKey: string | null;
  readonly message: string;
}

/** A run that had ended, and that the code ends differently: a fixed bug looks like this, and so does a new one. */
export interface ChangedEnd {
  readonly workflowName: string;
  readonly instanceId: string;
  readonly recorded: InstanceStatusName;
  /** `goesOn`: the code has more to do. */
  readonly replayed: InstanceStatusName | "goesOn";
  /** For people: `it is complete, and the code returns something else`. */
  readonly message: string;
}

/** The replayed instances, and the findings. Lists contain the first 1000; counts count all. */
export interface ReplayReport {
  readonly replayedCount: number;
  /** Instances that diverged. */
  readonly divergedCount: number;
  readonly divergences: readonly Divergence[];
  /** Each place once, those with most instances first: the divergence of the first instance, and how many there are. */
  readonly places: readonly (Divergence & { readonly instanceCount: number })[];
  readonly changedEndCount: number;
  readonly changedEnds: readonly ChangedEnd[];
  /** There may be more instances than `maxInstances`: those were not replayed. */
  readonly mayHaveMore: boolean;
  /** All of it for people. */
  readonly text: string;
}

type Place = ReplayReport["places"][number];

const MAX_KEPT = 1000;
/** How many places the text shows. */
const MAX_SHOWN = 20;

/** Collects the results of replays. */
export class ReplayNotes {
  readonly #divergences: Divergence[] = [];
  readonly #places = new Map<string, Place>();
  readonly #changedEnds: ChangedEnd[] = [];
  /** Not all instances were replayed. */
  mayHaveMore: boolean = false;
  #replayedCount = 0;
  #divergedCount = 0;
  #changedEndCount = 0;

  /** The divergences of a replay. */
  compare({ instance }: StoredRun, replayed: Replayed): readonly Divergence[] {
    const { workflowName, instanceId, runNumber } = instance;
    const found = [...replayed.diverged].map(([stepKey, divergence]): Divergence => ({
      workflowName,
      instanceId,
      runNumber,
      kind: divergence.kind,
      stepKey,
      message: describe(stepKey, divergence),
    }));
    const { error } = replayed.instance;
    const hasFailed = replayed.instance.status === "errored" && error?.code !== "HISTORY_DIVERGED";
    // A run that has not ended may be about to throw: its history only says that it has called the steps in it.
    if (!hasFailed || error === null || instance.status !== "complete") return found;
    const message = `the code throws ${error.name}: ${error.message}`;
    return [
      ...found,
      {
        workflowName,
        instanceId,
        runNumber,
        kind: "threw",
        stepKey: error.failedStep ?? null,
        message,
      },
    ];
  }

  add({ instance }: StoredRun, replayed: Replayed, divergences: readonly Divergence[]): void {
    this.#replayedCount += 1;
    if (divergences.length > 0) this.#divergedCount += 1;
    for (const divergence of divergences) {
      if (this.#divergences.length < MAX_KEPT) this.#divergences.push(divergence);
      this.#addPlace(divergence);
    }
    const change = divergences.length > 0 ? null : toChangedEnd(instance, replayed.instance);
    if (change === null) return;
    this.#changedEndCount += 1;
    if (this.#changedEnds.length < MAX_KEPT) this.#changedEnds.push(change);
  }

  #addPlace(divergence: Divergence): void {
    const { workflowName, kind, stepKey } = divergence;
    const key = JSON.stringify([workflowName, kind, stepKey]);
    const place = this.#places.get(key) ?? { ...divergence, instanceCount: 0 };
    if (place.instanceCount === 0 && this.#places.size === MAX_KEPT) return;
    this.#places.set(key, { ...place, instanceCount: place.instanceCount + 1 });
  }

  toReport(): ReplayReport {
    const report = {
      replayedCount: this.#replayedCount,
      divergedCount: this.#divergedCount,
      divergences: this.#divergences,
      places: [...this.#places.values()].toSorted((a, b) => b.instanceCount - a.instanceCount),
      changedEndCount: this.#changedEndCount,
      changedEnds: this.#changedEnds,
      mayHaveMore: this.mayHaveMore,
    };
    return { ...report, text: toText(report) };
  }
}

/** Only a run that completed or failed shows how its code ended. */
function toChangedEnd(before: InstanceRecord, after: InstanceRecord): ChangedEnd | null {
  const { workflowName, instanceId, status: recorded } = before;
  if (recorded !== "complete" && recorded !== "errored") return null;
  const isSame = after.status === recorded && after.output === before.output;
  if (isSame) return null;
  const hasEnded = after.status === "complete" || after.status === "errored";
  const replayed = hasEnded ? after.status : "goesOn";
  const message = `it is ${recorded}, and the code ${toEndText(recorded, replayed)}`;
  return { workflowName, instanceId, recorded, replayed, message };
}

function toEndText(recorded: ChangedEnd["recorded"], replayed: ChangedEnd["replayed"]): string {
  if (replayed === "goesOn") return "has more to do";
  if (replayed === "errored") return "fails";
  return recorded === "complete" ? "returns something else" : "completes";
}

function describe(stepKey: string, { kind, recorded, called }: StepDivergence): string {
  if (kind === "notCalled") return `history has step "${stepKey}", which the code does not call`;
  const what = kind === "typeChanged" ? "is" : "waits for";
  return `step "${stepKey}" ${what} "${called}" in the code and "${recorded}" in history`;
}

function toText(report: Omit<ReplayReport, "text">): string {
  const { replayedCount, divergedCount, places, changedEndCount, mayHaveMore } = report;
  const shown = places.slice(0, MAX_SHOWN);
  const [changed] = report.changedEnds;
  return [
    `${replayedCount} instances replayed, ${divergedCount} diverged, ${changedEndCount} would end in another way`,
    ...shown.map(describePlace),
    ...(places.length > shown.length ? ["…"] : []),
    ...(changed === undefined
      ? []
      : [`${changed.workflowName} ${changed.instanceId}, for example: ${changed.message}`]),
    ...(mayHaveMore ? ["not all were replayed: raise maxInstances"] : []),
  ].join("\n");
}

function describePlace({ workflowName, instanceId, instanceCount, message }: Place) {
  const more = instanceCount === 1 ? "" : ` and ${instanceCount - 1} more`;
  return `${workflowName} ${instanceId}${more}: ${message}`;
}

/**
 * Fails a test, or a build, whose code diverges from what is stored.
 *
 * @throws {RangeError} an instance diverged; its message is the report's text
 */
export function assertNoDivergence(report: ReplayReport): void {
  if (report.divergedCount > 0) throw new RangeError(report.text);
}
