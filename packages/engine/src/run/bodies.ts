/** The bodies of a session that are in flight, by step key. */
import type { AttemptRecord } from "../core/decide/start.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { RunningBody } from "./body.ts";

/** A body that runs. */
export interface BodyInFlight {
  readonly body: RunningBody;
  /** Its attempt; null: what runs is not an attempt of a step. */
  readonly started: StepWrite | null;
  record: AttemptRecord;
}

export class Bodies {
  /** By step key. */
  readonly inFlight: Map<string, BodyInFlight> = new Map();

  get count(): number {
    return this.inFlight.size;
  }

  /** The key of the step whose body it is; null: it is none of these. */
  keyOf(body: RunningBody): string | null {
    for (const [stepKey, inFlight] of this.inFlight) if (inFlight.body === body) return stepKey;
    return null;
  }

  /** @param record what stands for the attempt already */
  addAttempt(started: StepWrite, body: RunningBody, record: AttemptRecord): void {
    this.inFlight.set(started.stepKey, { body, started, record });
  }

  remove(stepKey: string): void {
    this.inFlight.delete(stepKey);
  }

  /** Attempts that no row stands for; those that only a name stands for when `withNamed`. Whoever takes them records them so. */
  takeUnrecorded(
    withNamed: boolean,
    toRecord: (started: StepWrite) => AttemptRecord,
  ): readonly { readonly attempt: StepWrite; readonly record: AttemptRecord }[] {
    const taken: { readonly attempt: StepWrite; readonly record: AttemptRecord }[] = [];
    for (const inFlight of this.inFlight.values()) {
      const { started, record } = inFlight;
      if (started === null || record === "row" || (record === "name" && !withNamed)) continue;
      inFlight.record = toRecord(started);
      taken.push({ attempt: started, record: inFlight.record });
    }
    return taken;
  }

  /** Abandons all. @returns the attempts that were in flight */
  drop(reason: string): readonly StepWrite[] {
    const dropped = [...this.inFlight.values()];
    this.inFlight.clear();
    for (const { body } of dropped) body.abandon(reason);
    return dropped.flatMap(({ started }) => started ?? []);
  }
}
