/** Types only: what `programs/worker-app.ts` is started with, as its binding `SETTINGS`. */
import type { DatabaseState } from "@escapement/adapter-contract/app";

export interface WorkerAppSettings {
  /** Where the workflows are: in the object's own storage, or in D1. @default "object" */
  readonly database?: "object" | "d1";
  /** How the database is when the object starts. @default "up" */
  readonly state?: DatabaseState;
  /** The object's database cannot be migrated. @default false */
  readonly failsToStart?: boolean;
  readonly hasTickSecrets?: boolean;
  /**
   * What becomes of alarms: workerd rings them, they are kept until the test rings them, or they are lost.
   * @default "ring"
   */
  readonly alarms?: "ring" | "keep" | "lose";
  /** As `EngineOptions.leaseMs`. @default the engine's */
  readonly leaseMs?: number;
  /** One object for each of these workflows. @default one object */
  readonly workflowNames?: readonly string[];
}

/** An alarm that is kept; null: for at once. */
export type KeptAlarm = number | null;
