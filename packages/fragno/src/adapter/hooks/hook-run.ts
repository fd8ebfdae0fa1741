/** One hook that the library is made to run, and what the adapter has to know of it meanwhile. */
import type { Statement } from "@escapement/db/client";
import { library } from "../library.ts";
import { FragnoAdapterError } from "../errors.ts";
import type { Sql } from "../sql.ts";
import type { ClaimedHook } from "./claim.ts";
import type { HookMarks } from "./hook-marks.ts";

/** `setTimeout` takes no more, and fires at once for what is longer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const storage = new library.RequestContextStorage<HookRun>();
/** Runs that may still give their hook: without any, the context need not be asked at each commit. */
let openCount = 0;

/** The run in whose asynchronous context this is; null: none. */
export function currentHookRun(): HookRun | null {
  try {
    return storage.getStore();
  } catch {
    return null;
  }
}

/** The rows for the library's look for hooks: those of a run that gave none yet, once. */
export function takeHookRows(namespace: string): readonly unknown[] {
  return openCount === 0 ? [] : (currentHookRun()?.take(namespace) ?? []);
}

/**
 * The signal of the calling hook. It is aborted when the hook times out, with a FragnoAdapterError HOOK_TIMEOUT: pass it to
 * `fetch`. It is never aborted outside of hooks, nor in hooks that a processor of ours does not run.
 */
export function hookSignal(): AbortSignal {
  return (currentHookRun()?.controller ?? new AbortController()).signal;
}

/** A hook that was claimed, from the library's look for it until it is marked or its time is over. */
export class HookRun {
  readonly controller: AbortController = new AbortController();
  readonly #namespace: string;
  readonly #rows: readonly unknown[];
  readonly #marks: HookMarks;
  #isOpen = false;
  #isTaken = false;
  #isMarked = false;
  #stopTimer: () => void = () => undefined;

  constructor(namespace: string, hook: ClaimedHook | null, marks: HookMarks) {
    this.#namespace = namespace;
    this.#rows = hook === null ? [] : [hook.row];
    this.#marks = marks;
  }

  /** Whether the library looked for hooks: it does so for fragments that have any. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  /** Whether the library said what became of the hook: it does not when it cannot read what the hook threw. */
  get isMarked(): boolean {
    return this.#isMarked;
  }

  /** A hook that begins a transaction of its own fragment finds nothing. */
  take(namespace: string): readonly unknown[] {
    if (!this.#isOpen || namespace !== this.#namespace) return [];
    this.#close();
    this.#isTaken = true;
    return this.#rows;
  }

  /** Runs `work`, in which the library looks for the hook, runs it and marks it. */
  async perform(work: () => Promise<void>): Promise<void> {
    this.#isOpen = true;
    openCount += 1;
    try {
      await storage.run(this, work);
    } finally {
      this.#close();
    }
  }

  #close(): void {
    if (this.#isOpen) openCount -= 1;
    this.#isOpen = false;
  }

  /** What the library says of the hook in the end. Of one whose time is over, nobody hears. */
  async mark(statement: Sql | Statement): Promise<void> {
    this.#stopTimer();
    this.#isMarked = true;
    if (!this.controller.signal.aborted) await this.#marks.add(statement);
  }

  /** Settles when the hook has run for so long; never, when it ended before. */
  timeout(timeoutMs: number): Promise<FragnoAdapterError> {
    return new Promise((resolve) => {
      const onTimeout = (): void => {
        const message = `The hook did not end within ${timeoutMs} ms`;
        const error = new FragnoAdapterError("HOOK_TIMEOUT", message, { timeoutMs });
        this.#close();
        this.controller.abort(error);
        resolve(error);
      };
      const timer = setTimeout(onTimeout, Math.min(timeoutMs, MAX_TIMER_MS));
      this.#stopTimer = () => clearTimeout(timer);
    });
  }

  /** No more time is counted. */
  end(): void {
    this.#stopTimer();
  }
}
