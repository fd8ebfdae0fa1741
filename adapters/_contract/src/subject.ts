/** What an adapter gives to the contract: how to call it, and what its platform can do. */
import type { ContractLogLine, DatabaseState } from "./faults.ts";

/** One request, before it takes the platform's shape. */
export interface AdapterRequest {
  readonly method: "GET" | "POST";
  /** Path and query, for instance `/api/workflows/_runner/tick?maxSteps=1`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** null: none. */
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** A wake that the adapter has asked its platform for. */
export interface AdapterWake {
  /** Instant that it is for, by the platform's clock, which is this one, in epoch milliseconds; null: at once. */
  readonly at: number | null;
  /**
   * Delivers it as the platform would, now, and waits for the invocation to end; it may be called again, at the same
   * time too. `remainingMs`: how long the platform lets the invocation live. @default as long as the platform's limit
   */
  deliver(options?: { readonly remainingMs?: number }): Promise<void>;
}

/** The adapter with the contract's application, an empty store, and whatever stands for the platform. */
export interface AdapterFixture {
  /** Sends a request in the platform's own shape and waits until the invocation has ended. */
  call(request: AdapterRequest): Promise<Response>;
  /** The recurring safety-net tick, in the platform's own shape; waits until the invocation has ended. */
  safetyTick(): Promise<void>;
  /** Wakes asked for since the last call, in order. Needed by `invocations`. */
  takeWakes?(): readonly AdapterWake[];
  /**
   * Sends the application an event of a kind that is none of ours, as the platform would; resolves or rejects when the
   * invocation has ended. Needed by `unknownEvents`.
   */
  deliverUnknown?(): Promise<unknown>;
  /** Makes the database so from now on, see `faults`. @default by the route of `withProbes` */
  setDatabase?(state: DatabaseState): Promise<void>;
  /** What the application and the adapter have logged so far, see `faults`. @default by the route of `withProbes` */
  readLog?(): Promise<readonly ContractLogLine[]>;
  teardown(): Promise<void>;
}

/** How the application under contract is started. */
export interface FixtureOptions {
  /** Whether the tick route has `CONTRACT_TICK`; without, it has no secret at all. */
  readonly hasTickSecrets: boolean;
  /** Nothing that a request makes due is heard in the process that takes it; only `safetyTick` finds it. */
  readonly losesWakes: boolean;
  /** How the database is when the application starts; other than "up" only with `faults`. @default "up" */
  readonly database?: DatabaseState;
  /** By how much the application's process clock is off, in milliseconds; other than 0 only with `clockSkew`. @default 0 */
  readonly clockOffMs?: number;
}

/** What a platform can do. A text says why it cannot; the tests that need it are skipped with that reason. */
export interface AdapterCapabilities {
  /** Work is done in invocations that end, and that wakes begin (`takeWakes`). Else it is done in the process, unasked. */
  readonly invocations: true | string;
  /** Whoever dies at work is come back for, by wakes that `takeWakes` tells of, or where wakes are not exact by the net. @default as `invocations` */
  readonly comesBack?: true | string;
  /** Invocations go on beside each other, as they do in several sandboxes. @default true */
  readonly sideBySide?: true | string;
  /** Invocations are killed at a known instant (`deliver({ remainingMs })`). */
  readonly deadlines: true | string;
  /** The platform can be asked to wake at an instant. */
  readonly exactWakes: ExactWakes | string;
  /** The application is made with `createFaults(options.database)`: its store, its loggers, its probes. @default not offered */
  readonly faults?: true | string;
  /** The application's process clock, that of its platform, too, heeds `clockOffMs`. @default not offered */
  readonly clockSkew?: true | string;
  /** The platform can deliver events that are no requests (`deliverUnknown`). @default not offered */
  readonly unknownEvents?: true | string;
}

/** How exact an adapter's wakes are. */
export interface ExactWakes {
  /** Farthest ahead that one wake can be asked for, in milliseconds; Infinity: no limit. */
  readonly maxWakeMs: number;
  /** How much earlier than needed a wake may be asked for, in milliseconds, where the platform is coarse. */
  readonly earlyMs: number;
}

/** An adapter under contract, and how its platform calls it. */
export interface AdapterSubject {
  readonly name: string;
  readonly capabilities: AdapterCapabilities;
  /** Why it cannot run here, for instance a runtime that is not installed; printed with the suite's name. */
  readonly skip: string | null;
  open(options: FixtureOptions): Promise<AdapterFixture>;
}
