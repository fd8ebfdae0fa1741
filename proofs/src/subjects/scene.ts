/** Engines of this process on one database whose clock only the test moves. */
import { createEngine, type Engine, type EngineOptions } from "@escapement/engine";
import { createSqlStore } from "@escapement/engine/store/sql";
import type { WorkflowsRegistry } from "../../../packages/engine/src/authoring/registry.ts";
import { createMemoryStore } from "@escapement/engine/store/memory";
import type { Store } from "../../../packages/engine/src/ports/store.ts";
import { createFakeTime, FAKE_START } from "../../../packages/engine/src/testing/fake-time.ts";
import {
  type VirtualClock,
  withVirtualClock,
} from "../../../packages/engine/src/testing/virtual-clock.ts";
import { openDatabase } from "./open-database.ts";
import { EMBEDDED, POSTGRES, SQLD, type SubjectKind } from "./test-database.ts";

/** What the proofs of leases, time and lifecycle run on: a server and a file. */
export const REAL_DATABASES: readonly SubjectKind[] = [EMBEDDED, POSTGRES];

/** Stores of one process, and the clock that they share. */
interface SceneStores {
  open(): Promise<Store>;
  readonly clock: Pick<VirtualClock, "now" | "advance">;
  close(): Promise<void>;
}

/** What a scene plays on. */
export interface SceneKind {
  readonly name: string;
  readonly isAvailable: boolean;
  start(): Promise<SceneStores>;
}

const MEMORY: SceneKind = {
  name: "memory",
  isAvailable: true,
  async start() {
    const { now, advance } = createFakeTime();
    const store = createMemoryStore({ now });
    return {
      open: async () => store,
      clock: { now: async () => now(), advance },
      close: async () => {},
    };
  },
};

const overSql = (kind: SubjectKind): SceneKind => ({
  name: kind.name,
  isAvailable: kind.isAvailable,
  async start() {
    const subject = await kind.open();
    const { database, clock } = await withVirtualClock(await openDatabase(subject.url));
    return {
      async open() {
        const own = await withVirtualClock(await openDatabase(subject.url));
        return createSqlStore({ database: own.database });
      },
      clock,
      async close() {
        await database.close();
        await subject.remove();
      },
    };
  },
});

/** The four that all rows are proven on; those that are not there are left out. */
export const SCENE_KINDS: readonly SceneKind[] = [
  MEMORY,
  ...[EMBEDDED, SQLD, POSTGRES].map(overSql),
].filter(({ isAvailable }) => isAvailable);

export const LEASE_MS = 30_000;

export interface Scene {
  /** Starts another runner, as another process would be: a connection, a clock and timers of its own. */
  runner<const TRegistry extends WorkflowsRegistry>(
    workflows: TRegistry,
    options?: RunnerOptions,
  ): Promise<Runner<TRegistry>>;
  /** Moves the database's time, and then that of every runner. */
  advance(ms: number): Promise<void>;
  /** Moves the database's time alone. */
  advanceDatabase(ms: number): Promise<void>;
  databaseNow(): Promise<number>;
}

export interface RunnerOptions extends Partial<Omit<EngineOptions<WorkflowsRegistry>, "host">> {
  /** By how much its process clock is wrong, in milliseconds. @default 0 */
  readonly skewMs?: number;
  readonly wrapStore?: (store: Store) => Store;
}

export interface Runner<TRegistry extends WorkflowsRegistry> {
  readonly engine: Engine<TRegistry>;
  readonly store: Store;
  /** Events of its log. */
  readonly log: readonly string[];
}

const asIs = (store: Store): Store => store;

/** Opens a scene, and closes what was opened in it. */
export async function withScene(
  kind: SceneKind | SubjectKind,
  use: (scene: Scene) => Promise<void>,
): Promise<void> {
  const { open, clock, close } = await ("start" in kind ? kind : overSql(kind)).start();
  const stores: Store[] = [];
  const times: { advance(ms: number): Promise<void> }[] = [];
  const scene: Scene = {
    async runner(workflows, { skewMs = 0, wrapStore = asIs, ...options } = {}) {
      const store = wrapStore(await open());
      const time = createFakeTime(FAKE_START + skewMs);
      const log: string[] = [];
      const logger = { log: (_level: string, event: string) => void log.push(event) };
      stores.push(store);
      times.push(time);
      const settings = { leaseMs: LEASE_MS, logger, ...options, store, host: time.host, workflows };
      return { engine: createEngine(settings), store, log };
    },
    async advance(ms) {
      await clock.advance(ms);
      for (const time of times) await time.advance(ms);
    },
    advanceDatabase: (ms) => clock.advance(ms),
    databaseNow: () => clock.now(),
  };
  try {
    await use(scene);
  } finally {
    for (const store of stores) await store.close();
    await close();
  }
}

/** A place in a body at which the test stands: `reached` tells that the body is there, `open` lets it go on. */
export interface Gate {
  readonly reached: Promise<void>;
  pass(): Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  let arrive: () => void = () => {};
  let open: () => void = () => {};
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    reached,
    pass: () => {
      arrive();
      return opened;
    },
    open: () => open(),
  };
}
