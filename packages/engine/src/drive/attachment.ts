/** The engine that a platform drives: made with the platform, and so after it. */
import { WorkflowError } from "../core/errors.ts";
import type { AttachedEngine, DrivingPlatform } from "../ports/platform.ts";

/** Keeps the engine that `createEngine` attaches to a platform. */
export interface Attachment extends Pick<DrivingPlatform, "attach"> {
  /** The engine that was attached last. @throws WAKE_FAILED until one is */
  engine(): AttachedEngine;
  /** Of the workflows that it runs; empty: it is not known. */
  workflowNames(): readonly string[];
}

/** Creates what a platform keeps its engine in. */
export function createAttachment(): Attachment {
  let attached: AttachedEngine | null = null;
  return {
    attach: (engine) => {
      attached = engine;
    },
    workflowNames: () => attached?.listWorkflows?.().map(({ name }) => name) ?? [],
    engine: () => {
      if (attached !== null) return attached;
      throw new WorkflowError("WAKE_FAILED", "no engine is attached: createEngine({ platform })");
    },
  };
}
