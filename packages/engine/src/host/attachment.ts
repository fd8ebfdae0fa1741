/** The engine that a platform drives: made with the platform, and so after it. */
import { WorkflowError } from "../core/errors.ts";
import type { AttachedEngine, DrivingPlatform } from "../ports/platform.ts";

export interface Attachment extends Pick<DrivingPlatform, "attach"> {
  /** The engine that was attached last. @throws WAKE_FAILED until one is */
  engine(): AttachedEngine;
}

export function createAttachment(): Attachment {
  let attached: AttachedEngine | null = null;
  return {
    attach: (engine) => {
      attached = engine;
    },
    engine: () => {
      if (attached !== null) return attached;
      throw new WorkflowError("WAKE_FAILED", "no engine is attached: createEngine({ platform })");
    },
  };
}
