/** What a session keeps of the steps that workflow code has called. */
import type { OpenWait } from "../core/decide/park.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { RunningBody } from "./body.ts";

/** A call of a step that author code waits for. */
export interface Call {
  readonly stepKey: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A body, ready to start. */
export interface PendingStart {
  readonly started: StepWrite;
  readonly begin: (started: StepWrite) => RunningBody;
}

/** A wait that time or an event may end. */
export interface SessionWait extends OpenWait {
  /** Looks again, with newer database time or events. */
  readonly redecide: () => void;
}
