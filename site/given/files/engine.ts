/** An engine with one workflow, on a platform that stays. */
import type { Engine, WorkflowDefinition } from "@escapement/engine";
import type { createNodePlatform } from "@escapement/node";

export declare const platform: ReturnType<typeof createNodePlatform>;
export declare const engine: Engine<{
  ORDER: WorkflowDefinition<{ readonly orderId: string }>;
}>;
