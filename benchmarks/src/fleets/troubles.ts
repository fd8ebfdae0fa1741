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
  /** Calls that an invocation may make: trips to the database, and one of each body. */
  readonly subrequests?: number;
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
  /** Calls beyond `subrequests`. */
  readonly refusedCount: number;
  wrap(store: MemoryStore): MemoryStore;
  /** A body begins. @returns ends it */
  body(instanceId: string): () => void;
}

interface Parts {
  readonly fleet: Fleet;
  readonly now: () => number;
  readonly random: (below: number) => number;
}

interface State extends Parts {
  readonly troubles: Troubles;
  readonly startedAt: number;
  /** Who claimed an instance last. */
  readonly owners: Map<string, Invocation>;
  readonly subrequests: WeakMap<Invocation, number>;
  struck: Struck | null;
  lostSends: number;
  refusedCount: number;
}

export function createTroubleMaker(troubles: Troubles, parts: Parts): TroubleMaker {
  const startedAt = parts.now();
  const state: State = {
    ...parts,
    troubles,
    startedAt,
    owners: new Map(),
    subrequests: new WeakMap(),
    struck: null,
    lostSends: 0,
    refusedCount: 0,
  };
  const [asked, armed]: [number[], number[]] = [[], []];
  return {
    get struck() {
      return state.struck;
    },
    get refusedCount() {
      return state.refusedCount;
    },
    asked,
    armed,
    wakes: {
      asked: (at) => {
        assertTaken(state);
        if (at !== null) asked.push(Math.ceil(at / 1000));
      },
      armed: (at) => {
        if (at !== null) armed.push(Math.ceil(at / 1000));
      },
      copiesAfterMs: () => {
        const { count = 1, withinMs = 0 } = troubles.deliveries ?? {};
        return Array.from({ length: count - 1 }, () => parts.random(withinMs));
      },
    },
    wrap: (store) => wrapStore(state, store),
    body: (instanceId) => {
      const invocation = state.owners.get(instanceId) ?? parts.fleet.current();
      const end = invocation?.watched.body();
      countCall(state, invocation);
      meet(state, "step", invocation);
      return () => end?.();
    },
  };
}

const sinceMs = ({ now, startedAt }: State): number => now() - startedAt;

function assertTaken(state: State): void {
  const { afterMs = Infinity, count = 0 } = state.troubles.lostSends ?? {};
  if (sinceMs(state) < afterMs || state.lostSends >= count) return;
  state.lostSends += 1;
  throw new TypeError("the wake was not taken");
}

function wrapStore(state: State, store: MemoryStore): MemoryStore {
  const { fleet, owners } = state;
  const wrapped: Record<string, unknown> = { ...store };
  for (const [verb, call] of Object.entries(store)) {
    if (typeof call !== "function" || verb === "close") continue;
    wrapped[verb] = async (...given: unknown[]): Promise<unknown> => {
      const invocation = fleet.current();
      assertReachable(state);
      countCall(state, invocation);
      const result: unknown = await Reflect.apply(call, store, given);
      const ids = claimedBy(given[0], result);
      if (invocation !== undefined) for (const id of ids) owners.set(id, invocation);
      if (verb === "claim" && ids.length > 0) meet(state, "claim", invocation);
      if (verb === "commit") meet(state, "commit", invocation);
      return result;
    };
  }
  return wrapped as unknown as MemoryStore;
}

interface Named {
  readonly instanceId: string;
}

/** What calls are given and answer that may claim: creates, events and claims. */
interface Claiming {
  readonly runs?: readonly { readonly run: Named }[];
  readonly run?: { readonly run: Named } | null;
}

/** Instances whose runs a call has claimed. */
function claimedBy(given: unknown, result: unknown): readonly string[] {
  const { runs = [], run = null } = (result ?? {}) as Claiming;
  const created = Array.isArray(given) && Array.isArray(result) ? given : [];
  return [
    ...runs.map((claimed) => claimed.run.instanceId),
    ...(run?.run === undefined ? [] : [run.run.instanceId]),
    ...(created as readonly (Named & { readonly claim?: unknown })[])
      .filter(({ claim = null }) => claim !== null)
      .map(({ instanceId }) => instanceId),
  ];
}

/** @throws STORE_UNAVAILABLE, as `fetch` fails there */
function countCall(state: State, invocation: Invocation | undefined): void {
  const { subrequests, troubles } = state;
  if (invocation === undefined || troubles.subrequests === undefined) return;
  const count = (subrequests.get(invocation) ?? 0) + 1;
  subrequests.set(invocation, count);
  if (count <= troubles.subrequests) return;
  state.refusedCount += 1;
  throw new WorkflowError("STORE_UNAVAILABLE", "too many subrequests");
}

function assertReachable(state: State): void {
  const { fromMs = Infinity, toMs = 0 } = state.troubles.outage ?? {};
  if (sinceMs(state) >= fromMs && sinceMs(state) < toMs)
    throw new WorkflowError("STORE_UNAVAILABLE", "the database is away");
}

/** The first that comes here after a while is struck. */
function meet(
  state: State,
  where: "step" | "claim" | "commit",
  invocation: Invocation | undefined,
): void {
  const { troubles, owners, fleet } = state;
  const { strike } = troubles;
  if (strike?.in !== where || sinceMs(state) < strike.afterMs) return;
  if (state.struck !== null || invocation === undefined) return;
  const { sandbox } = invocation;
  const ids = [...owners].filter(([, owner]) => owner.sandbox === sandbox).map(([id]) => id);
  state.struck = { at: state.now(), ids: new Set(ids) };
  if (strike.by === "death") fleet.kill(sandbox);
  else fleet.freeze(sandbox, strike.by.freezeMs);
}
