/** What goes wrong in a scenario, as the store, the wakes and the bodies meet it. */
import { WorkflowError } from "@escapement/engine";
import type { MemoryStore, WakeTroubles } from "../cost/scene.ts";
import type { Fleet, Invocation } from "./fleet.ts";

/** Instants are counted from the scenario's begin, in milliseconds. */
export interface Troubles {
  /** The first sandbox after so long that is in this meets it. `commit`: what it wrote is written, and it never hears so. */
  readonly strike?: {
    readonly afterMs: number;
    readonly in: "step" | "claim" | "commit";
    readonly by: "death" | { readonly freezeMs: number };
  };
  readonly outage?: { readonly fromMs: number; readonly toMs: number };
  /** So many are refused from an instant on. */
  readonly lostSends?: { readonly afterMs: number; readonly count: number };
  /** Each wake is delivered so often, within so long. */
  readonly deliveries?: { readonly count: number; readonly withinMs: number };
}

export interface Struck {
  readonly at: number;
  /** Instances that the sandbox had in hand. */
  readonly ids: ReadonlySet<string>;
}

export interface TroubleMaker {
  /** null: nobody has been struck. */
  readonly struck: Struck | null;
  readonly wakes: WakeTroubles;
  /** Wakes for a later instant: the seconds that were asked for, and those that were taken. */
  readonly asked: readonly number[];
  readonly armed: readonly number[];
  wrap(store: MemoryStore): MemoryStore;
  /** A body begins. @returns ends it */
  body(instanceId: string): () => void;
}

interface Parts {
  readonly fleet: Fleet;
  readonly now: () => number;
  readonly random: (below: number) => number;
}

export function createTroubleMaker(troubles: Troubles, parts: Parts): TroubleMaker {
  const { fleet, now } = parts;
  const startedAt = now();
  const sinceMs = (): number => now() - startedAt;
  /** Who claimed an instance last. */
  const owners = new Map<string, Invocation>();
  const [asked, armed]: [number[], number[]] = [[], []];
  let struck: Struck | null = null;
  let lostSends = 0;
  const meet = (where: "step" | "claim" | "commit", invocation: Invocation | undefined): void => {
    const { strike } = troubles;
    if (strike?.in !== where || sinceMs() < strike.afterMs) return;
    if (struck !== null || invocation === undefined) return;
    const { sandbox } = invocation;
    const ids = [...owners].filter(([, owner]) => owner.sandbox === sandbox).map(([id]) => id);
    struck = { at: now(), ids: new Set(ids) };
    if (strike.by === "death") fleet.kill(sandbox);
    else fleet.freeze(sandbox, strike.by.freezeMs);
  };
  const assertReachable = (): void => {
    const { fromMs = Infinity, toMs = 0 } = troubles.outage ?? {};
    if (sinceMs() >= fromMs && sinceMs() < toMs)
      throw new WorkflowError("STORE_UNAVAILABLE", "the database is away");
  };
  const isLater = (at: number | null): at is number => at !== null;
  return {
    get struck() {
      return struck;
    },
    asked,
    armed,
    wakes: {
      asked: (at) => {
        const { afterMs = Infinity, count = 0 } = troubles.lostSends ?? {};
        if (sinceMs() >= afterMs && lostSends < count) {
          lostSends += 1;
          throw new TypeError("the wake was not taken");
        }
        if (isLater(at)) asked.push(Math.ceil(at / 1000));
      },
      armed: (at) => {
        if (isLater(at)) armed.push(Math.ceil(at / 1000));
      },
      copiesAfterMs: () => {
        const { count = 1, withinMs = 0 } = troubles.deliveries ?? {};
        return Array.from({ length: count - 1 }, () => parts.random(withinMs));
      },
    },
    wrap: (store) => {
      const wrapped: Record<string, unknown> = { ...store };
      for (const [verb, call] of Object.entries(store)) {
        if (typeof call !== "function" || verb === "close") continue;
        wrapped[verb] = async (...given: unknown[]): Promise<unknown> => {
          const invocation = fleet.current();
          // It was frozen or ended on its way.
          assertReachable();
          const result: unknown = await Reflect.apply(call, store, given);
          const { runs = [] } = (result ?? {}) as { runs?: { run: { instanceId: string } }[] };
          if (verb === "claim" && invocation !== undefined)
            for (const { run } of runs) owners.set(run.instanceId, invocation);
          if (verb === "claim" && runs.length > 0) meet("claim", invocation);
          if (verb === "commit") meet("commit", invocation);
          return result;
        };
      }
      return wrapped as unknown as MemoryStore;
    },
    body: (instanceId) => {
      const invocation = owners.get(instanceId) ?? fleet.current();
      const end = invocation?.watched.body();
      meet("step", invocation);
      return () => end?.();
    },
  };
}
