/** So many sandboxes of each function; chance says which takes an invocation. One may be frozen, or killed. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { OpenSandboxes } from "../cost/sandboxes.ts";
import { watchStorages } from "./idle-storages.ts";
import { createIdleWatch, type IdleWatch, type Watched } from "./idle-watch.ts";
import { giveTimersToSandboxes, type Sandbox } from "./sandbox-timers.ts";

export interface Invocation {
  readonly sandbox: LivingSandbox;
  readonly watched: Watched;
}

export interface LivingSandbox extends Sandbox {
  /** Of the deployment before the newest. */
  readonly isOlder: boolean;
  /** What its invocations end with when it dies. */
  readonly dies: Set<(error: Error) => void>;
  /** Invocations that it is in. */
  count: number;
  readonly storages: Set<AsyncLocalStorage<unknown>>;
}

export interface Fleet {
  readonly open: OpenSandboxes;
  readonly idle: IdleWatch;
  /** The invocation that the caller is in. */
  current(): Invocation | undefined;
  /** Nothing that it has under way arrives, and nothing reaches it any more. */
  kill(sandbox: Sandbox): void;
  freeze(sandbox: Sandbox, ms: number): void;
  close(): void;
}

export interface FleetOptions {
  readonly size: number;
  /** Until then every other sandbox is of an older deployment. */
  readonly mixedUntil: number;
  readonly now: () => number;
  readonly random: (below: number) => number;
  readonly at: (instant: number, callback: () => void) => void;
}

export class SandboxLost extends Error {}

interface Slot<T> {
  readonly olderUntil: number;
  sandbox: LivingSandbox | null;
  value: T | null;
}

export function createFleet(options: FleetOptions): Fleet {
  const { now, at } = options;
  const current = new AsyncLocalStorage<Invocation>();
  const closers = [
    giveTimersToSandboxes(current, now),
    watchStorages(() => current.getStore()?.sandbox.storages),
  ];
  const idle = createIdleWatch(now);
  const waiting: (() => void)[] = [];
  const letIn = (): void => {
    for (const next of waiting.splice(0)) next();
  };
  return {
    idle,
    close: () => {
      for (const close of closers) close();
      current.disable();
    },
    current: () => current.getStore(),
    open: (isShared, openOne) => {
      const slots = Array.from({ length: options.size }, (_none, index) =>
        newSlot<ReturnType<typeof openOne>>(index % 2 === 1 ? options.mixedUntil : 0),
      );
      const run = createRun({ ...options, slots, isShared, openOne, current, idle, letIn });
      return {
        run: async (work, of) => {
          for (;;) {
            const begun = run(work, of);
            if (begun !== null) return begun.answer;
            await new Promise<void>((resolve) => void waiting.push(resolve));
          }
        },
      };
    },
    kill: (sandbox) => {
      sandbox.isDead = true;
      for (const die of (sandbox as LivingSandbox).dies) die(new SandboxLost("killed"));
      letIn();
    },
    freeze: (sandbox, ms) => {
      sandbox.frozenUntil = now() + ms;
      at(sandbox.frozenUntil, letIn);
    },
  };
}

const newSlot = <T>(olderUntil: number): Slot<T> => ({ olderUntil, sandbox: null, value: null });

const newSandbox = (isOlder: boolean): LivingSandbox => ({
  isOlder,
  isDead: false,
  frozenUntil: 0,
  dies: new Set(),
  count: 0,
  storages: new Set(),
});

interface RunParts<T> extends FleetOptions {
  readonly slots: readonly Slot<T>[];
  readonly isShared: boolean;
  readonly openOne: () => T;
  readonly current: AsyncLocalStorage<Invocation>;
  readonly idle: IdleWatch;
  readonly letIn: () => void;
}

type Work<T, R> = (sandbox: T, stayAlive: (work: Promise<unknown>) => void) => Promise<R>;

/** @returns null: none can take it now */
function createRun<T>(parts: RunParts<T>) {
  return <R>(work: Work<T, R>, of?: "newest"): { readonly answer: Promise<R> } | null => {
    const slot = pick(parts, of);
    if (slot === undefined) return null;
    const isOlder = slot.olderUntil > parts.now();
    const isCold = slot.sandbox?.isDead !== false || slot.sandbox.isOlder !== isOlder;
    if (isCold) slot.sandbox = newSandbox(isOlder);
    const sandbox = slot.sandbox as LivingSandbox;
    const watched = parts.idle.enter();
    const kept: Promise<unknown>[] = [];
    const answer = parts.current.run({ sandbox, watched }, () => {
      if (isCold) slot.value = parts.openOne();
      return work(slot.value as T, (promise) => void kept.push(promise));
    });
    sandbox.count += 1;
    let die: (error: Error) => void = () => undefined;
    const lost = new Promise<never>((_resolve, reject) => (die = reject));
    sandbox.dies.add(die);
    const ended = answer.catch(() => undefined).then(() => Promise.allSettled(kept));
    void Promise.race([ended, lost.catch(() => undefined)]).then(() => {
      sandbox.dies.delete(die);
      sandbox.count -= 1;
      if (!parts.isShared) for (const storage of sandbox.storages) storage.disable();
      watched.leave();
      parts.letIn();
    });
    return { answer: Promise.race([answer, lost]) };
  };
}

function pick<T>(
  { slots, isShared, now, random }: RunParts<T>,
  of?: "newest",
): Slot<T> | undefined {
  const free = slots.filter(
    ({ sandbox, olderUntil }) =>
      (of === undefined || olderUntil <= now()) &&
      (sandbox === null ||
        sandbox.isDead ||
        (sandbox.frozenUntil <= now() && (isShared || sandbox.count === 0))),
  );
  return free[Math.floor(random(free.length))];
}
