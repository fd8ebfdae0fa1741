/**
 * Counts of runs and attempts, which a meter provider reads when it collects, and the histogram of lateness; nothing is counted without a
 * meter provider.
 */
import {
  type Attributes,
  createNoopMeter,
  type Histogram,
  type Meter,
  type MeterProvider,
} from "@opentelemetry/api";
import type { LifecycleEvents } from "@escapement/engine/types";
import type { ObservedEngine } from "@escapement/engine/internal";
import { Count } from "./count.ts";
import { OUTCOME, SCOPE, STATUS, WORKFLOW } from "./names.ts";
import { quietly } from "./quietly.ts";

/** In seconds, the same as in `@escapement/engine/metrics`. */
const BOUNDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

/** What happens at events, at once: nothing is awaited, and each costs one addition. */
type Handlers = {
  readonly [TEvent in keyof LifecycleEvents]?: (event: LifecycleEvents[TEvent]) => void;
};

/**
 * By provider, because the engines of one process count together: if two observe the same number, only one of them is read. null: a meter
 * that counts nothing.
 */
const known = new WeakMap<MeterProvider, Handlers | null>();

/** Starts to count, as long as the engine lives. */
export function countEvents(engine: ObservedEngine, provider: MeterProvider): void {
  const found = known.get(provider);
  const handlers = found === undefined ? createHandlers(provider.getMeter(SCOPE)) : found;
  known.set(provider, handlers);
  if (handlers === null) return;
  for (const name of Object.keys(handlers) as (keyof LifecycleEvents)[]) {
    const handle = handlers[name] as ((event: unknown) => void) | undefined;
    if (handle !== undefined) engine.on(name, (event) => quietly(handle, event), true);
  }
}

function createHandlers(meter: Meter): Handlers | null {
  const lateness = meter.createHistogram("escapement.wait.lateness", {
    unit: "s",
    description: "From the instant, or the event, that ended a wait until its run continued.",
    advice: { explicitBucketBoundaries: BOUNDS },
  });
  if (lateness.constructor === createNoopMeter().createHistogram("none").constructor) return null;
  const total = (name: string, unit: string, by?: string): Count =>
    new Count(meter.createObservableCounter(`escapement.${name}`, { unit }), by);
  const held = meter.createObservableUpDownCounter("escapement.runs.held", { unit: "{run}" });
  return toHandlers(lateness, {
    started: total("instances.started", "{run}"),
    ended: total("instances.ended", "{run}", STATUS),
    failed: total("runs.failed", "{run}"),
    attempts: total("attempts", "{attempt}", OUTCOME),
    held: new Count(held),
  });
}

type Counts = Readonly<Record<"started" | "ended" | "failed" | "attempts" | "held", Count>>;

function toHandlers(lateness: Histogram, counts: Counts): Handlers {
  const { started, ended, failed, attempts, held } = counts;
  const attributesOf = new Map<string, Attributes>();
  return {
    instanceStarted: ({ workflowName }) => started.add(workflowName),
    instanceEnded: ({ workflowName, status }) => ended.add(workflowName, 1, status),
    runFailed: ({ workflowName }) => failed.add(workflowName),
    attemptSucceeded: ({ workflowName }) => attempts.add(workflowName, 1, "succeeded"),
    attemptFailed: ({ workflowName }) => attempts.add(workflowName, 1, "failed"),
    runClaimed: ({ workflowName }) => held.add(workflowName),
    runLeft: ({ workflowName }) => held.add(workflowName, -1),
    waitEnded: ({ workflowName, latenessMs }) => {
      if (latenessMs === null) return;
      const attributes = attributesOf.get(workflowName) ?? { [WORKFLOW]: workflowName };
      attributesOf.set(workflowName, attributes);
      lateness.record(latenessMs / 1000, attributes);
    },
  };
}
