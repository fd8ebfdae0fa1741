/** Sandboxes of one function: each has an engine of its own and one invocation at a time, as on Lambda and Netlify. */
import type { Scene } from "./scene.ts";

/** An idle sandbox is given up after so long: assumed, neither platform says. */
const IDLE_MS = 600_000;

export interface Sandboxes<T> {
  /** Runs an invocation in one that is free, else in a new one. */
  run<R>(work: (sandbox: T) => Promise<R>): Promise<R>;
}

/** @param name of the function in the meter */
export function createSandboxes<T>(
  { time, meter }: Pick<Scene, "time" | "meter">,
  name: string,
  open: () => T,
): Sandboxes<T> {
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
        return await work(sandbox);
      } finally {
        leave();
        idle.push({ sandbox, since: time.now() });
      }
    },
  };
}
