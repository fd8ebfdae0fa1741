/** The undo of each step that author code has called with one. */
import type { UndoOptions } from "../authoring/step-options.ts";

export class Undos {
  /** By step key. null: no step has one, as in most runs. */
  byKey: Map<string, UndoOptions<unknown>> | null = null;

  find(stepKey: string): UndoOptions<unknown> | null {
    return this.byKey?.get(stepKey) ?? null;
  }
}
