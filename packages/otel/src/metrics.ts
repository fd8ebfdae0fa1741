/** Counters and the histogram of lateness, made of an engine's events; none where no meter provider is there to read them. */
import { createNoopMeter, type MeterProvider } from "@opentelemetry/api";
import type { HeardEngine } from "@escapement/engine/internal";
import { OUTCOME, SCOPE, WORKFLOW } from "./names.ts";

/** Seconds: those of `@escapement/engine/metrics`. */
const BOUNDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

/** Begins to listen, for as long as the engine lives. */
export function countEvents(engine: HeardEngine, provider: MeterProvider): void {
  const meter = provider.getMeter(SCOPE);
  const lateness = meter.createHistogram("escapement.wait.lateness", {
    unit: "s",
    description: "From the instant, or the event, that ended a wait until its run went on.",
    advice: { explicitBucketBoundaries: BOUNDS },
  });
  if (lateness.constructor === createNoopMeter().createHistogram("none").constructor) return;
  const started = meter.createCounter("escapement.instances.started", { unit: "{run}" });
  const ended = meter.createCounter("escapement.instances.ended", { unit: "{run}" });
  const failed = meter.createCounter("escapement.runs.failed", { unit: "{run}" });
  const attempts = meter.createCounter("escapement.attempts", { unit: "{attempt}" });
  const held = meter.createUpDownCounter("escapement.runs.held", { unit: "{run}" });
  engine.on("instanceStarted", ({ workflowName }) => started.add(1, { [WORKFLOW]: workflowName }));
  engine.on("instanceEnded", ({ workflowName, status }) =>
    ended.add(1, { [WORKFLOW]: workflowName, "escapement.instance.status": status }),
  );
  engine.on("runFailed", ({ workflowName }) => failed.add(1, { [WORKFLOW]: workflowName }));
  engine.on("attemptSucceeded", ({ workflowName }) =>
    attempts.add(1, { [WORKFLOW]: workflowName, [OUTCOME]: "succeeded" }),
  );
  engine.on("attemptFailed", ({ workflowName }) =>
    attempts.add(1, { [WORKFLOW]: workflowName, [OUTCOME]: "failed" }),
  );
  engine.on("runClaimed", ({ workflowName }) => held.add(1, { [WORKFLOW]: workflowName }));
  engine.on("runLeft", ({ workflowName }) => held.add(-1, { [WORKFLOW]: workflowName }));
  engine.on("waitEnded", ({ workflowName, latenessMs }) => {
    if (latenessMs !== null) lateness.record(latenessMs / 1000, { [WORKFLOW]: workflowName });
  });
}
