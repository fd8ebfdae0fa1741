/** Which process holds a lease: what the token of a claim says of it. */

/** A process, as claims name it. */
export interface LeaseHolder {
  /** What outlives the process; null: nothing does. Letters, digits, `_` and `-`. */
  readonly runnerId: string | null;
  /** Tells this life of a process with a `runnerId` from its former ones. */
  readonly life: string;
  /** What the process calls itself. */
  readonly runner: string;
}

/**
 * What the tokens of one claim begin with. Leases of a former life are found by `runnerId~` at the beginning: no other token has a
 * `~` before an `@`.
 *
 * @param id never used before; letters, digits, `_` and `-`
 */
export const toClaimToken = ({ runnerId, life, runner }: LeaseHolder, id: string): string =>
  runnerId === null ? `${id}@${runner}` : `${runnerId}~${life}~${id}`;

/** The process that a claim's token names; null: it names none. */
export function runnerOf(claimToken: string | null): string | null {
  const { runner, runnerId } =
    /^(?:[^~@]*@(?<runner>.+)|(?<runnerId>[^~@]+)~.*)$/su.exec(claimToken ?? "")?.groups ?? {};
  return runner ?? runnerId ?? null;
}
