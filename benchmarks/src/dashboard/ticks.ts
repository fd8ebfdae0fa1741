/** Work that ticks do, and what it takes. */
import type { Engine } from "@escapement/engine";
import type { ProcessorClock } from "../processor-time.ts";

/** Instances that ended: by second, and milliseconds that each took on processors. */
export interface Round {
  readonly bySecond: number;
  /** Of this process, in which ticks and pages are. */
  readonly ownMs: number;
  /** Of the database's server; 0: there is none. */
  readonly serverMs: number;
}

/** @param server null: the database is in this process */
export function createTicks(
  engine: Pick<Engine, "createBatch" | "tick">,
  server: ProcessorClock | null,
): { readonly runFor: (ms: number) => Promise<Round> } {
  let created = 0;
  /** Creates instances and runs them by ticks, for so long. */
  async function runFor(ms: number): Promise<Round> {
    const startedAt = performance.now();
    const cpuBefore = process.cpuUsage();
    const serverBefore = server?.() ?? 0;
    let ended = 0;
    while (performance.now() - startedAt < ms) {
      const batch = Array.from({ length: 50 }, () => ({ id: `order-${(created += 1)}` }));
      await engine.createBatch("bench", batch);
      for (let isBusy = true; isBusy;) isBusy = (await engine.tick()).processed > 0;
      ended += batch.length;
      // Ticks that never wait for anything would keep the pages from asking.
      await new Promise((resolve) => void setImmediate(resolve));
    }
    const { user, system } = process.cpuUsage(cpuBefore);
    const seconds = (performance.now() - startedAt) / 1000;
    return {
      bySecond: ended / seconds,
      ownMs: (user + system) / 1000 / ended,
      serverMs: ((server?.() ?? 0) - serverBefore) / ended,
    };
  }
  return { runFor };
}
