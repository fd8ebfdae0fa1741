/** Processes that end while they work, as the database sees them: a lease that nobody renews, and no word more. Web APIs only. */
import { type EngineOptions, WorkflowError } from "@escapement/engine";

export type Store = EngineOptions<Record<string, never>>["store"];

/**
 * With which call a process ends, where it holds a run. `diesInClaim`: its claim is applied, and it never hears so.
 * `diesInStep`: it claims and runs bodies, of which nothing is committed. `diesInCommit`: its first commit is applied, and
 * it never hears so. `diesForAWhile`: it claims and is cut off, while others go on; it tries on, and is heard again when
 * the state ends.
 *
 * A create that claims its own run counts as a claim, but for `diesInClaim`: where nobody hears that it was created,
 * nobody has been promised anything.
 */
export type Death = "diesInClaim" | "diesInStep" | "diesInCommit" | "diesForAWhile";

type NewInstances = Parameters<Store["create"]>[0];
type CreateResults = Awaited<ReturnType<Store["create"]>>;
type Commits = Parameters<Store["commit"]>[0];
type CommitResults = Awaited<ReturnType<Store["commit"]>>;

export interface Deaths {
  readonly wrap: (store: Store) => Store;
  /** What the process that claims next ends with; null: processes live. */
  readonly await: (death: Death | null) => void;
}

/** Leases of those that die are short, so that nobody has to wait for their ends. */
const SHORT_LEASE_MS = 200;
/** Who goes on while another is cut off is not to lose the run as well, however busy the machine. */
const LONG_LEASE_MS = 60_000;

export const isDeath = (state: string): state is Death => state.startsWith("dies");

/** What an application makes of it is that of a process that was frozen until others had its runs, too: it is told so. */
export function createDeaths(): Deaths {
  /** Tokens of leases whose process is gone, and whether a commit of it may still arrive. */
  const gone = new Map<string, boolean>();
  /** Tokens of leases whose process is cut off. */
  const cutOff = new Set<string>();
  let death: Death | null = null;
  let hasClaimed = false;
  const condemn = (token: string, by: Death): void => {
    hasClaimed = true;
    if (by === "diesForAWhile") cutOff.add(token);
    else gone.set(token, by === "diesInCommit");
  };
  const claim = async (store: Store, request: Parameters<Store["claim"]>[0]) => {
    if (death === null) return store.claim(request);
    if (hasClaimed && death === "diesForAWhile")
      return store.claim({ ...request, leaseMs: LONG_LEASE_MS });
    if (hasClaimed) throw unheard();
    const result = await store.claim({ ...request, leaseMs: SHORT_LEASE_MS });
    if (result.runs.length === 0) return result;
    for (const { lease } of result.runs) condemn(lease.token, death);
    if (death === "diesInClaim") throw unheard();
    return result;
  };
  const create = async (store: Store, instances: NewInstances): Promise<CreateResults> => {
    if (death === null || hasClaimed || death === "diesInClaim") return store.create(instances);
    const results = await store.create(instances.map(withShortLease));
    for (const [index, { claim: ticket }] of instances.entries())
      if (ticket !== null && results[index]?.kind === "created")
        condemn(`${ticket.token}.1`, death);
    return results;
  };
  const commit = async (store: Store, commits: Commits): Promise<CommitResults> => {
    if (commits.some(({ lease }) => cutOff.has(lease.token))) throw unheard();
    const arriving = commits.filter(({ lease }) => gone.get(lease.token) !== false);
    const results = arriving.length === 0 ? [] : await store.commit(arriving);
    return commits.map((one) => {
      const { token } = one.lease;
      if (gone.has(token)) gone.set(token, false);
      const result = results[arriving.indexOf(one)];
      return result === undefined || gone.has(token) ? { kind: "conflict" } : result;
    });
  };
  return {
    await: (next) => {
      death = next;
      hasClaimed = false;
      cutOff.clear();
    },
    wrap: (store) =>
      new Proxy(store, {
        get: (target, name) => {
          if (name === "claim")
            return (request: Parameters<Store["claim"]>[0]) => claim(target, request);
          if (name === "create") return (instances: NewInstances) => create(target, instances);
          if (name === "commit") return (commits: Commits) => commit(target, commits);
          const member: unknown = Reflect.get(target, name);
          return typeof member === "function" ? (member.bind(target) as unknown) : member;
        },
      }),
  };
}

const withShortLease = (instance: NewInstances[number]): NewInstances[number] =>
  instance.claim === null
    ? instance
    : { ...instance, claim: { ...instance.claim, leaseMs: SHORT_LEASE_MS } };

const unheard = (): WorkflowError => new WorkflowError("STORE_UNAVAILABLE", "no answer ever came");
