/** An engine with one workflow. */
import type { Engine, WorkflowDefinition } from "@escapement/engine";

export declare const engine: Engine<{
  ORDER: WorkflowDefinition<{ readonly orderId: string }>;
}>;
