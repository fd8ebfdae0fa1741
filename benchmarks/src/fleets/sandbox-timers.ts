/**
 * Whose timers are whose: code that runs in an invocation has its sandbox's clock, which stops while the sandbox is frozen and
 * for ever once it is dead. Everything that reaches a sandbox from outside comes after a timer of its own.
 */
import { type AsyncLocalStorage, AsyncResource } from "node:async_hooks";

export interface Sandbox {
  isDead: boolean;
  /** By the virtual clock; timers that end meanwhile end then. */
  frozenUntil: number;
}

type Callback = (...given: unknown[]) => void;
type SetTimer = (callback: Callback, delayMs?: number, ...given: unknown[]) => unknown;

interface Handle {
  inner: unknown;
  isCleared: boolean;
}

/** Replaces the process's timers, which should be virtual by now. @returns puts back those that it found */
export function giveTimersToSandboxes(
  current: AsyncLocalStorage<{ readonly sandbox: Sandbox }>,
  now: () => number,
): () => void {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const virtualTimeout = setTimeout as unknown as SetTimer;
  const wrap =
    (set: SetTimer): SetTimer =>
    (callback, delayMs, ...given) => {
      const run = AsyncResource.bind(() => callback(...given));
      const sandbox = current.getStore()?.sandbox;
      if (sandbox === undefined) return set(run, delayMs);
      const handle: Handle = { inner: null, isCleared: false };
      const fire = (): void => {
        if (sandbox.isDead || handle.isCleared) return;
        if (sandbox.frozenUntil > now()) virtualTimeout(fire, sandbox.frozenUntil - now());
        else run();
      };
      handle.inner = set(fire, delayMs);
      return Object.assign(handle, { unref: () => handle, ref: () => handle });
    };
  const clear = (handle: unknown): void => {
    if (typeof handle !== "object" || handle === null || !("inner" in handle))
      return clearTimeout(handle as number);
    Object.assign(handle, { isCleared: true });
    clearTimeout(handle.inner as number);
  };
  Object.assign(globalThis, {
    setTimeout: wrap(virtualTimeout),
    setInterval: wrap(setInterval as unknown as SetTimer),
    clearTimeout: clear,
    clearInterval: clear,
  });
  return () => Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval });
}
