/** What a platform's model is given: a clock, a store that is a trip away, luck, and a meter for what is billed. */
import type { Logger, WorkflowDefinition } from "@escapement/engine";
import type { createMemoryStore } from "@escapement/engine/store/memory";
import type { VirtualTime } from "../lateness/virtual-time.ts";
import type { Meter } from "./meter.ts";
import type { OpenSandboxes } from "./sandboxes.ts";

export type MemoryStore = ReturnType<typeof createMemoryStore>;

export interface Scene {
  readonly time: VirtualTime;
  readonly store: MemoryStore;
  /** Uniform, 0 ≤ n < `belowMs`. */
  random(belowMs: number): number;
  /** Those of the sandbox that is being opened: read it there. */
  readonly workflows: { readonly WORK: WorkflowDefinition };
  readonly meter: Meter;
  readonly logger: Logger;
  /** An invocation that nobody waits for has failed. */
  lost(error: unknown): void;
  /** Makes the sandboxes of a function. @default as each platform's model takes them to be */
  readonly openSandboxes?: OpenSandboxes;
  /** It is the deployment of a branch, not production's. @default false */
  readonly isPreview?: boolean;
  /** What is to go wrong with wakes. @default nothing */
  readonly wakes?: WakeTroubles;
}

/** Told of all wakes; instants are those that they are asked for, null: at once. */
export interface WakeTroubles {
  /** The platform is asked for one. @throws where it takes none */
  asked(at: number | null): void;
  /** It has taken it, and will deliver it. */
  armed(at: number | null): void;
  /** When else it delivers one, in milliseconds after the first time. */
  copiesAfterMs(): readonly number[];
}

/** Takes a request from outside; resolves to its status. */
export type Deployed = (request: Request) => Promise<number>;

/** A platform as far as it is billed: the adapter's own code, with its defaults, and a model of what is around it. */
export interface CostModel {
  readonly says: string;
  /** What is taken to be so, and whence. */
  readonly assumes: readonly string[];
  /** Deploys it, idle. */
  open(scene: Scene): Deployed;
}

/** To the database, and to a service of the platform that holds messages, by the virtual clock. */
export const TRIP_MS = 5;
/** A message, a call or a retry reaches its function so much later at most. */
export const DELIVERY_MS = 200;

export const waitFor = (ms: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, ms));
