/** The bodies of a session that are in flight, by step key. */
import type { AttemptRecord } from "../core/decide/start.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { RunningBody } from "./body.ts";

/** A body that runs. */
export interface BodyInFlight {
  readonly body: RunningBody;
  /** Its attempt; null: it is not an attempt of a step. */
  readonly started: StepWrite | null;
  record: AttemptRecord;
}

export class Bodies {
  /** By step key. */
  readonly inFlight: Map<string, BodyInFlight> = new Map();

  get count(): number {
    return this.inFlight.size;
  }

  /** The key of the step that a body belongs to; null: it is not one of these bodies. */
  keyOf(body: RunningBody): string | null {
    for (const [stepKey, inFlight] of this.inFlight) if (inFlight.body === body) return stepKey;
    return null;
  }

  /** @param record what already records the attempt */
  addAttempt(started: StepWrite, body: RunningBody, record: AttemptRecord): void {
    this.inFlight.set(started.stepKey, { body, started, record });
  }

  remove(stepKey: string): void {
    this.inFlight.delete(stepKey);
  }

  /** Takes the attempts that no row records; with `withNamed`, also those that only a name records. The caller records them. */
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

  /** Abandons all bodies. @returns the attempts that were in flight */
  drop(reason: string): readonly StepWrite[] {
    const dropped = [...this.inFlight.values()];
    this.inFlight.clear();
    for (const { body } of dropped) body.abandon(reason);
    return dropped.flatMap(({ started }) => started ?? []);
  }
}
