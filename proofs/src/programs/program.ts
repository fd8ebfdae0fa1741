/** Whole workflows of many kinds of steps, each with what happens to it. */
import type { WorkflowDefinition } from "@escapement/engine";
import type { CrashScenario } from "@escapement/engine/testing";

/** Made anew for each use, so that what its bodies count begins at nothing. */
export interface Program {
  readonly workflow: WorkflowDefinition;
  /** Its code is another one from some point on, which crashes report as a divergence. @default false */
  readonly changesCode?: boolean;
  readonly scenario: Omit<CrashScenario, "drive"> & {
    readonly drive: NonNullable<CrashScenario["drive"]>;
  };
}

/** By what the title of its test says. */
export type Programs = Readonly<Record<string, () => Program>>;
