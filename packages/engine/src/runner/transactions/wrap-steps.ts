/** Steps whose callbacks are given a transaction. */
import type {
  ReceivedEvent,
  WaitForEventOptions,
  WorkflowStep,
  WorkflowStepConfig,
} from "../../authoring/step.ts";
import type { DoBody } from "../do-step.ts";

/** Called with the error that the step's call is about to reject with, and a step's context with a transaction. */
export type OnTerminalError = (error: Error, tx: never) => unknown;
/** Called with a step's context with a transaction, and the event. */
export type OnConsume = (tx: never, event: ReceivedEvent<unknown>) => unknown;

/** What authors may say of a step or wait beside the usual. */
interface TransactionOptions {
  readonly onTerminalError?: OnTerminalError;
  readonly onConsume?: OnConsume;
}

/** What is to become of callbacks. */
export interface Wrapping {
  readonly toBody: (body: DoBody) => DoBody;
  readonly onTerminalError: (stepKey: string, callback: OnTerminalError) => void;
  readonly onConsume: (stepKey: string, callback: OnConsume) => void;
}

type Wait = (name: string, options: WaitForEventOptions & TransactionOptions) => Promise<unknown>;

/** The same steps; their callbacks go through `wrapping`. */
export function wrapSteps(steps: WorkflowStep, wrapping: Wrapping): WorkflowStep {
  return {
    ...steps,
    do: (
      name: string,
      first: (WorkflowStepConfig & TransactionOptions) | DoBody,
      second?: DoBody,
    ) => {
      if (typeof first === "function") return steps.do(name, wrapping.toBody(first));
      if (first.onTerminalError !== undefined)
        wrapping.onTerminalError(toStepKey(name), first.onTerminalError);
      return steps.do(name, first, wrapping.toBody(second as DoBody));
    },
    waitForEvent: wrapWait(steps.waitForEvent, wrapping),
    tryWaitForEvent: wrapWait(steps.tryWaitForEvent, wrapping),
  } as WorkflowStep;
}

const wrapWait =
  (wait: Wait, { onConsume }: Wrapping): Wait =>
  (name, options) => {
    if (options.onConsume !== undefined) onConsume(toStepKey(name), options.onConsume);
    return wait(name, options);
  };

/** A name that is none is refused by the step itself. */
const toStepKey = (name: unknown): string => String(name).trim();
