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
 * @param id never used before, as long as others; letters, digits, `_` and `-`. What a nameless process is called may be the end of
 * its ids: it is not said twice, since each claim writes its token to a row and an index
 */
export const toClaimToken = ({ runnerId, life, runner }: LeaseHolder, id: string): string =>
  runnerId === null ? `${withoutEnd(id, runner)}@${runner}` : `${runnerId}~${life}~${id}`;

const withoutEnd = (id: string, end: string): string =>
  id.endsWith(end) ? id.slice(0, id.length - end.length) : id;

/** The process that a claim's token names; null: it names none. */
export function runnerOf(claimToken: string | null): string | null {
  const { runner, runnerId } =
    /^(?:[^~@]*@(?<runner>.+)|(?<runnerId>[^~@]+)~.*)$/su.exec(claimToken ?? "")?.groups ?? {};
  return runner ?? runnerId ?? null;
}
