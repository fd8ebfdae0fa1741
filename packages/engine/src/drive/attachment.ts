/** The engine that a platform drives. It is created with the platform, so the platform exists first. */
import { WorkflowError } from "../core/errors.ts";
import type { AttachedEngine, DrivingPlatform } from "../ports/platform.ts";

/** Keeps the engine that `createEngine` attaches to a platform. */
export interface Attachment extends Pick<DrivingPlatform, "attach"> {
  /** The engine that was attached last. @throws WAKE_FAILED before one is attached */
  engine(): AttachedEngine;
  /** The names of the workflows that it runs; empty: unknown. */
  workflowNames(): readonly string[];
}

/** Creates the holder of a platform's engine. */
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
