/** One hook that the library runs, and the state that the adapter keeps for it meanwhile. */
import type { Statement } from "@escapement/db/client";
import { library } from "../library.ts";
import { FragnoAdapterError } from "../errors.ts";
import type { Sql } from "../sql.ts";
import type { ClaimedHook } from "./claim.ts";
import type { HookMarks } from "./hook-marks.ts";

/** `setTimeout` allows no more, and fires at once for longer times. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const storage = new library.RequestContextStorage<HookRun>();
/** How many runs have not given their hook to the library yet. Without any, commits need not check the context. */
let openCount = 0;

/** The run in the current asynchronous context; null: none. */
export function currentHookRun(): HookRun | null {
  try {
    return storage.getStore();
  } catch {
    return null;
  }
}

/** The rows for the library's look for hooks: once, the hook of a run that has not given it yet. */
export function takeHookRows(namespace: string): readonly unknown[] {
  return openCount === 0 ? [] : (currentHookRun()?.take(namespace) ?? []);
}

/**
 * The signal of the calling hook. It is aborted when the hook times out, with a FragnoAdapterError HOOK_TIMEOUT: pass it to
 * `fetch`. It is never aborted outside of hooks, nor in hooks that another processor runs.
 */
export function hookSignal(): AbortSignal {
  return (currentHookRun()?.controller ?? new AbortController()).signal;
}

/** A claimed hook, from the library's look for it until it is marked or its time is over. */
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

  /** Whether the library has looked for hooks, which it only does for fragments with hooks. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  /** Whether the library has reported the hook's outcome. It does not if it cannot read the hook's error. */
  get isMarked(): boolean {
    return this.#isMarked;
  }

  /** If a hook begins a transaction of its own fragment, that one finds no hooks. */
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

  /** Takes the library's mark for the hook. If the hook's time is over, the mark is ignored. */
  async mark(statement: Sql | Statement): Promise<void> {
    this.#stopTimer();
    this.#isMarked = true;
    if (!this.controller.signal.aborted) await this.#marks.add(statement);
  }

  /** Settles when the hook has run this long; never, if it ends before. */
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

  /** Stops the timer. */
  end(): void {
    this.#stopTimer();
  }
}
