/** Processes that die at work, as the database sees them: a lease that nobody renews, and no further calls. Web APIs only. */
import { type EngineOptions, WorkflowError } from "@escapement/engine";

export type Store = EngineOptions<Record<string, never>>["store"];

/**
 * The call with which a process that holds a run dies. `diesInClaim`: its claim is applied, and its answer is lost. `diesInStep`: it
 * claims and runs bodies, and commits none of them. `diesInCommit`: its first commit is applied, and its answer is lost.
 * `diesForAWhile`: it claims and is cut off while others continue; it keeps trying, and reaches the database again when the state
 * ends.
 *
 * A create that claims its own run counts as a claim, except for `diesInClaim`: if the answer to a create is lost, nothing was
 * promised to anyone.
 */
export type Death = "diesInClaim" | "diesInStep" | "diesInCommit" | "diesForAWhile";

type NewInstances = Parameters<Store["create"]>[0];
type CreateResults = Awaited<ReturnType<Store["create"]>>;
type Commits = Parameters<Store["commit"]>[0];
type CommitResults = Awaited<ReturnType<Store["commit"]>>;

export interface Deaths {
  readonly wrap: (store: Store) => Store;
  /** How the process that claims next dies; null: processes live. */
  readonly await: (death: Death | null) => void;
}

/** Leases of processes that die are short, so that no test has to wait long for their end. */
const SHORT_LEASE_MS = 200;
/** A process that continues while another is cut off must not lose the run as well, however busy the machine is. */
const LONG_LEASE_MS = 60_000;

export const isDeath = (state: string): state is Death => state.startsWith("dies");

/** The application behaves like a process that was frozen until others had taken its runs, and learns of it in the same way. */
export function createDeaths(): Deaths {
  /** Tokens of leases whose process is dead, and whether one of its commits may still arrive. */
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
    if (hasClaimed) throw noAnswer();
    const result = await store.claim({ ...request, leaseMs: SHORT_LEASE_MS });
    if (result.runs.length === 0) return result;
    for (const { lease } of result.runs) condemn(lease.token, death);
    if (death === "diesInClaim") throw noAnswer();
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
    if (commits.some(({ lease }) => cutOff.has(lease.token))) throw noAnswer();
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

const noAnswer = (): WorkflowError => new WorkflowError("STORE_UNAVAILABLE", "no answer ever came");
