/** A harness on the memory store whose process is killed at a commit. */
import type { WorkflowsRegistry } from "../authoring/registry.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime, type FakeTime } from "./fake-time.ts";
import { createFaultStore } from "./fault-store.ts";
import { createHarness, type Harness, type HarnessOptions } from "./harness.ts";

/** The commit at which to kill the process, and whether it is applied before. */
export interface KilledAt {
  /** 1-based; 0: none. */
  readonly killAt: number;
  readonly isApplied: boolean;
  /** Commits count only while this returns true. @default always */
  readonly isCounted?: () => boolean;
}

/** The harness, and the death of its process. Another process takes its place at once; leases stay until they expire. */
export interface KilledHarness<TRegistry extends WorkflowsRegistry> {
  readonly harness: Harness<TRegistry>;
  readonly time: FakeTime;
  /** Resolves when the process is killed. */
  readonly killed: Promise<void>;
  /** Commits that counted so far. */
  commits(): number;
}

export function createKilledHarness<const TRegistry extends WorkflowsRegistry>(
  options: Omit<HarnessOptions<TRegistry>, "store">,
  { killAt, isApplied, isCounted = () => true }: KilledAt,
): KilledHarness<TRegistry> {
  const time = createFakeTime();
  let commits = 0;
  let kill = (): void => {};
  const killed = new Promise<void>((resolve) => (kill = resolve));
  const store = createFaultStore(createMemoryStore({ now: time.now }), ({ verb }) => {
    if (verb !== "commit" || !isCounted() || (commits += 1) !== killAt) return "none";
    harness.restart();
    kill();
    return isApplied ? "none" : "before";
  });
  const harness: Harness<TRegistry> = createHarness<TRegistry>({
    ...options,
    store: { store, clock: time },
  });
  return { harness, time, killed, commits: () => commits };
}
