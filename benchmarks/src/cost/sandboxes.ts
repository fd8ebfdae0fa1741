/** Sandboxes of one function: each has an engine of its own. */
import type { VirtualTime } from "../lateness/virtual-time.ts";
import type { Meter } from "./meter.ts";

/** An idle sandbox is given up after so long: assumed, neither platform says. */
const IDLE_MS = 600_000;

/** The invocation has answered, or will; it goes on until this has settled too. */
export type StayAlive = (work: Promise<unknown>) => void;

export interface Sandboxes<T> {
  /**
   * Runs an invocation in one of them. @returns its answer
   *
   * @param of schedules begin only those of the newest deployment. @default any
   */
  run<R>(work: (sandbox: T, stayAlive: StayAlive) => Promise<R>, of?: "newest"): Promise<R>;
}

/** @param isShared a sandbox is in many invocations at once */
export type OpenSandboxes = <T>(isShared: boolean, open: () => T) => Sandboxes<T>;

/** What sandboxes need of the scene that their function is in. */
interface Around {
  readonly time: Pick<VirtualTime, "now">;
  readonly meter: Pick<Meter, "count" | "enter">;
  /** Makes them in place of those here. @default none does */
  readonly openSandboxes?: OpenSandboxes;
}

/** One that is in all invocations, unless the scene has others. */
export function openShared<T>(
  { openSandboxes }: Pick<Around, "openSandboxes">,
  open: () => T,
): Sandboxes<T> {
  if (openSandboxes !== undefined) return openSandboxes(true, open);
  const sandbox = open();
  return { run: (work) => work(sandbox, () => undefined) };
}

/**
 * One invocation at a time in each, as on Lambda and Netlify: one that is free takes the next, else a new one.
 *
 * @param name of the function in the meter
 */
export function createSandboxes<T>(
  { time, meter, openSandboxes }: Around,
  name: string,
  open: () => T,
): Sandboxes<T> {
  if (openSandboxes !== undefined) return openSandboxes(false, open);
  let idle: { readonly sandbox: T; readonly since: number }[] = [];
  const take = (): T => {
    idle = idle.filter(({ since }) => time.now() - since < IDLE_MS);
    const last = idle.pop();
    if (last !== undefined) return last.sandbox;
    meter.count(`${name}.starts`);
    return open();
  };
  return {
    run: async (work) => {
      const sandbox = take();
      const leave = meter.enter(name);
      meter.count(`${name}.invocations`);
      try {
        return await work(sandbox, () => undefined);
      } finally {
        leave();
        idle.push({ sandbox, since: time.now() });
      }
    },
  };
}
