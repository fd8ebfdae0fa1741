/** What an adapter provides for the contract: how to call it, and what its platform can do. */
import type { ContractLogLine, DatabaseState } from "./faults.ts";

/** One request, before it is converted to the platform's form. */
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
  /** The instant that it is for, in epoch milliseconds, by the platform's clock, which is the real one; null: at once. */
  readonly at: number | null;
  /**
   * Delivers it now, as the platform would, and waits for the invocation to end. It may be called again, also at the same time.
   * `remainingMs`: how long the platform lets the invocation live. @default as long as the platform's limit
   */
  deliver(options?: { readonly remainingMs?: number }): Promise<void>;
}

/** The adapter with the contract's application, an empty store, and a substitute for the platform. */
export interface AdapterFixture {
  /** Sends a request in the platform's own form, and waits until the invocation has ended. */
  call(request: AdapterRequest): Promise<Response>;
  /** Runs the recurring safety-net tick in the platform's own form, and waits until the invocation has ended. */
  safetyTick(): Promise<void>;
  /** The wakes asked for since the last call, in order. Needed for `invocations`. */
  takeWakes?(): readonly AdapterWake[];
  /**
   * Sends the application an event of a kind that is not ours, as the platform would. Resolves or rejects when the invocation has ended.
   * Needed for `unknownEvents`.
   */
  deliverUnknown?(): Promise<unknown>;
  /** Sets the state of the database from now on, see `faults`. @default by the route of `withProbes` */
  setDatabase?(state: DatabaseState): Promise<void>;
  /** The lines that the application and the adapter have logged so far, see `faults`. @default by the route of `withProbes` */
  readLog?(): Promise<readonly ContractLogLine[]>;
  teardown(): Promise<void>;
}

/** How the application under contract is started. */
export interface FixtureOptions {
  /** Whether the tick route has `CONTRACT_TICK`; without it, the route has no secret at all. */
  readonly hasTickSecrets: boolean;
  /** The process that takes a request does not learn what it makes due; only `safetyTick` finds it. */
  readonly losesWakes: boolean;
  /** The state of the database when the application starts; other than "up" only with `faults`. @default "up" */
  readonly database?: DatabaseState;
  /** How far the application's process clock is off, in milliseconds; other than 0 only with `clockSkew`. @default 0 */
  readonly clockOffMs?: number;
}

/** What a platform can do. A text says why it cannot; the tests that need it are skipped with that reason. */
export interface AdapterCapabilities {
  /** Work is done in invocations that end and that wakes begin (`takeWakes`). Otherwise the process does it by itself. */
  readonly invocations: true | string;
  /**
   * After a death at work, an invocation comes back: by the wakes in `takeWakes`, or by the safety net if wakes are not exact.
   * @default like `invocations`
   */
  readonly comesBack?: true | string;
  /** Invocations run at the same time, as in several sandboxes. @default true */
  readonly sideBySide?: true | string;
  /** Invocations are killed at a known instant (`deliver({ remainingMs })`). */
  readonly deadlines: true | string;
  /** The platform can wake at a requested instant. */
  readonly exactWakes: ExactWakes | string;
  /** The application is created with `createFaults(options.database)`: its store, its loggers, its probes. @default not offered */
  readonly faults?: true | string;
  /** The process clock of the application, and of its platform, follows `clockOffMs`. @default not offered */
  readonly clockSkew?: true | string;
  /** The platform can deliver events that are not requests (`deliverUnknown`). @default not offered */
  readonly unknownEvents?: true | string;
}

/** How exact an adapter's wakes are. */
export interface ExactWakes {
  /** How far ahead one wake can be asked for, in milliseconds; Infinity: no limit. */
  readonly maxWakeMs: number;
  /** How much earlier than needed a wake may come, in milliseconds, because the platform is coarse. */
  readonly earlyMs: number;
}

/** An adapter under contract, and how its platform calls it. */
export interface AdapterSubject {
  readonly name: string;
  readonly capabilities: AdapterCapabilities;
  /** Why it cannot run here, for instance because a runtime is not installed; printed with the suite's name. */
  readonly skip: string | null;
  open(options: FixtureOptions): Promise<AdapterFixture>;
}
